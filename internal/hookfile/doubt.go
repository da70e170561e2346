package hookfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/glob/lint"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/protocol"
)

// doubt adds a finding about a name to the hook. Matchers are ignored at events without a tool.
func (p *parser) doubt(h *hook.Hook, at hook.Diagnostic, text string, f lint.Finding) {
	if !h.AtTools() {
		return
	}
	at.Text = text
	d := hook.Doubt{Diagnostic: at, Name: f.Glob, InCalls: f.Kind != lint.Unknown}
	d.Gate, d.Unreachable = d.InCalls, f.Kind == lint.Never
	if h.Settings != nil { // the file is the client's, which says nothing of such a name
		d.Gate, d.Unreachable, d.InCalls = false, false, false
	}
	h.Doubts = append(h.Doubts, d)
}

// ruleDoubt looks at the tool of an "if".
func (p *parser) ruleDoubt(h *hook.Hook, at hook.Diagnostic, who string) {
	tool := h.If.Tool()
	var f lint.Finding
	odd := false
	switch client := h.Dialect.Own; {
	case h.Settings != nil:
		f, odd = p.clientName(h.Dialect, tool)
	case client != nil:
		f, odd = p.clientName(client, tool)
	default:
		f, odd = lint.CheckName(tool, p.knownTools())
	}
	if odd {
		p.doubt(h, at, fmt.Sprintf("%s\"if\" is for the tool %s, %s", who, quote(tool), f.Text), f)
	}
}

// namesOnly are the characters of a matcher that is a list of names to every client.
const namesOnly = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "

// patternDoubts looks at the names in a client's matcher, each by itself: a name that matches no tool of the client. An
// expression is looked at by deadExpression.
func (p *parser) patternDoubts(h *hook.Hook, whole dialect.Pattern, at hook.Diagnostic, who string) {
	client := h.Dialect
	if client.Own != nil {
		client = client.Own
	}
	if strings.Trim(whole.Text, namesOnly) != "" || len(client.Tools()) == 0 {
		return
	}
	for _, name := range strings.FieldsFunc(whole.Text, func(r rune) bool { return r == '|' || r == ',' }) {
		name = strings.TrimSpace(name)
		f, odd := p.clientName(client, name)
		if !odd || f.Meant != "" && whole.Match(f.Meant) {
			continue
		}
		read := client.Files.Pattern(name, "tool_name") // a client may know other names, or parts of a name
		if name == "" || slices.ContainsFunc(ownTools(client), read.Match) {
			continue
		}
		const text = "%sthe matcher %s has %s, %s"
		p.doubt(h, at, fmt.Sprintf(text, who, quote(whole.Text), quote(name), f.Text), f)
	}
}

// clientName returns what is odd about the name of a tool where the rules of a client hold. Many write matchers for
// several clients, so the tools of others are none of it.
func (p *parser) clientName(client *dialect.Dialect, name string) (f lint.Finding, odd bool) {
	own := ownTools(client)
	if len(own) == 0 {
		return f, false
	}
	f, odd = lint.CheckName(name, own)
	isOwn := slices.ContainsFunc(own, func(tool string) bool { return strings.EqualFold(tool, name) })
	return f, odd && (isOwn || !slices.Contains(p.knownTools(), name))
}

// ownTools are the names that a client's rules have for its tools.
func ownTools(client *dialect.Dialect) (names []string) {
	for _, t := range client.Tools() {
		names = append(append(names, t.Name()), client.ToolAliases().Of(t.Name())...)
	}
	return names
}

// deadExpression warns of a matcher that is an expression and matches no tool that hookrun knows.
func deadExpression(h *hook.Hook, known []string) []hook.Diagnostic {
	pattern, is := h.Matcher.(dialect.Pattern)
	isExpression := is && pattern.Err == nil && (pattern.JavaScript != nil || pattern.RE2 != nil)
	atTools := func(e protocol.Event) bool { return h.Dialect.SubjectField(e) == "tool_name" }
	if !isExpression || strings.Trim(pattern.Text, namesOnly) == "" || len(h.Dialect.Tools()) == 0 ||
		strings.Contains(strings.ToLower(pattern.Text), "mcp") || strings.Contains(pattern.Text, "__") ||
		!slices.ContainsFunc(h.Events, atTools) {
		return nil
	}
	matches := func(name string) bool { return pattern.Match(name) }
	if slices.ContainsFunc(ownTools(h.Dialect), matches) || slices.ContainsFunc(known, matches) ||
		pattern.Match("mcp__server__tool") {
		return nil
	}
	const text = "hook %s: its matcher %s matches no tool that hookrun knows; if a loop has such tools, name one of " +
		`them, as "tools": {"my_tool": null}`
	return []hook.Diagnostic{h.Diagnostic(fmt.Sprintf(text, quote(h.Name), quote(pattern.Text)))}
}

// IsForKnownTools reports whether a hook of the Config is for tools that clients have and for no others: neither for
// those of MCP servers nor for those of a loop.
func (c *Config) IsForKnownTools(h *hook.Hook) bool {
	globs := []string{}
	switch m := h.Matcher.(type) {
	case hook.Globs:
		globs = strings.Split(m.String(), "|")
	case dialect.Pattern:
		if m.Match("mcp__server__tool") || slices.ContainsFunc(c.names(hook.LocalLevel), m.Match) || m.Text == "" {
			return false
		}
	}
	if tool := h.If.Tool(); tool != "" {
		globs = append(globs, tool)
	}
	return len(h.Doubts) == 0 && !slices.ContainsFunc(globs, func(glob string) bool {
		glob = strings.TrimSpace(glob)
		return lint.MaybeMCP(glob) || c.hasTool(glob, hook.LocalLevel)
	})
}

// Doubts are what is odd about the names of tools in a hook of the Config. Those that are Unreachable are errors.
func (c *Config) Doubts(h *hook.Hook) (found []hook.Diagnostic) {
	for _, d := range h.Doubts {
		if !c.explains(h, d) && !slices.Contains(found, d.Diagnostic) {
			found = append(found, d.Diagnostic)
		}
	}
	return append(found, deadExpression(h, c.names(hook.LocalLevel))...)
}

// doubtsInCalls are those that calls at the hook's events have.
func (c *Config) doubtsInCalls(h *hook.Hook) (found []hook.Diagnostic) {
	if len(h.Doubts) == 0 || h.Off() != "" {
		return nil
	}
	for _, d := range h.Doubts {
		if d.InCalls && !c.explains(h, d) {
			found = append(found, d.Diagnostic)
		}
	}
	return found
}

// WarnedAt are the warnings that belong to a call: all but those about names of tools in hooks of other events.
func (c *Config) WarnedAt(m *hook.MatchContext) []hook.Diagnostic {
	warnings := c.WarnedOfFiles()
	for i := range c.Hooks {
		if h := &c.Hooks[i]; len(h.Doubts) > 0 && slices.Contains(h.Events, m.Event(h.Dialect)) {
			warnings = append(warnings, c.doubtsInCalls(h)...)
		}
	}
	return warnings
}

// explains reports whether the "tools" of a file has the name that is odd. That a slip is none, only a file of the
// hook's level or of a higher one can say.
func (c *Config) explains(h *hook.Hook, d hook.Doubt) bool {
	if d.InCalls {
		return c.hasTool(d.Name, h.Level)
	}
	return c.hasTool(d.Name, hook.LocalLevel)
}
