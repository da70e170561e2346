package cursor

import (
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
)

// tools are the client's tools by the names that projects have for such tools. Write makes files and edits them.
var tools = []dialect.Tool{
	"Shell shell", "Read fs_read", "Write fs_write fs_edit", "Grep fs_grep", "Task delegate",
	"WebFetch web_fetch", "WebSearch web_search",
}

// mcpPrefix begins the name of an MCP tool. The client does not say of which server it is.
const mcpPrefix = "MCP:"

// toolName writes the name of an MCP tool as all the others do.
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
