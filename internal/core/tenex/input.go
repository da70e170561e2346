package tenex

import (
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode writes TENEX's keys, then Claude Code's keys for the same values, and then the other keys of the client's hook
// input, so a hook written for any of them works unchanged. Keys that Claude Code always sends are present even if
// empty, as strings, because hooks read them unchecked.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	var o dialect.Object
	var input, result []byte
	var warnings []string
	tool, post := c.IsAboutTool(), c.Common() == protocol.PostTool

	o.Text("event", string(c.Common()))
	if tool {
		var err error
		if input, warnings, err = c.Input(); err != nil {
			return nil, nil, err
		}
		o.Text("tool", c.ProjectTool())
		o.Raw("args", input)
	}
	if post {
		result = strictjson.Quote(c.Result)
		o.Raw("result", result)
	}
	o.Text("session_id", c.SessionID)
	cwd := c.Workspace
	if c.Worktree != "" { // the workspace is another checkout than the call's
		cwd = c.Dir
	}
	o.Text("cwd", cwd)
	o.TextOrNull("transcript_path", c.TranscriptPath)
	o.Text("prompt", c.Prompt)
	if c.AgentID != "" {
		o.Text("agent_id", c.AgentID)
	}
	if post && c.Failed {
		// Claude Code has a separate event for this, with the text in "error".
		o.Text("hook_event_name", "PostToolUseFailure")
		o.Raw("error", result)
	} else {
		o.Text("hook_event_name", string(dialect.ClaudeEvent(c)))
	}
	if tool {
		o.Text("tool_name", c.Tool)
		o.Raw("tool_input", input)
	}
	if post {
		if response := dialect.ClientResponse(c); response.Exists() {
			result = []byte(response.Raw) // the client's hooks expect this object
		}
		o.Raw("tool_response", result)
	}
	if tool {
		o.Text("tool_use_id", c.ToolUseID)
	}
	copyRest(&o, c)
	return o.End(c), warnings, nil
}

// copyRest copies the other keys of a client's hook input unchanged, because the client's hooks may read any of them.
// Keys of TENEX's that are missing at this event stay missing.
func copyRest(o *dialect.Object, c *dialect.Call) {
	if c.ClientInput == "" {
		return
	}
	for key, value := range strictjson.Members(c.ClientInput) {
		switch name := strictjson.Text(key); {
		case o.Has(name), name == "event", name == "tool", name == "args", name == "result":
		default:
			o.Raw(name, []byte(value))
		}
	}
}
