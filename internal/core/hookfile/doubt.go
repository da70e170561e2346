package hookfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/glob/lint"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// doubt adds a finding about the name of a tool to the hook. Matchers are ignored at events without a tool.
func (p *parser) doubt(h *hook.Hook, at hook.Diagnostic, text string, f lint.Finding) {
	if !h.AtTools() {
		return
	}
	at.Text = text
	d := hook.ToolNameWarning{Diagnostic: at, Name: f.Glob, InCalls: f.Kind != lint.Unknown}
	d.Gate, d.Unreachable = d.InCalls, f.Kind == lint.Never
	if h.Settings != nil { // a client's own file: the client accepts such a name silently
		d.Gate, d.Unreachable, d.InCalls = false, false, false
	}
	h.ToolNameWarnings = append(h.ToolNameWarnings, d)
}

// ruleDoubt checks the tool name of an "if".
func (p *parser) ruleDoubt(h *hook.Hook, at hook.Diagnostic, who string) {
	tool := h.If.Tool()
	var f lint.Finding
	found := false
	switch client := h.Dialect.Own; {
	case h.Settings != nil:
		f, found = p.clientName(h.Dialect, tool)
	case client != nil:
		f, found = p.clientName(client, tool)
	default:
		f, found = lint.CheckName(tool, p.knownTools())
		if f.Kind == lint.Never && f.Meant != "" {
			h.IfMeant = p.parts.Rules.If(f.Meant + strings.TrimPrefix(h.If.String(), tool))
		}
	}
	if plain := withoutQuotes(h); plain != "" {
		const text = "%s\"if\" has a pattern in quotes, and hookrun compares commands and paths without theirs; " +
			"write %s"
		p.doubt(h, at, fmt.Sprintf(text, who, plain), lint.Finding{Glob: tool, Kind: lint.Never})
		h.IfMeant = p.parts.Rules.If(plain)
	}
	if found {
		p.doubt(h, at, fmt.Sprintf("%s\"if\" is for the tool %s, %s", who, quote(tool), f.Text), f)
	}
}

// withoutQuotes returns the hook's "if" without the quotes in its pattern, with which it would match nothing, or "". In
// a client's rule only quotes around the whole pattern are a mistake for sure.
func withoutQuotes(h *hook.Hook) string {
	tool, pattern, _ := strings.Cut(strings.TrimSuffix(h.If.String(), ")"), "(")
	quotes := quoted.Get()
	if h.Settings != nil || h.Dialect.Own != nil {
		quotes = quotedWhole.Get()
	}
	if !quotes.MatchString(pattern) {
		return ""
	}
	return tool + "(" + quotes.ReplaceAllString(pattern, "$1$2") + ")"
}

var (
	quoted      = lazy.Regexp{Text: `"([^"]*)"|'([^']*)'`}
	quotedWhole = lazy.Regexp{Text: `^"([^"]*)"$|^'([^']*)'$`}
)

// serverDoubts reports the names of MCP servers in a client's matcher that match no tool of the server.
func (p *parser) serverDoubts(h *hook.Hook, whole dialect.Pattern, at hook.Diagnostic, who string) {
	between := func(r rune) bool { return strings.ContainsRune("|,^$() ", r) }
	for _, name := range strings.FieldsFunc(whole.Text, between) {
		server := strings.Trim(strings.TrimPrefix(name, "mcp_"), "_")
		double, single := "mcp__"+server+"__", "mcp_"+server+"_" // clients differ
		if lint.ToolsOfServer(name) == "" || whole.Match(double+"x") || whole.Match(single+"x") {
			continue
		}
		const text = "%sthe matcher %s has %s, which names an MCP server and none of its tools; write %s, or %s if " +
			"the client calls them so"
		p.doubt(h, at, fmt.Sprintf(text, who, quote(whole.Text), quote(name), quote(double+".*"), quote(single+".*")),
			lint.Finding{Glob: name, Kind: lint.Never})
	}
}

// namesOnly are the characters of a matcher that every client reads as a list of names.
const namesOnly = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "

// patternDoubts checks each name in a client's matcher, and reports names that match no tool of the client.
// deadExpression checks regular expressions.
func (p *parser) patternDoubts(h *hook.Hook, whole dialect.Pattern, at hook.Diagnostic, who string) {
	client := h.Dialect
	if client.Own != nil {
		client = client.Own
	}
	p.serverDoubts(h, whole, at, who)
	if strings.Trim(whole.Text, namesOnly) != "" || len(p.clients.OwnTools(client)) == 0 {
		return
	}
	for _, name := range strings.FieldsFunc(whole.Text, func(r rune) bool { return r == '|' || r == ',' }) {
		name = strings.TrimSpace(name)
		f, found := p.clientName(client, name)
		if !found || lint.ToolsOfServer(name) != "" || f.Meant != "" && whole.Match(f.Meant) {
			continue
		}
		read := client.Files.Pattern(name, "tool_name") // the client may know other names, or parts of a name
		if name == "" || slices.ContainsFunc(p.clients.OwnTools(client), read.Match) {
			continue
		}
		const text = "%sthe matcher %s has %s, %s"
		p.doubt(h, at, fmt.Sprintf(text, who, quote(whole.Text), quote(name), f.Text), f)
	}
}

// clientName checks the name of a tool by the rules of a client. A tool of another client is no finding, because many
// people write one matcher for several clients.
func (p *parser) clientName(client *dialect.Dialect, name string) (f lint.Finding, found bool) {
	own := p.clients.OwnTools(client)
	if len(own) == 0 {
		return f, false
	}
	f, found = lint.CheckName(name, own)
	isOwn := slices.ContainsFunc(own, func(tool string) bool { return strings.EqualFold(tool, name) })
	return f, found && (isOwn || !slices.Contains(p.knownTools(), name))
}

// deadExpression returns a warning if the matcher is a regular expression that matches no tool known to hookrun.
func (c *Config) deadExpression(h *hook.Hook) []hook.Diagnostic {
	pattern, is := h.Matcher.(dialect.Pattern)
	own := c.Clients().OwnTools(h.Dialect)
	isExpression := is && pattern.Err == nil && (pattern.JavaScript != nil || pattern.RE2 != nil)
	atTools := func(e protocol.Event) bool { return h.Dialect.SubjectField(e) == "tool_name" }
	if !isExpression || strings.Trim(pattern.Text, namesOnly) == "" || len(own) == 0 ||
		strings.Contains(strings.ToLower(pattern.Text), "mcp") || strings.Contains(pattern.Text, "__") ||
		!slices.ContainsFunc(h.Events, atTools) {
		return nil
	}
	matches := func(name string) bool { return pattern.Match(name) }
	if slices.ContainsFunc(own, matches) || slices.ContainsFunc(c.names(hook.LocalLevel), matches) ||
		pattern.Match("mcp__server__tool") {
		return nil
	}
	const text = "hook %s: its matcher %s matches no tool that hookrun knows; if a loop has such tools, name one of " +
		`them, as "tools": {"my_tool": null}`
	return []hook.Diagnostic{h.Diagnostic(fmt.Sprintf(text, quote(h.Name), quote(pattern.Text)))}
}

// IsForKnownTools reports whether the hook is for tools of clients only, not for tools of MCP servers or of a loop.
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
	if tool := h.IfTool(); tool != "" {
		globs = append(globs, tool)
	}
	return len(h.ToolNameWarnings) == 0 && !slices.ContainsFunc(globs, func(glob string) bool {
		glob = strings.TrimSpace(glob)
		return lint.MaybeMCP(glob) || c.hasTool(glob, hook.LocalLevel)
	})
}

// Doubts returns the findings about names of tools in the hook. Findings with Unreachable are errors.
func (c *Config) Doubts(h *hook.Hook) (found []hook.Diagnostic) {
	for _, d := range h.ToolNameWarnings {
		if !c.explains(h, d) && !slices.Contains(found, d.Diagnostic) {
			found = append(found, d.Diagnostic)
		}
	}
	return append(found, c.deadExpression(h)...)
}

// doubtsInCalls returns the findings that are warnings at calls of the hook's events.
func (c *Config) doubtsInCalls(h *hook.Hook) (found []hook.Diagnostic) {
	if len(h.ToolNameWarnings) == 0 || h.Off() != "" {
		return nil
	}
	for _, d := range h.ToolNameWarnings {
		if d.InCalls && !c.explains(h, d) {
			found = append(found, d.Diagnostic)
		}
	}
	return found
}

// WarnedAt returns the warnings for a call: all but the warnings about names of tools in hooks of other events.
func (c *Config) WarnedAt(m *hook.MatchContext) []hook.Diagnostic {
	warnings := c.WarnedOfFiles()
	for i := range c.Hooks {
		if h := &c.Hooks[i]; len(h.ToolNameWarnings) > 0 && slices.Contains(h.Events, m.Event(h.Dialect)) {
			warnings = append(warnings, c.doubtsInCalls(h)...)
		}
	}
	return warnings
}

// dropMeant takes what was probably meant from a hook whose doubtful names a file explains.
func (c *Config) dropMeant(h *hook.Hook) {
	if len(h.ToolNameWarnings) == 0 || slices.ContainsFunc(h.ToolNameWarnings, func(d hook.ToolNameWarning) bool {
		return !c.explains(h, d)
	}) {
		return
	}
	if globs, is := h.Matcher.(hook.Globs); is {
		h.Matcher, _ = hook.NewGlobs(globs.String())
	}
	h.IfMeant = nil
}

// explains reports whether the "tools" of a file has the doubtful name, so the name is no mistake. For a finding in
// calls, only a file of the hook's level or of a higher level counts.
func (c *Config) explains(h *hook.Hook, d hook.ToolNameWarning) bool {
	if d.InCalls {
		return c.hasTool(d.Name, h.Level)
	}
	return c.hasTool(d.Name, hook.LocalLevel)
}
