package gemini

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"run_shell_command shell",
	"read_file fs_read", "read_many_files fs_read",
	"write_file fs_write", "replace fs_edit",
	"glob fs_glob", "grep_search fs_grep", "search_file_content fs_grep", "list_directory fs_list",
	"google_web_search web_search", "web_fetch web_fetch",
	"write_todos todo_write",
	"invoke_agent delegate", "delegate_to_agent delegate", "codebase_investigator delegate", "cli_help delegate",
	"complete_task delegate",
	"ask_user ask_user", "enter_plan_mode plan", "exit_plan_mode plan",
	"activate_skill skill", "save_memory memory_write", "get_internal_docs fs_read", "update_topic topic",
	"tracker_create_task todo_write", "tracker_update_task todo_write", "tracker_add_dependency todo_write",
	"tracker_get_task todo_read", "tracker_list_tasks todo_read", "tracker_visualize todo_read",
	"list_background_processes shell_output", "read_background_output shell_output",
	"list_mcp_resources mcp_resources", "read_mcp_resource mcp_resources",
}
