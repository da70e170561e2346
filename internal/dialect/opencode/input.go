package opencode

import (
	"slices"
	"strconv"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// payload passes on what the plugin wrote, or writes the same.
func payload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c.Event)
	if own, is := dialect.OwnInput(&c.Call, event); is {
		return own, nil, nil
	}
	var o dialect.Object
	o.Text("hook_event_name", string(event))
	o.Text("session_id", c.SessionID)
	if c.AgentID != "" {
		o.Text("agent_id", c.AgentID)
	}
	o.Text("cwd", c.Workspace)
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	if c.ToolUseID != "" {
		o.Text("tool_use_id", c.ToolUseID)
	}
	switch event {
	case after:
		o.Text("tool_response", c.Result)
		o.Raw("failed", strconv.AppendBool(nil, c.Failed))
	case prompt:
		o.Text("prompt", c.Prompt)
	}
	return o.End(), warnings, nil
}

// toolName writes the name of an MCP tool as all the others do. The client joins its parts by an underscore, so the
// plugin says where the server's name ends. A tool of the client's own has its name, whatever servers are called.
func toolName(c *protocol.Call) string {
	server, tool := c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name")
	own := func(t dialect.Tool) bool { return t.Name == c.Tool }
	if server == "" || tool == "" || c.Tool == "apply_patch" || slices.ContainsFunc(tools, own) {
		return ""
	}
	return "mcp__" + server + "__" + tool
}
