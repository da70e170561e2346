package registry

import (
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// EntryDialect returns the dialect of entries of .tenex-hooks.json that keep the rules of a client: one per client.
func (s *Set) EntryDialect(client *dialect.Dialect) *dialect.Dialect {
	entry, ok := inFile.Load(client)
	if !ok {
		see := func(c *dialect.Call) *dialect.Call { return s.withClientTool(client, c) }
		entry, _ = inFile.LoadOrStore(client, client.ForProjectFile(tenex.Dialect, see))
	}
	return entry.(*dialect.Dialect)
}

var inFile sync.Map // by the client's dialect

// EntryDialects returns the dialects that "dialect" of an entry may name: the clients with hooks files of their own, and
// the protocols.
func (s *Set) EntryDialects() []*dialect.Dialect {
	return s.with(func(d *dialect.Dialect) bool {
		return d.HasProjectRules() && d != tenex.Dialect || !d.HasProjectRules() && d.Files.IsPlaced()
	})
}

// ToolNamesIn returns a client's names for the tool of a call from another client, or from the project's own loop. It
// returns nil if the tool is the client's own, or if the client has no such tool.
func (s *Set) ToolNamesIn(client *dialect.Dialect, c *dialect.Call) (names []string) {
	isOwn := func(t dialect.Tool) bool { return t.Name() == c.Tool }
	if !dialect.HasTool(c.Event) || slices.ContainsFunc(client.Client.Tools, isOwn) || s.ClientOf(c) == client {
		return nil
	}
	project := c.ProjectTools()
	if len(project) == 0 {
		project = []string{c.Tool}
	}
	guessed, _ := c.MCPNames()
	project = slices.Concat(project, c.AddedTools(), guessed)
	for _, t := range client.Client.Tools {
		theirs := t.Names()
		if slices.ContainsFunc(theirs[:], func(name string) bool { return slices.Contains(project, name) }) {
			names = append(names, t.Name())
		}
	}
	for _, name := range project {
		if theirs := client.Client.MCP.Name(name); strings.HasPrefix(name, dialect.MCPPrefix) && theirs != c.Tool {
			names = append(names, theirs)
		}
	}
	return names
}

// withClientTool returns the call with a client's name for the tool, as the client's hooks know such calls.
func (s *Set) withClientTool(client *dialect.Dialect, c *dialect.Call) *dialect.Call {
	names := s.ToolNamesIn(client, c)
	if len(names) == 0 {
		return c
	}
	seen := *c
	seen.Tool = names[0]
	dialect.SetField(&seen, "tool_name", strictjson.Quote(seen.Tool))
	return &seen
}

// CanBlock reports whether hooks can block the call, whichever client sent it.
func (s *Set) CanBlock(c *dialect.Call) bool {
	client := s.ClientOf(c)
	if client == nil {
		return slices.Contains(dialect.CanonicalEvents(), dialect.Canonical(c.Event))
	}
	return !client.CannotBlock(client.EventOf(c))
}

// EndsTurn reports whether an event ends a turn, of an agent or of a subagent, in some client.
func (s *Set) EndsTurn(e protocol.Event) bool {
	return slices.ContainsFunc(s.Dialects(), func(d *dialect.Dialect) bool {
		return d.Events.Has(e) && d.Events.Of(e).Can&dialect.EndsTurn != 0
	})
}
