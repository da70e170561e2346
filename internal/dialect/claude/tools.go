package claude

import "github.com/hookrun/hookrun/internal/dialect"

// tools are the client's tools by the names that projects have for such tools.
var tools = dialect.Tools(
	"Bash shell", "PowerShell shell",
	"Read fs_read", "NotebookRead fs_read",
	"Write fs_write",
	"Edit fs_edit", "MultiEdit fs_edit", "NotebookEdit fs_edit",
	"Glob fs_glob", "Grep fs_grep", "LS fs_list",
	"WebFetch web_fetch", "WebSearch web_search",
	"TodoWrite todo_write",
	"Agent delegate", "Task delegate",
)

// toolAliases: Agent was called Task before.
var toolAliases = map[string][]string{"Agent": {"Task"}, "Task": {"Agent"}}
