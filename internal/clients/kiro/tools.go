package kiro

import (
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// tools lists the client's tools under both of their names, each with the project's names.
var tools = []dialect.Tool{
	"execute_bash shell", "execute_cmd shell", "shell shell",
	"fs_read fs_read", "read fs_read", "fs_write fs_write fs_edit", "write fs_write fs_edit",
	"glob fs_glob", "grep fs_grep", "web_fetch web_fetch", "web_search web_search",
	"use_subagent delegate", "subagent delegate", "delegate delegate", "todo_list todo_write", "todo todo_write",
}

// toolName returns the usual name of an MCP tool, which the client calls @SERVER/TOOL.
func toolName(c *dialect.Call) string {
	server, tool, _ := strings.Cut(strings.TrimPrefix(c.Tool, "@"), "/")
	if !strings.HasPrefix(c.Tool, "@") {
		return ""
	}
	return dialect.MCPName(server, tool)
}
