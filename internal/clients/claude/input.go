package claude

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode passes on the client's own input, or builds one from the fields of the call. A result that is a JSON object or
// array stays JSON, because the client's tools have such results.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	return encode(c, client.ClaudeEventOf(c))
}

func encode(c *dialect.Call, event protocol.Event) (dialect.Payload, []string, error) {
	same := *c
	name := protocol.Event(c.Field("hook_event_name"))
	row := c.Clients().Event(name)
	if name != "" && dialect.ClaudeEventNamed(name) == event &&
		(row == nil || row.CommonName() == name || name == skillCommand) {
		dialect.SetField(&same, "hook_event_name", strictjson.Quote(string(event))) // the input has another name
	}
	if own, is := client.OwnInput(&same, event); is {
		return own, nil, nil
	}
	return client.WriteInput(c, func(o *dialect.Object) {
		o.Text("session_id", c.SessionID)
		o.Text("transcript_path", c.TranscriptPath)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		o.Text("permission_mode", "default")
		o.TextIfAny("agent_id", c.AgentID)
		o.Text("hook_event_name", string(event))
	}, func(o *dialect.Object) {
		if event == "PostToolUse" {
			o.Raw("tool_response", client.ToolResponse(c.Result))
		}
		if c.IsAboutTool() {
			o.Text("tool_use_id", c.ToolUseID)
		}
		switch event {
		case "PostToolUseFailure":
			o.Text("error", c.Result)
			o.Raw("is_interrupt", []byte("false"))
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
		}
	})
}

// readResult reads the error of a failed tool, which has an event of its own.
func readResult(c *dialect.Call, _ gjson.Result) {
	if c.Event == "PostToolUseFailure" {
		c.Failed, c.Result = true, c.Field("error")
	}
}
