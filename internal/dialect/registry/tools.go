package registry

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazy"
)

// tools are those of all clients, each once.
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

// ToolAliases are the other names of a client's tool that hooks may have for it, in that client and in every
// .tenex-hooks.json.
func ToolAliases(tool string) (also []string) {
	for _, d := range dialects() {
		also = append(also, d.ToolAliases().Of(tool)...)
	}
	return also
}

// AliasedTools are the tools of clients that have ToolAliases, in order.
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

// ToolNames are the project's names for a tool of any client, none where no client has such a tool.
func ToolNames(client string) []string {
	var c dialect.Call
	c.SetToolNames(namesOf(client), nil, nil)
	return c.ProjectTools()
}

// ClientTools are all tools of clients that have names of the project's, each once: clients share names.
func ClientTools() (names []string) {
	for _, t := range tools.Get() {
		names = append(names, t.Name())
	}
	return names
}

// IsProjectName reports whether it is one of ProjectNames.
func IsProjectName(name string) bool {
	return slices.ContainsFunc(dialects(), func(d *dialect.Dialect) bool {
		return slices.ContainsFunc(d.Tools(), func(t dialect.Tool) bool { return t.IsCalled(name) })
	})
}

// ProjectNames are the names that projects have for tools of clients.
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

// KnownTools are the names of all tools that are known: the clients' and the project's for them. A client's name that
// differs from a project's by case alone is not among them: in a project's file it is mostly a slip, and would match in
// that client alone.
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

// NameTool finds the project's names for the tool: what the "tools" of files say, or else what is known of the tools of
// the client that the call comes from. Of a loop's own tools nothing is known.
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

// NearlyCalled are the calls that this one would be if its tool had the name of a known one that is the same in lower
// case: the name as it is has no other names, and the known one may. A tool that the call's client has is meant as it
// is.
func NearlyCalled(c *dialect.Call, lower string) (calls []dialect.Call) {
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

// namesOf looks into one client after the other, since an index of all tools takes longer to make than a call.
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
