package dialect

import "strings"

// Tool is a client's tool, and the project's one or two names for such tools: "Bash shell". A tool that does the work
// of two has two names.
type Tool string

// Name is the client's name of the tool.
func (t Tool) Name() string {
	name, _, _ := strings.Cut(string(t), " ")
	return name
}

// Names are the project's.
func (t Tool) Names() (names [2]string) {
	_, rest, _ := strings.Cut(string(t), " ")
	names[0], names[1], _ = strings.Cut(rest, " ")
	return names
}

// IsCalled reports whether it is one of Names.
func (t Tool) IsCalled(name string) bool {
	names := t.Names()
	return name != "" && (names[0] == name || names[1] == name)
}

// ToolNamed finds a tool by the client's name. Of equal names the first counts.
func (d *Dialect) ToolNamed(name string) (t Tool, has bool) {
	for _, t := range d.Tools() {
		if len(t) > len(name) && t[len(name)] == ' ' && t.Name() == name {
			return t, true
		}
	}
	return "", false
}

// MCPName is the name of an MCP tool as most clients write it, "" if the server or the tool has no name.
func MCPName(server, tool string) string {
	if server == "" || tool == "" {
		return ""
	}
	return "mcp__" + server + "__" + tool
}

// ToolAliases are the names that the client's matchers know for its tools besides their own, none if no client calls
// hookrun.
func (d *Dialect) ToolAliases() Aliases {
	if d.Client == nil {
		return nil
	}
	return d.Client.ToolAliases
}

// Tools are the client's tools by the names that projects have for them, none if no client calls hookrun.
func (d *Dialect) Tools() []Tool {
	if d.Client == nil {
		return nil
	}
	return d.Client.Tools
}
