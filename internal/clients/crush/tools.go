package crush

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name. The name of an MCP tool, mcp_SERVER_TOOL, does not show
// where the server's name ends.
var tools = []dialect.Tool{
	"bash shell",
	"view fs_read",
	"write fs_write", "edit fs_edit", "multiedit fs_edit",
	"lsp_rename fs_edit", "lsp_replace_symbol fs_edit",
	"glob fs_glob", "grep fs_grep", "ls fs_list",
	"fetch web_fetch", "agentic_fetch delegate web_fetch", "download web_fetch fs_write", "sourcegraph web_search",
	"todos todo_write",
	"agent delegate",
	"job_output shell_output", "job_kill shell_stop", "question ask_user",
	"list_mcp_resources mcp_resources", "read_mcp_resource mcp_resources",
}
