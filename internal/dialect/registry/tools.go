package registry

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/lazy"
)

// tools are the tools of all clients, each name once.
var tools = lazy.Value[[]dialect.Tool]{Make: func() (tools []dialect.Tool) {
	seen := map[string]bool{}
	for _, d := range dialects() {
		for _, t := range d.Tools() {
			if name := t.Name(); !seen[name] { // clients share some
				seen[name] = true
				tools = append(tools, t)
			}
		}
	}
	return tools
}}

// ToolAliases returns the other names that hooks may use for a client's tool, in the files of this client and in every
// .tenex-hooks.json.
func ToolAliases(tool string) (also []string) {
	for _, d := range dialects() {
		also = append(also, d.ToolAliases().Of(tool)...)
	}
	return also
}

// AliasedTools returns the tools of clients that have ToolAliases, in order.
func AliasedTools() (names []string) {
	for _, d := range dialects() {
		for _, row := range d.ToolAliases() {
			name, _, _ := strings.Cut(row, " ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ToolNames returns the project's names for a tool of any client; the list is empty if no client has the tool.
func ToolNames(client string) []string {
	var c dialect.Call
	c.SetToolNames(namesOf(client), nil, nil)
	return c.ProjectTools()
}

// ClientTools returns all tools of clients that have names in projects, each once: clients share names.
func ClientTools() (names []string) {
	for _, t := range tools.Get() {
		names = append(names, t.Name())
	}
	return names
}

// IsProjectName reports whether a name is among ProjectNames.
func IsProjectName(name string) bool {
	return slices.ContainsFunc(dialects(), func(d *dialect.Dialect) bool {
		return slices.ContainsFunc(d.Tools(), func(t dialect.Tool) bool { return t.IsCalled(name) })
	})
}

// ProjectNames returns the project's names for the tools of clients.
func ProjectNames() (names []string) {
	for _, t := range tools.Get() {
		for _, name := range t.Names() {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// KnownTools returns the names of all known tools: the clients' names and the project's. A client's name is left out if
// it differs from a project's name only by case: in a project's file such a name is mostly a slip, and would match in
// this client alone.
func KnownTools() (names []string) {
	known := map[string]bool{}
	add := func(name string) {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	for _, t := range tools.Get() {
		add(t.Names()[0])
	}
	for _, t := range tools.Get() {
		if name := t.Name(); !known[strings.ToLower(name)] {
			add(name)
		}
	}
	return names
}

// NameTool sets the project's names for the tool: from "tools" in files, or else from the tools of the client that sent
// the call. For a tool of a project's own loop, only files have names.
func NameTool(c *dialect.Call, files *dialect.FileTools) {
	c.SetToolNames([2]string{}, nil, files)
	if !dialect.HasTool(c.Event) {
		return
	}
	names := [2]string{files.Name(c.Tool)}
	var guessed []string
	from := ""
	if client := ClientOf(c); names[0] == "" && client != nil {
		names, guessed, from = toolNames(client, c)
	}
	if names[0] == c.Tool {
		names = [2]string{}
	}
	c.SetToolNames(names, files.Added(c.Tool), files)
	if !files.Has(c.Tool) {
		c.SetMCPNames(guessed, from)
	}
}

// CaseVariants returns variants of the call, one for each known tool that has the same name in lower case: the name as
// written has no other names, and the known name may have some. If the call's client has a tool of the written name,
// the tool is meant, and CaseVariants returns nil.
func CaseVariants(c *dialect.Call, lower string) (calls []dialect.Call) {
	if client := ClientOf(c); client != nil {
		if _, has := client.ToolNamed(c.Tool); has {
			return nil
		}
	}
	files := c.FileTools()
	for _, name := range append(ClientTools(), files.Tools()...) {
		if name == c.Tool || strings.ToLower(name) != lower {
			continue
		}
		known := *c
		known.Tool = name
		NameTool(&known, files)
		calls = append(calls, known)
	}
	return calls
}

// toolNames returns the names from the tables and the client. For a tool that may be an MCP server's, see
// dialect.Call.SetMCPNames.
func toolNames(client *dialect.Dialect, c *dialect.Call) (names [2]string, guessed []string, from string) {
	form, tool := client.Client.MCP, c.Tool
	if name := client.Client.ToolName; name != nil {
		names[0] = name(c)
	}
	if names[0] != "" {
		if form == "" || strings.Contains(string(form), "SERVER") {
			return names, nil, ""
		}
		tool = form.Name(names[0])
	} else if t, has := client.ToolNamed(c.Tool); has {
		return t.Names(), nil, ""
	}
	listed, guessed, from := mcpNames(client, c, tool)
	if names[0] == "" {
		names = namesOf(c.Tool)
	}
	if names[0] != "" {
		return names, listed, ""
	}
	return names, append(guessed, listed[copy(names[:], listed):]...), from
}

// mcpNames returns the project's names for a tool whose name has the client's form for MCP tools: listed with a server
// that the input or a file of the client has. A client has more servers than files say, so others are guessed.
func mcpNames(client *dialect.Dialect, c *dialect.Call, tool string) (listed, guessed []string, from string) {
	if !client.Client.MCP.Fits(tool) || client.Install == nil {
		return nil, nil, ""
	}
	given := gjson.Get(c.ClientInput, "mcp_servers")
	servers := dialect.Texts(given)
	if one := c.Field("mcp_context.server_name"); one != "" {
		servers = append(servers, one)
	}
	if given.IsArray() || len(servers) > 0 {
		listed, _ = client.Client.MCP.Names(tool, servers)
		return listed, nil, "the hook input"
	}
	home, _ := os.UserHomeDir()
	where := dialect.Where{Workspace: c.Workspace, Home: home, Getenv: os.Getenv}
	for _, f := range client.Install.Servers(where, func(string) string { return "" }) {
		doc, _, _ := regular.Read(f.Path, 4<<20)
		for _, s := range f.Read(strings.TrimPrefix(string(doc), "\ufeff")) {
			fits, _ := client.Client.MCP.Names(tool, []string{s.Name})
			if len(fits) > 0 && !slices.Contains(servers, s.Name) {
				servers, from = append(servers, s.Name), cmp.Or(from, f.Path)
			}
		}
	}
	listed, guessed = client.Client.MCP.Names(tool, servers)
	return listed, guessed, from
}

// namesOf searches client after client, because an index of all tools takes longer to build than a call.
func namesOf(tool string) (names [2]string) {
	for _, d := range dialects() {
		if t, has := d.ToolNamed(tool); has {
			return t.Names()
		}
	}
	return names
}

// AtToolEvent returns the call at the event of a dialect for the call's tool, if the dialect has ToolEvents.
func AtToolEvent(d *dialect.Dialect, c *dialect.Call) *dialect.Call {
	events, ok := d.ClientHooks().(dialect.ToolEvents)
	if !ok {
		return c
	}
	at := *c
	at.Event = events.ToolEvent(c, ToolNames(c.Tool))
	return &at
}
