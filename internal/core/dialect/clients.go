package dialect

import "github.com/hookrun/hookrun/protocol"

// Clients are the clients that hookrun knows. Package clients implements Clients; NoClients are none. The lists are
// shared: callers must not change them.
type Clients interface {
	// SetClient sets the client of a call with a ClientInput and without a Client.
	SetClient(*Call)
	// Event returns the row of an event in the table of some client, or of hookrun's own events, or nil.
	Event(protocol.Event) *Event
	// NameTool sets the project's names for the call's tool, and calls SetTables. files are the names that hooks files
	// give to tools.
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
	// OwnTools returns the names of a client's tools in that client's rules; none if no client has the dialect.
	OwnTools(*Dialect) []string
	// MainTools returns the names by which clients know tools with the project's names.
	MainTools(project []string) []string
}

// NoClients is the Clients of a program that knows hookrun's own form alone.
type NoClients struct{}

// Event returns the row of one of hookrun's own events, or nil.
func (NoClients) Event(e protocol.Event) *Event { return ownEvents.row(e) }

var ownEvents = Events{{Name: protocol.PreExecute}, {Name: protocol.PreTool}, {Name: protocol.PostTool}}

// NameTool sets the name that a file gives to the tool.
func (NoClients) NameTool(c *Call, files *FileTools) {
	names := [2]string{files.Name(c.Tool)}
	if names[0] == c.Tool {
		names[0] = ""
	}
	c.Kinds, c.KindsExact = nil, false
	c.SetToolNames(names, files.Added(c.Tool), files)
	c.SetTables(NoClients{}, KnownTool{})
}

func (NoClients) SetClient(*Call)                {}
func (NoClients) DefaultForm() *Dialect          { return nil }
func (NoClients) Forms() []*Dialect              { return nil }
func (NoClients) EntryDialects() []*Dialect      { return nil }
func (NoClients) EntryDialect(*Dialect) *Dialect { return nil }
func (NoClients) KnownTools() []string           { return nil }
func (NoClients) ProjectNames() []string         { return nil }
func (NoClients) ToolNames(string) []string      { return nil }
func (NoClients) OwnTools(*Dialect) []string     { return nil }
func (NoClients) MainTools([]string) []string    { return nil }
