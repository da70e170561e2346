package opencode

import (
	"slices"
	"strconv"

	"github.com/hookrun/hookrun/internal/dialect"
)

// Encode passes on the plugin's input, or builds the same from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c.Event)
	return dialect.EncodeInput(c, event, func(o *dialect.Object) {
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

// toolName returns the usual name of an MCP tool. The client joins server and tool by an underscore, so the plugin says
// where the server's name ends. The client's own tools keep their names, whatever the servers are called.
func toolName(c *dialect.Call) string {
	own := func(t dialect.Tool) bool { return t.Name() == c.Tool }
	if c.Tool == "apply_patch" || slices.ContainsFunc(tools, own) {
		return ""
	}
	return dialect.MCPName(c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name"))
}
