package set

import (
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
)

// EntryDialect returns the dialect of entries of .tenex-hooks.json that keep the rules of a client: one per client.
func (s *Set) EntryDialect(of *dialect.Dialect) *dialect.Dialect {
	entry, ok := inFile.Load(of)
	if !ok {
		in, _ := s.ClientNamed(of.Name) // of may be a variant
		names := func(c *dialect.Call) []string { return toolNamesIn(in, of, c) }
		entry, _ = inFile.LoadOrStore(of, of.ForProjectFile(tenex.Dialect, names))
	}
	return entry.(*dialect.Dialect)
}

var inFile sync.Map // by the client's dialect

// EntryDialects returns the dialects that "dialect" of an entry may name: the clients with hooks files of their own,
// and the protocols.
func (s *Set) EntryDialects() []*dialect.Dialect {
	return s.with(func(d *dialect.Dialect) bool {
		return d.HasProjectRules() && d != tenex.Dialect || !d.HasProjectRules() && d.Files.IsPlaced()
	})
}

// toolNamesIn returns the names of a client, whose dialect is of, for the tool of a call from another client, or from
// the project's own loop. It returns nil if the tool is the client's own, or if the client has no such tool.
func toolNamesIn(in *client.Client, of *dialect.Dialect, c *dialect.Call) (names []string) {
	isOwn := func(t dialect.Tool) bool { return t.Name() == c.Tool }
	if !c.IsAboutTool() || slices.ContainsFunc(in.Tools, isOwn) || c.Sender() == of {
		return nil
	}
	project := c.ProjectTools()
	if len(project) == 0 {
		project = []string{c.Tool}
	}
	guessed, _ := c.MCPNames()
	project = slices.Concat(project, c.AddedTools(), guessed)
	for _, t := range in.Tools {
		theirs := t.Names()
		if slices.ContainsFunc(theirs[:], func(name string) bool { return slices.Contains(project, name) }) {
			names = append(names, t.Name())
		}
	}
	for _, name := range project {
		if theirs := in.MCP.Name(name); strings.HasPrefix(name, dialect.MCPPrefix) && theirs != c.Tool {
			names = append(names, theirs)
		}
	}
	return names
}
