package cursor

import (
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
)

// tools lists the client's tools, each with the project's names. Write makes files and edits them.
var tools = []dialect.Tool{
	"Shell shell", "Read fs_read", "Write fs_write fs_edit", "Grep fs_grep", "Task delegate",
	"WebFetch web_fetch", "WebSearch web_search",
}

// mcpPrefix begins the name of an MCP tool. The client does not name the server.
const mcpPrefix = "MCP:"

// toolName returns the usual name of an MCP tool, mcp__SERVER__TOOL.
func toolName(c *dialect.Call) string {
	tool, mcp := strings.CutPrefix(c.Tool, mcpPrefix)
	if c.Event == "beforeMCPExecution" || c.Event == "afterMCPExecution" {
		mcp = true
	}
	if !mcp {
		return ""
	}
	return "mcp__cursor__" + tool
}
