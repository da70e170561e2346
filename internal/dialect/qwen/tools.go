package qwen

import "github.com/hookrun/hookrun/internal/dialect"

// tools are the client's tools by the names that projects have for such tools.
var tools = dialect.Tools(
	"run_shell_command shell",
	"read_file fs_read",
	"write_file fs_write", "edit fs_edit", "notebook_edit fs_edit",
	"glob fs_glob", "grep_search fs_grep", "list_directory fs_list",
	"web_fetch web_fetch", "web_search web_search",
	"todo_write todo_write",
	"agent delegate",
	"skill skill", "tool_search tool_search", "get_goal goal", "update_goal goal",
)
