package claude

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"Bash shell", "PowerShell shell", "Monitor shell", // Monitor runs any command line and reports the output
	"Read fs_read", "NotebookRead fs_read",
	"Write fs_write",
	"Edit fs_edit", "MultiEdit fs_edit", "NotebookEdit fs_edit",
	"Glob fs_glob", "Grep fs_grep", "LS fs_list",
	"WebFetch web_fetch", "WebSearch web_search",
	"TodoWrite todo_write",
	"Agent delegate", "Task delegate", "SendMessage delegate", "TeamCreate delegate", "TeamDelete delegate",
	"Workflow delegate",
	"TaskCreate todo_write", "TaskUpdate todo_write", "TaskGet todo_read", "TaskList todo_read",
	"BashOutput shell_output", "TaskOutput shell_output",
	"KillShell shell_stop", "KillBash shell_stop", "TaskStop shell_stop",
	"AskUserQuestion ask_user", "EnterPlanMode plan", "ExitPlanMode plan",
	"Skill skill", "SlashCommand skill", "ToolSearch tool_search", "LSP code_search",
	"EnterWorktree worktree", "ExitWorktree worktree",
	"CronCreate schedule", "CronDelete schedule", "CronList schedule",
	"ScheduleWakeup schedule",
	"ListMcpResourcesTool mcp_resources", "ReadMcpResourceTool mcp_resources",
}

// toolAliases has both names of one tool: Agent was once called Task.
var toolAliases = dialect.Aliases{"Agent Task", "Task Agent"}

// toolName returns the project's name for a Monitor that reads a socket, {"ws": {"url": …}}, and runs no command.
func toolName(c *dialect.Call) string {
	if args := gjson.Parse(c.Args); c.Tool == "Monitor" && args.Get("ws").IsObject() && !args.Get("command").Exists() {
		return "shell_output"
	}
	return ""
}
