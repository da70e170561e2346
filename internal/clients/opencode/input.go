package opencode

import (
	"strconv"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Encode passes on the plugin's input, or builds the same from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("hook_event_name", string(event))
		o.Text("session_id", c.SessionID)
		o.TextIfAny("agent_id", c.AgentID)
		o.Text("cwd", c.Workspace)
	}, func(o *dialect.Object) {
		o.TextIfAny("tool_use_id", c.ToolUseID)
		switch event {
		case after:
			o.Text("tool_response", c.Result)
			o.Raw("failed", strconv.AppendBool(nil, c.Failed))
		case prompt:
			o.Text("prompt", c.Prompt)
		}
	})
}
