package droid

import (
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"Execute shell",
	"Read fs_read",
	"Create fs_write",
	"Edit fs_edit", "ApplyPatch fs_edit fs_write", // a patch also makes files
	"Glob fs_glob", "Grep fs_grep", "LS fs_list",
	"FetchUrl web_fetch", "WebSearch web_search",
	"TodoWrite todo_write",
	"Task delegate",
	"TaskOutput shell_output", "TaskStop shell_stop", "Skill skill", "ToolSearch tool_search",
}

// toolName returns the usual name of an MCP tool, SERVER___TOOL in this client.
func toolName(c *dialect.Call) string {
	server, tool, _ := strings.Cut(c.Tool, "___")
	return dialect.MCPName(server, tool)
}
