package codex

import (
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// payload passes on the client's own input, or writes what the client would have, as far as the caller knows it.
func payload(c *protocol.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if protocol.Event(c.Field("hook_event_name")) == event {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var o dialect.Object
	var warnings []string
	o.Text("session_id", c.SessionID)
	if turn := c.Field("turn_id"); turn != "" {
		o.Text("turn_id", turn)
	}
	if c.TranscriptPath == "" {
		o.Raw("transcript_path", []byte("null"))
	} else {
		o.Text("transcript_path", c.TranscriptPath)
	}
	dir := c.Dir
	if dir == "" {
		dir = c.Workspace
	}
	o.Text("cwd", dir)
	o.Text("hook_event_name", string(event))
	o.Text("model", c.Field("model"))
	o.Text("permission_mode", "default")
	if c.Event.HasTool() {
		input, w, err := c.Input()
		if err != nil {
			return nil, nil, err
		}
		warnings = w
		o.Text("tool_name", c.Tool)
		o.Raw("tool_input", input)
	}
	switch event {
	case "PostToolUse":
		o.Raw("tool_response", dialect.ToolResponse(c.Result))
		o.Text("tool_use_id", c.ToolUseID)
	case "PreToolUse":
		o.Text("tool_use_id", c.ToolUseID)
	case "UserPromptSubmit":
		o.Text("prompt", c.Prompt)
	}
	if c.AgentID != "" {
		o.Text("agent_id", c.AgentID)
	}
	return o.End(), warnings, nil
}
