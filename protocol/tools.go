package protocol

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
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
	c := Call{projectTools: tableNames(client)}
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
func (c *Call) NameTool(more map[string]string) {
	c.projectTools, c.moreTools = [2]string{}, nil
	if len(more) > 0 {
		c.moreTools = &more
	}
	client := c.Client()
	if client == nil || !c.Event.HasTool() {
		return
	}
	if here := more[c.Tool]; here != "" {
		c.projectTools[0] = here
	} else {
		c.projectTools = toolNames(client, c)
	}
	if c.projectTools[0] == c.Tool {
		c.projectTools = [2]string{}
	}
}

// clientToolsByLower are the tools of clients by their names in lower case.
var clientToolsByLower = sync.OnceValue(func() map[string][]string {
	byLower := map[string][]string{}
	for _, name := range ClientTools() {
		lower := strings.ToLower(name)
		byLower[lower] = append(byLower[lower], name)
	}
	return byLower
})

// NearlyCalled are the calls that this one would be if its tool had the name of a known one that is the same in lower
// case: the name as it is has no other names, and the known one may.
func (c *Call) NearlyCalled(lower string) (calls []Call) {
	var more map[string]string
	if c.moreTools != nil {
		more = *c.moreTools
	}
	names := clientToolsByLower()[lower]
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if strings.ToLower(name) == lower {
			names = append(slices.Clip(names), name)
		}
	}
	for _, name := range names {
		if name == c.Tool {
			continue
		}
		known := *c
		known.Tool = name
		known.NameTool(more)
		calls = append(calls, known)
	}
	return calls
}

func toolNames(client *Dialect, c *Call) (names [2]string) {
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

// ProjectTool is what the project calls the tool: the first of its own names for it, or the only name that there is.
func (c *Call) ProjectTool() string { return cmp.Or(c.projectTools[0], c.Tool) }

// ProjectTools are the project's own names for the tool, none where it has no others.
func (c *Call) ProjectTools() []string {
	for i, name := range c.projectTools {
		if name == "" {
			return c.projectTools[:i]
		}
	}
	return c.projectTools[:]
}
