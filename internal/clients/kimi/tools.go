package kimi

import "github.com/hookrun/hookrun/internal/core/dialect"

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"Bash shell",
	"Read fs_read", "Write fs_write", "Edit fs_edit",
	"Glob fs_glob", "Grep fs_grep",
	"FetchURL web_fetch",
	"TodoList todo_write",
	"Agent delegate", "AgentSwarm delegate",
	"TaskOutput shell_output", "TaskList shell_output", "WaitFor shell_output", "TaskStop shell_stop",
	"AskUserQuestion ask_user", "EnterPlanMode plan", "ExitPlanMode plan", "Skill skill",
	"CronCreate schedule", "CronDelete schedule", "CronList schedule",
	"CreateGoal goal", "GetGoal goal", "SetGoalBudget goal", "UpdateGoal goal",
}
