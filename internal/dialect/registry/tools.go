package registry

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
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
	if client := ClientOf(c); names[0] == "" && client != nil {
		names = toolNames(client, c)
	}
	if names[0] == c.Tool {
		names = [2]string{}
	}
	c.SetToolNames(names, files.Added(c.Tool), files)
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

func toolNames(client *dialect.Dialect, c *dialect.Call) (names [2]string) {
	if name := client.Client.ToolName; name != nil {
		if names[0] = name(c); names[0] != "" {
			return names
		}
	}
	if t, has := client.ToolNamed(c.Tool); has {
		return t.Names()
	}
	return namesOf(c.Tool)
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
