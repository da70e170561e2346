package dialect

import (
	"fmt"
	"slices"
)

// Clients are the clients that hookrun knows. Package registry implements Clients; NoClients are none. The lists are
// shared: callers must not change them.
type Clients interface {
	// Resolve sets the client of a call, and checks that the event is known.
	Resolve(*Call) error
	// NameTool sets the project's names for the call's tool. files are the names that hooks files give to tools.
	NameTool(c *Call, files *FileTools)

	// DefaultForm returns the dialect of the form that other clients took over, or nil.
	DefaultForm() *Dialect
	// Forms returns the dialects of clients with files of hooks or plugins.
	Forms() []*Dialect
	// EntryDialects returns the dialects that the "dialect" of an entry may name.
	EntryDialects() []*Dialect
	// EntryDialect returns the dialect of entries of a project's file that keep the rules of a client.
	EntryDialect(client *Dialect) *Dialect

	// KnownTools returns the names of all known tools, the clients' and the project's.
	KnownTools() []string
	// ProjectNames returns the project's names for the tools of clients.
	ProjectNames() []string
	// ToolNames returns the project's names for a tool of any client.
	ToolNames(tool string) []string
	// MainTools returns the names by which clients know tools with the project's names.
	MainTools(project []string) []string
}

// NoClients is the Clients of a program that knows hookrun's own form alone.
type NoClients struct{}

// Resolve returns an error for an event that is not hookrun's own, and for the input of a client.
func (NoClients) Resolve(c *Call) error {
	if c.ClientInput != "" || !slices.Contains(CanonicalEvents(), c.Event) {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	return nil
}

// NameTool sets the name that a file gives to the tool.
func (NoClients) NameTool(c *Call, files *FileTools) {
	names := [2]string{files.Name(c.Tool)}
	if names[0] == c.Tool {
		names[0] = ""
	}
	c.Kinds, c.KindsExact = nil, false
	c.SetToolNames(names, files.Added(c.Tool), files)
}

func (NoClients) DefaultForm() *Dialect          { return nil }
func (NoClients) Forms() []*Dialect              { return nil }
func (NoClients) EntryDialects() []*Dialect      { return nil }
func (NoClients) EntryDialect(*Dialect) *Dialect { return nil }
func (NoClients) KnownTools() []string           { return nil }
func (NoClients) ProjectNames() []string         { return nil }
func (NoClients) ToolNames(string) []string      { return nil }
func (NoClients) MainTools([]string) []string    { return nil }
