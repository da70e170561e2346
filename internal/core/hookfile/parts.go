package hookfile

import (
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// Parts are what the loader and the engine know of the world beside hookrun's own form. The zero Parts knows nothing
// else. Package parts has all of them.
type Parts struct {
	Clients  dialect.Clients // nil: none
	Rules    hook.Rules      // for "if" and "packs"; nil: a file with one of them is an error
	Requests hook.Requests   // for "url"; nil: likewise
}

// clients returns the clients, which are never nil.
func (p Parts) clients() dialect.Clients {
	if p.Clients == nil {
		return dialect.NoClients{}
	}
	return p.Clients
}

// Empty returns a Config without hooks.
func (p Parts) Empty() *Config { return &Config{parts: p} }

// Parts returns what the files of the Config were read with.
func (c *Config) Parts() Parts { return c.parts }

// Clients returns the clients that the files of the Config were read with. They are never nil.
func (c *Config) Clients() dialect.Clients { return c.parts.clients() }

// entryDialects returns the names that "dialect" of an entry may have.
func (p Parts) entryDialects() (names []string) {
	for _, d := range p.clients().EntryDialects() {
		names = append(names, d.Name)
	}
	return names
}

// clientsWithEvent names the clients with a hooks file in JSON that have an event.
func (p *parser) clientsWithEvent(event protocol.Event) (names []string) {
	for _, d := range p.clients.EntryDialects() {
		if slices.Contains(d.FileEvents(), event) {
			names = append(names, d.Name)
		}
	}
	return names
}

// common returns the common name of an event of any client.
func (p *parser) common(event protocol.Event) protocol.Event {
	if row := p.clients.Event(event); row != nil {
		return row.CommonName()
	}
	return event
}
