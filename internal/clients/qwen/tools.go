package qwen

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"run_shell_command shell", "monitor shell", // monitor runs any line and reports the output
	"read_file fs_read", "zoom_image fs_read",
	"write_file fs_write", "edit fs_edit", "notebook_edit fs_edit",
	"glob fs_glob", "grep_search fs_grep", "list_directory fs_list",
	"web_fetch web_fetch", "web_search web_search",
	"todo_write todo_write",
	"agent delegate", "send_message delegate", "task_stop shell_stop",
	"cron_create schedule", "cron_delete schedule", "cron_list schedule", "loop_wakeup schedule",
	"enter_worktree worktree", "exit_worktree worktree", "read_mcp_resource mcp_resources",
	"skill skill", "tool_search tool_search", "get_goal goal", "update_goal goal",
}
