package hook

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/glob"
)

// Matcher matches the name of a tool, or another field of the event. A nil Matcher matches everything, so a gate
// without a matcher guards everything.
type Matcher interface {
	Match(subject string) bool
	String() string // as in the file
}

// Globs is the matcher of `.tenex-hooks.json`: the tools that a hook is for. It is a list of globs separated by |;
// blanks around a glob do not count. A glob must match the whole name, case-sensitively: * is any text, / included, ?
// one character, [abc] and [a-z] one character of the set, [!abc] one character outside of it. An unclosed [ and a
// backslash are literal. The syntax is Python's fnmatch, which MassGen's matchers use. The zero Globs match every tool.
type Globs struct {
	text   string
	globs  glob.List
	folded glob.List // globs in lower case
	mcp    []string  // the globs for mcp__SERVER__TOOL, as dialect.PlainMCP
}

// NewGlobs parses a matcher. "" matches every tool. ok is false for a text without any glob, such as "|", because a
// gate for no tool is a mistake.
func NewGlobs(text string) (m Globs, ok bool) {
	if text == "" {
		return Globs{}, true
	}
	m = Globs{text: text, globs: glob.NewList(text), folded: glob.NewList(strings.ToLower(text))}
	for part := range strings.SplitSeq(text, "|") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, dialect.MCPPrefix) {
			m.mcp = append(m.mcp, dialect.PlainMCP(part))
			rest := part[len(dialect.MCPPrefix):]
			for at := range rest { // clients write one _ for several in a server's name
				server, tool := rest[:at], rest[at:]
				if strings.HasPrefix(tool, "__") && strings.Contains(server, "__") {
					server = strings.ReplaceAll(server, "__", "_")
					m.mcp = append(m.mcp, dialect.PlainMCP(dialect.MCPPrefix+server+tool))
				}
			}
		}
	}
	return m, len(m.globs) > 0
}

// matchesMCP is Match for the name of an MCP tool, of which clients replace characters and the end. clients is the
// client's own name.
func (m Globs) matchesMCP(name, clients string) bool {
	if len(m.mcp) == 0 || !strings.HasPrefix(name, dialect.MCPPrefix) {
		return false
	}
	rest, cut := dialect.UnhashedMCP(name, clients)
	plain, rest := dialect.PlainMCP(name), dialect.PlainMCP(rest)
	inPlugin := dialect.PluginMCP(plain)
	return slices.ContainsFunc(m.mcp, func(text string) bool {
		of := glob.New(text)
		if of.Match(plain) || !cut && of.Match(rest) || slices.ContainsFunc(inPlugin, of.Match) {
			return true
		}
		for i := len(dialect.MCPPrefix) + 1; cut && i <= len(text); i++ { // may match a name with this beginning
			if glob.New(text[:i]).Match(rest) {
				return true
			}
		}
		return false
	})
}

// MCPServers returns the servers of mcp__SERVER__TOOL in the hook's matcher and if, but none that is any server.
func (h *Hook) MCPServers() (servers []string) {
	globs, is := h.Matcher.(Globs)
	if !h.Dialect.HasProjectRules() || h.Off() != "" || (!is || len(globs.mcp) == 0) && !strings.HasPrefix(h.IfTool(),
		dialect.MCPPrefix) {
		return nil
	}
	for _, name := range append(strings.Split(globs.text, "|"), h.IfTool()) {
		rest, isMCP := strings.CutPrefix(strings.TrimSpace(name), dialect.MCPPrefix)
		if server, _, _ := strings.Cut(rest, "__"); isMCP && strings.Trim(server, "*?") != "" {
			servers = append(servers, server)
		}
	}
	return servers
}

func (m Globs) String() string { return m.text }

// Match reports whether the hook is for the tool.
func (m Globs) Match(tool string) bool {
	return len(m.globs) == 0 || m.globs.Match(tool)
}

// Also returns the matcher, for the tools of more globs too: those that the author of the text probably meant.
func (m Globs) Also(more string) Globs {
	m.globs = append(slices.Clip(m.globs), glob.NewList(more)...)
	m.folded = append(slices.Clip(m.folded), glob.NewList(strings.ToLower(more))...)
	return m
}

// nearlyMatches is Match without regard to case. lower is the tool's name in lower case.
func (m Globs) nearlyMatches(lower string) bool { return m.folded.Match(lower) }
