package all

import (
	"maps"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// clientTools are the tools of clients by the names that TENEX has for such tools, and a project's hooks. A tool that does the work of
// two has two names.
var clientTools = [...]struct{ client, here, also string }{
	// Claude Code
	{"Bash", "shell", ""}, // and Codex
	{"PowerShell", "shell", ""},
	{"Read", "fs_read", ""},
	{"NotebookRead", "fs_read", ""},
	{"Write", "fs_write", ""},
	{"Edit", "fs_edit", ""},
	{"MultiEdit", "fs_edit", ""},
	{"NotebookEdit", "fs_edit", ""},
	{"Glob", "fs_glob", ""},
	{"Grep", "fs_grep", ""},
	{"LS", "fs_list", ""},
	{"WebFetch", "web_fetch", ""},
	{"WebSearch", "web_search", ""},
	{"TodoWrite", "todo_write", ""},
	{"Agent", "delegate", ""},
	{"Task", "delegate", ""},
	// Codex
	{"exec_command", "shell", ""},
	{"write_stdin", "shell", ""}, // a line for a command that runs
	{"shell_command", "shell", ""},
	{"local_shell", "shell", ""},
	{"apply_patch", "fs_edit", "fs_write"}, // it makes files, too
	{"view_image", "fs_read", ""},
	{"update_plan", "todo_write", ""},
	// Gemini CLI
	{"run_shell_command", "shell", ""},
	{"read_file", "fs_read", ""},
	{"read_many_files", "fs_read", ""},
	{"write_file", "fs_write", ""},
	{"replace", "fs_edit", ""},
	{"glob", "fs_glob", ""},
	{"grep_search", "fs_grep", ""},
	{"search_file_content", "fs_grep", ""},
	{"list_directory", "fs_list", ""},
	{"google_web_search", "web_search", ""},
	{"write_todos", "todo_write", ""},
}

// clientAliases are the names that a client's own matchers know for one of its tools besides its own: each tool, and what it answers to.
// A file that was written for one name guards under the others.
var clientAliases = [...]struct{ tool, also string }{
	{"Agent", "Task"}, // its name before, in Claude Code
	{"Task", "Agent"},
	{"apply_patch", "Edit"}, // Codex takes Claude Code's matchers for it
	{"apply_patch", "Write"},
}

// ToolAliases are the other names of a client's tool that hooks may have for it, in that client and in every .tenex-hooks.json.
func ToolAliases(tool string) (also []string) {
	for _, a := range clientAliases {
		if a.tool == tool {
			also = append(also, a.also)
		}
	}
	return also
}

// ToolNames are the project's names for a tool of any client, none where the table has no such tool.
func ToolNames(client string) []string {
	var c protocol.Call
	c.SetToolNames(tableNames(client), nil)
	return c.ProjectTools()
}

// ClientTools are all tools of clients that have names of the project's.
func ClientTools() (tools []string) {
	for _, t := range clientTools {
		tools = append(tools, t.client)
	}
	return tools
}

// KnownTools are the names of all tools that are known: the clients' and the project's for them.
func KnownTools() (tools []string) {
	for _, t := range clientTools {
		tools = append(tools, t.here)
	}
	return append(tools, ClientTools()...)
}

// NameTool finds the project's names for the tool, if the call comes from a client: what more says, a file's "tools", or else what is
// known of that client's tools.
func NameTool(c *protocol.Call, more map[string]string) {
	c.SetToolNames([2]string{}, more)
	client := ClientOf(c)
	if client == nil || !c.Event.HasTool() {
		return
	}
	names := [2]string{more[c.Tool]}
	if names[0] == "" {
		names = toolNames(client, c)
	}
	if names[0] != c.Tool {
		c.SetToolNames(names, more)
	}
}

// NearlyCalled are the calls that this one would be if its tool had the name of a known one that is the same in lower
// case: the name as it is has no other names, and the known one may.
func NearlyCalled(c *protocol.Call, lower string) (calls []protocol.Call) {
	more := c.FileTools()
	for _, name := range append(ClientTools(), slices.Sorted(maps.Keys(more))...) {
		if name == c.Tool || strings.ToLower(name) != lower {
			continue
		}
		known := *c
		known.Tool = name
		NameTool(&known, more)
		calls = append(calls, known)
	}
	return calls
}

func toolNames(client *dialect.Dialect, c *protocol.Call) (names [2]string) {
	if client.ToolName != nil {
		if names[0] = client.ToolName(c); names[0] != "" {
			return names
		}
	}
	return tableNames(c.Tool)
}

func tableNames(tool string) (names [2]string) {
	for _, t := range clientTools {
		if t.client == tool {
			return [2]string{t.here, t.also}
		}
	}
	return names
}
