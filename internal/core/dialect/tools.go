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
	if name == "" || !strings.Contains(string(t), name) { // quick, because each call asks all tools
		return false
	}
	names := t.Names()
	return names[0] == name || names[1] == name
}

// MCPName returns the name of an MCP tool in most clients, or "" if the server or the tool has no name.
func MCPName(server, tool string) string {
	if server == "" || tool == "" {
		return ""
	}
	return "mcp__" + server + "__" + tool
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
