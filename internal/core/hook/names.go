package hook

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// projectNames returns further names of the call's tool in a project's own hooks files: names from the tables, and
// names that follow from the tool's input.
func projectNames(c *dialect.Call) []string {
	known, names := knownNames(c), c.ProjectTools()
	add := func(more ...string) {
		for _, name := range more {
			if name != c.Tool && !slices.Contains(names, name) {
				names = append(slices.Clip(names), name)
			}
		}
	}
	add(c.Known().Aliases...)
	add(c.AddedTools()...)
	guessed, _ := c.MCPNames()
	add(guessed...)
	if !c.IsAboutTool() {
		return names
	}
	if _, looksLikeShell := shellByInput(c, known); looksLikeShell {
		add(ShellTool)
	}
	if isPatch(c, known) {
		add(patchTools(c)...)
	}
	return names
}

const ShellTool = "shell"

// ShellByInput reports whether the call's tool is unknown but has a command in its input, and under which key.
func ShellByInput(c *dialect.Call) (key string, ok bool) {
	if !c.IsAboutTool() {
		return "", false
	}
	return shellByInput(c, knownNames(c))
}

// shellByInput is ShellByInput for a call of a tool with these names.
func shellByInput(c *dialect.Call, known []string) (key string, ok bool) {
	if len(known) > 0 || c.FileTools.Has(c.Tool) {
		return "", false
	}
	args, err := c.InputText()
	if err != nil {
		return "", false
	}
	if c.Reader == nil { // in doubt a shell
		return "args", args != "{}"
	}
	return c.Reader.HasCommand(args)
}

// isPatch reports whether the input of a tool with these names is a patch, runs apply_patch in a shell line, or has a
// line that hookrun cannot read.
func isPatch(c *dialect.Call, names []string) bool {
	if !strings.ContainsAny(c.Args, `*\[`) && !strings.Contains(c.Args, "apply") &&
		strings.Count(c.Args, "{") < 2 {
		return false
	}
	if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return name == ShellTool || slices.Contains(patchTools(c), name)
	}) {
		return false
	}
	args, err := c.InputText()
	return err == nil && (c.Reader == nil || c.Reader.HasPatch(names, args, c.Wrappers))
}

// patchTools are further names of a tool whose input is a patch.
func patchTools(c *dialect.Call) []string {
	if c.Reader == nil {
		return []string{"fs_edit", "fs_write"}
	}
	return c.Reader.PatchTools()
}

// knownNames returns the project's names for the tool from the tables of all clients.
func knownNames(c *dialect.Call) []string {
	if names := c.ProjectTools(); len(names) > 0 {
		if strings.HasPrefix(names[0], dialect.MCPPrefix) { // of any kind
			return nil
		}
		return names
	}
	if len(c.Kinds) > 0 {
		return c.Kinds
	}
	if !c.FileTools.Has(c.Tool) {
		if names := c.KnownNames(); len(names) > 0 {
			return names
		}
	}
	if c.Known().IsProjects {
		return []string{c.Tool}
	}
	return nil
}

// byArguments returns the context of the call as that of an unknown tool, if the hook needs it. A loop may use a
// client's name for a tool of another kind, so a rule meets calls of its kind, and calls with such arguments. If the
// arguments fit the kind, only an if for files needs it, and not to ask whether a tool that reads may write.
func (m *MatchContext) byArguments(h *Hook) *MatchContext {
	if len(m.call.Kinds) == 0 || !h.Dialect.HasProjectRules() {
		return nil
	}
	if m.other == nil {
		unknown := *m.call
		unknown.Tool += " (by its arguments)"
		unknown.Kinds = nil
		unknown.SetToolNames([2]string{}, nil, m.call.FileTools)
		unknown.SetTables(m.call.Clients(), dialect.KnownTool{})
		m.other, m.fits = NewMatchContext(&unknown), fitsKinds(m.call)
	}
	if name := h.IfTool(); m.fits && (!m.isFileTool(name) || !m.call.Reader.IsFileTool(m.call.Kinds) ||
		isWriter(m.call, name) != hasWriter(m.call)) {
		return nil
	}
	return m.other
}

// fitsKinds reports whether the arguments of a call show no more than tools of its kinds have.
func fitsKinds(c *dialect.Call) bool {
	args, err := c.InputText()
	command, file, text := true, true, true
	if c.Reader != nil {
		command, file, text = c.Reader.Shows(args)
	}
	isShell, isFile := err == nil, err == nil
	for _, name := range c.Kinds {
		isShell = isShell && name == ShellTool
		isFile = isFile && strings.HasPrefix(name, "fs_")
	}
	return isShell && !file && !text || isFile && dialect.EditorTool(c) != "" ||
		isFile && c.KindsExact && !command && (!text || hasWriter(c))
}

// hasWriter reports whether one of the call's Kinds is that of a tool that changes files.
func hasWriter(c *dialect.Call) bool {
	return slices.ContainsFunc(c.Kinds, func(name string) bool { return isWriter(c, name) })
}

// isWriter reports whether a name in a rule is that of a tool that changes files, in projects or in a client.
func isWriter(c *dialect.Call, name string) bool {
	return slices.ContainsFunc(append(c.Clients().ToolNames(name), name), func(name string) bool {
		return name == "fs_write" || name == "fs_edit"
	})
}

// isKnownTool reports whether the call's tool has a name that hookrun or a file knows.
func (m *MatchContext) isKnownTool() bool {
	return m.call.FileTools.Has(m.call.Tool) || slices.Contains(m.call.Clients().KnownTools(), m.call.Tool)
}

// isNearIf reports whether the tool in an if differs from a known tool of the call only by case or blanks, so that the
// if is for it. If the call's tool is not known, isNearIf warns.
func (m *MatchContext) isNearIf(h *Hook, names []string) bool {
	if !h.Dialect.HasProjectRules() || !m.call.IsAboutTool() {
		return false
	}
	tool := h.If.Tool()
	if tool == m.call.Tool || slices.Contains(names, tool) {
		return false
	}
	lower := strings.ToLower(tool)
	is := func(name string) bool { return strings.ToLower(name) == lower }
	if lower != m.lowerTool() && !slices.ContainsFunc(names, is) {
		return false
	}
	if m.isKnownTool() {
		return true
	}
	m.warn("hook %s: its if %s is not for the tool %s, which "+differs,
		spelling.Quote(h.Name), spelling.Quote(h.If.String()), spelling.Quote(m.call.Tool))
	return false
}

// MatchingTools returns the tools of a client that the hook's matcher and if are for, by their names in the hook's
// dialect. every: the hook has neither, so it is for every tool.
func (h *Hook) MatchingTools(theirs []dialect.Tool, clients dialect.Clients) (tools []string, every bool) {
	if (h.Matcher == nil || h.Matcher.String() == "") && h.If == nil {
		return nil, true
	}
	for _, t := range theirs {
		call := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: t.Name()})
		clients.NameTool(call, h.Tools)
		call.Kinds = nil
		names := t.Names()
		if given := h.Tools.Name(t.Name()); given != "" {
			names = [2]string{given}
		}
		if names[0] == t.Name() {
			names = [2]string{}
		}
		call.SetToolNames(names, h.Tools.Added(t.Name()), h.Tools)
		here := []string{t.Name()}
		switch d := h.Dialect; {
		case d.HasProjectRules():
			here = append(here, projectNames(call)...)
		case d.Own != nil:
			here = append(here, d.ToolNames(call)...)
		}
		matched := h.Matcher == nil || slices.ContainsFunc(here, h.Matcher.Match)
		isIn := func(tool string) bool { return slices.Contains(here, tool) }
		if globs, is := h.Matcher.(Globs); is && h.Dialect.HasProjectRules() {
			matched = matched || globs.nearlyMatches(strings.ToLower(t.Name()))
			isIn = func(tool string) bool { return slices.Contains(here, tool) || strings.EqualFold(tool, t.Name()) }
		}
		if matched && (h.If == nil || isIn(h.If.Tool()) || isIn(toolOf(h.IfMeant))) {
			tools = append(tools, t.Name())
		}
	}
	return tools, false
}
