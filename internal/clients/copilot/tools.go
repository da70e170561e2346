package copilot

import (
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	"bash shell", "powershell shell", "write_bash shell", "write_powershell shell",
	"view fs_read",
	"create fs_write",
	"edit fs_edit", "str_replace_editor fs_edit", // hooks see apply_patch as Edit, with the patch as input
	"glob fs_glob", "grep fs_grep", "rg fs_grep",
	"web_fetch web_fetch", "web_search web_search",
	"task delegate", "write_agent delegate", "read_agent delegate",
	"read_bash shell_output", "list_bash shell_output", "stop_bash shell_stop", "skill skill",
}

// claudeNames has Claude Code's names for some tools, as used in inputs at events in Claude Code's spelling.
var claudeNames = [][2]string{{"bash", "Bash"}, {"view", "Read"}, {"create", "Write"}, {"edit", "Edit"},
	{"grep", "Grep"}, {"glob", "Glob"}, {"task", "Agent"}, {"task", "Task"}}

// runtimeName returns the client's own name for a tool.
func runtimeName(tool string) string {
	if at := slices.IndexFunc(claudeNames, func(n [2]string) bool { return n[1] == tool }); at >= 0 {
		return claudeNames[at][0]
	}
	return tool
}

// claudeName returns Claude Code's name for a tool, or the tool's own name.
func claudeName(tool string) string {
	if at := slices.IndexFunc(claudeNames, func(n [2]string) bool { return n[0] == runtimeName(tool) }); at >= 0 {
		return claudeNames[at][1]
	}
	return tool
}

// allNames returns the names of a tool in inputs and matchers.
func allNames(tool string) []string {
	all := []string{runtimeName(tool)}
	for _, n := range claudeNames {
		if n[0] == all[0] {
			all = append(all, n[1])
		}
	}
	return all
}
