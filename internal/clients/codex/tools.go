package codex

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"Bash shell", // the name in hook inputs for all of these
	"exec_command shell",
	"write_stdin shell", // input for a running command
	"shell_command shell", "local_shell shell",
	"apply_patch fs_edit fs_write", // also makes files
	"view_image fs_read",
	"read_file fs_read", "list_dir fs_list", "grep_files fs_grep",
	"web_search web_search", "js_repl code_run",
	"update_plan todo_write",
	"spawn_agent delegate", "send_input delegate", "resume_agent delegate", "wait_agent delegate", "wait delegate",
	"close_agent delegate",
	// Hook inputs join the namespace and the name of a tool into one word.
	"collaborationspawn_agent delegate", "collaborationsend_message delegate", "collaborationfollowup_task delegate",
	"collaborationwait_agent delegate", "collaborationinterrupt_agent delegate",
	"multi_agent_v1spawn_agent delegate", "multi_agent_v1send_input delegate", "multi_agent_v1resume_agent delegate",
	"multi_agent_v1wait_agent delegate", "multi_agent_v1close_agent delegate",
	"request_user_input ask_user", "request_user_input_async ask_user", "request_permissions ask_user",
	"tool_search tool_search",
	"tool_suggest tool_search", "image_generation image_make",
	"create_goal goal", "get_goal goal", "update_goal goal",
	"list_mcp_resources mcp_resources", "list_mcp_resource_templates mcp_resources",
	"read_mcp_resource mcp_resources",
}

// toolAliases adds Claude Code's names for edits to patches, as the client's matchers do.
var toolAliases = dialect.Aliases{"apply_patch Edit Write"}
