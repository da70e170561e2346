package codex

import (
	"cmp"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("session_id", c.SessionID)
		o.TextIfAny("turn_id", c.Field("turn_id"))
		o.TextOrNull("transcript_path", c.TranscriptPath)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		o.Text("hook_event_name", string(event))
		o.Text("model", c.Field("model"))
		o.Text("permission_mode", "default")
	}, func(o *dialect.Object) {
		switch event {
		case "PostToolUse":
			o.Raw("tool_response", client.ToolResponse(c.Result))
			o.Text("tool_use_id", c.ToolUseID)
		case "PreToolUse":
			o.Text("tool_use_id", c.ToolUseID)
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
		}
		o.TextIfAny("agent_id", c.AgentID)
	})
}
