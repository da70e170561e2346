package claude

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// payload passes on the client's own input, or writes what the client would have, as far as the caller knows it. A
// result that is a JSON object or array goes in as it is, since the client's tools have such results.
func payload(c *protocol.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if name := protocol.Event(c.Field("hook_event_name")); name == event {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	} else if name != "" && name == name.Canonical() && name.Claude() == event { // by TENEX's name
		same := *c
		dialect.SetField(&same, "hook_event_name", strictjson.Quote(string(event)))
		return dialect.Payload{[]byte(same.ClientInput), []byte("\n")}, nil, nil
	}
	var o dialect.Object
	var warnings []string
	o.Text("session_id", c.SessionID)
	o.Text("transcript_path", c.TranscriptPath)
	dir := c.Dir
	if dir == "" {
		dir = c.Workspace
	}
	o.Text("cwd", dir)
	o.Text("permission_mode", "default")
	if c.AgentID != "" {
		o.Text("agent_id", c.AgentID)
	}
	o.Text("hook_event_name", string(event))
	if c.Event.HasTool() {
		input, w, err := c.Input()
		if err != nil {
			return nil, nil, err
		}
		warnings = w
		o.Text("tool_name", c.Tool)
		o.Raw("tool_input", input)
	}
	if event == "PostToolUse" {
		o.Raw("tool_response", dialect.ToolResponse(c.Result))
	}
	if c.Event.HasTool() {
		o.Text("tool_use_id", c.ToolUseID)
	}
	switch event {
	case "PostToolUseFailure":
		o.Text("error", c.Result)
		o.Raw("is_interrupt", []byte("false"))
	case "UserPromptSubmit":
		o.Text("prompt", c.Prompt)
	}
	return o.End(), warnings, nil
}

// readResult: the client has an event for a tool that failed, and says there why.
func readResult(c *protocol.Call, _ gjson.Result) {
	if c.Event == "PostToolUseFailure" {
		c.Failed, c.Result = true, c.Field("error")
	}
}
