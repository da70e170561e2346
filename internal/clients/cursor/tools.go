package cursor

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// tools lists the client's tools, each with the project's names. Write makes files and edits them.
var tools = []dialect.Tool{
	"Shell shell", "Read fs_read", "Write fs_write fs_edit", "Grep fs_grep", "Task delegate",
	"WebFetch web_fetch", "WebSearch web_search",
	// these are in no document; people saw them
	"StrReplace fs_edit", "ApplyPatch fs_edit fs_write", "EditNotebook fs_edit", "Delete fs_write", "Glob fs_glob",
}

// mcpPrefix begins the name of an MCP tool. Only the inputs of events for MCP tools name the server, in newer versions.
const mcpPrefix = "MCP:"

// toolName returns the usual name of an MCP tool, mcp__SERVER__TOOL.
func toolName(c *dialect.Call) string {
	tool, mcp := strings.CutPrefix(c.Tool, mcpPrefix)
	if c.Event == "beforeMCPExecution" || c.Event == "afterMCPExecution" {
		mcp = true
	}
	server := c.Field("mcp_server_name")
	if !mcp && server == "" {
		return ""
	}
	return dialect.MCPName(cmp.Or(server, "cursor"), tool)
}
