package dialect

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Tool is a client's tool, followed by the project's one or two names for such tools: "Bash shell". A tool that does
// the work of two tools has two names.
type Tool string

// Name returns the client's name of the tool.
func (t Tool) Name() string {
	name, _, _ := strings.Cut(string(t), " ")
	return name
}

// Names returns the project's names.
func (t Tool) Names() (names [2]string) {
	_, rest, _ := strings.Cut(string(t), " ")
	names[0], names[1], _ = strings.Cut(rest, " ")
	return names
}

// IsCalled reports whether name is one of Names.
func (t Tool) IsCalled(name string) bool {
	names := t.Names()
	return name != "" && (names[0] == name || names[1] == name)
}

// ToolNamed returns the first tool with the client's name.
func (d *Dialect) ToolNamed(name string) (t Tool, has bool) {
	for _, t := range d.Tools() {
		if len(t) > len(name) && t[len(name)] == ' ' && t.Name() == name {
			return t, true
		}
	}
	return "", false
}

// MCPName returns the name of an MCP tool in most clients, or "" if the server or the tool has no name.
func MCPName(server, tool string) string {
	if server == "" || tool == "" {
		return ""
	}
	return "mcp__" + server + "__" + tool
}

// ToolAliases returns the alternative tool names in the client's matchers, or nil.
func (d *Dialect) ToolAliases() Aliases {
	if a, ok := d.Hooks.(Aliaser); ok && d.Client != nil {
		return a.ToolAliases()
	}
	return nil
}

// Tools returns the client's tools with the projects' names, or nil if no client calls hookrun.
func (d *Dialect) Tools() []Tool {
	if d.Client == nil {
		return nil
	}
	return d.Client.Tools
}

// EditorTool returns the project's name for a call of an editor whose "command" is a word for what to do, or "".
func EditorTool(c *Call) string {
	if strings.Contains(c.Tool, "editor") || strings.Contains(c.Tool, "edit_tool") {
		switch gjson.Get(c.Args, "command").String() {
		case "view":
			return "fs_read"
		case "create":
			return "fs_write"
		case "str_replace", "insert", "undo_edit":
			return "fs_edit"
		}
	}
	return ""
}
