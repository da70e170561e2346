package codex

import (
	"cmp"

	"github.com/hookrun/hookrun/internal/dialect"
)

// payload passes on the client's own input, or writes what the client would have, as far as the caller knows it.
func payload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(&c.Call)
	if own, is := dialect.OwnInput(&c.Call, event); is {
		return own, nil, nil
	}
	var o dialect.Object
	o.Text("session_id", c.SessionID)
	if turn := c.Field("turn_id"); turn != "" {
		o.Text("turn_id", turn)
	}
	o.TextOrNull("transcript_path", c.TranscriptPath)
	o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
	o.Text("hook_event_name", string(event))
	o.Text("model", c.Field("model"))
	o.Text("permission_mode", "default")
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
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
