// Package set finds clients, events and tools in a set of clients. The package imports no client: a program links the
// clients of its own set alone.
package set

import (
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Set is some of hookrun's clients, and hookrun's own form. Set implements dialect.Clients. The zero Set has hookrun's
// own form alone. The methods share their lists with the caller, who must not change a list.
type Set struct {
	Members   func() []*client.Client   // the clients, in order of their names; nil: none
	Protocols func() []*dialect.Dialect // without a client; nil: none

	listed, toolsMade, nearMade, mainMade sync.Once

	known []*client.Client          // see Clients
	list  []*dialect.Dialect        // see Dialects
	forms []*dialect.Dialect        // see Forms
	tools []dialect.Tool            // see allTools
	near  map[string][]dialect.Tool // see nearTools
	main  map[string][]string       // see mainTools
}

// With returns the Set with one more client, which may be nil, and more protocols. The order in which a program names
// clients does not matter.
func (s *Set) With(more *client.Client, protocols ...*dialect.Dialect) *Set {
	known := slices.Clone(s.Clients())
	if more != nil && !slices.Contains(known, more) {
		known = append(known, more)
		slices.SortFunc(known, func(a, b *client.Client) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, d := range s.Dialects()[1:] {
		if s.ClientWith(d) == nil && !slices.Contains(protocols, d) {
			protocols = append(protocols, d)
		}
	}
	slices.SortFunc(protocols, func(a, b *dialect.Dialect) int { return strings.Compare(b.Name, a.Name) })
	return &Set{Members: func() []*client.Client { return known },
		Protocols: func() []*dialect.Dialect { return protocols }}
}

// Dialects returns hookrun's own dialect and those of the clients.
func (s *Set) Dialects() []*dialect.Dialect {
	s.listed.Do(func() {
		s.list = []*dialect.Dialect{tenex.Dialect}
		if s.Members != nil {
			s.known = s.Members()
		}
		for _, c := range s.known {
			s.list = append(s.list, c.Dialect)
		}
		if s.Protocols != nil {
			s.list = append(s.list, s.Protocols()...)
		}
		for _, d := range s.list {
			if d.Files != nil {
				s.forms = append(s.forms, d)
			}
		}
	})
	return s.list
}

// DefaultClient returns the client whose form others took over, or nil if this client is not in the Set.
func (s *Set) DefaultClient() *client.Client {
	for _, c := range s.Clients() {
		if c.Detect == nil {
			return c
		}
	}
	return nil
}

// DefaultForm returns the dialect of DefaultClient, for files whose folder names no client, or nil.
func (s *Set) DefaultForm() *dialect.Dialect {
	if c := s.DefaultClient(); c != nil {
		return c.Dialect
	}
	return nil
}

// Named finds a dialect by its name.
func (s *Set) Named(name string) (*dialect.Dialect, bool) {
	for _, d := range s.Dialects() {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// Clients returns the clients that can call hookrun as a hook.
func (s *Set) Clients() []*client.Client {
	s.Dialects()
	return s.known
}

// ClientNames returns the names of Clients, and so of the output forms.
func (s *Set) ClientNames() (names []string) {
	for _, d := range s.Clients() {
		names = append(names, d.Name)
	}
	return names
}

// ClientNamed finds a client by its name.
func (s *Set) ClientNamed(name string) (c *client.Client, known bool) {
	for _, c := range s.Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// ClientWith returns the client that has a dialect, or nil.
func (s *Set) ClientWith(d *dialect.Dialect) *client.Client {
	for _, c := range s.Clients() {
		if c.Dialect == d {
			return c
		}
	}
	return nil
}

// FormNames returns the names of the clients with a hooks file, which can be checked and imported.
func (s *Set) FormNames() (names []string) {
	for _, d := range s.Dialects() {
		if d.HasHooksFile() {
			names = append(names, d.Name)
		}
	}
	return names
}

// ClientList names the clients that `hookrun install` knows: "A, B or C".
func (s *Set) ClientList() string {
	return s.clientList(func(*client.Client) bool { return true })
}

// ImportList names the clients with hooks that `hookrun import` knows.
func (s *Set) ImportList() string {
	return s.clientList(func(c *client.Client) bool { return c.HasHooksFile() })
}

func (s *Set) clientList(known func(*client.Client) bool) string {
	var names []string
	for _, c := range s.Clients() {
		if known(c) {
			names = append(names, c.Files.Client)
		}
	}
	return spelling.Or(names)
}

// EventNames returns the names of all events in all dialects, TENEX's first.
func (s *Set) EventNames() (names []string) {
	for _, d := range s.Dialects() {
		for _, e := range d.Events.Names() {
			if !slices.Contains(names, string(e)) { // dialects share some
				names = append(names, string(e))
			}
		}
	}
	return names
}

// ParseEvent reads the name of an event of TENEX or of any client, case-sensitively.
func (s *Set) ParseEvent(name string) (e protocol.Event, ok bool) {
	for _, d := range s.Dialects() {
		if e = protocol.Event(name); d.Events.Has(e) {
			return e, true
		}
	}
	return "", false
}

// Forms returns the dialects of clients with files of hooks or plugins.
func (s *Set) Forms() []*dialect.Dialect {
	s.Dialects()
	return s.forms
}

// with returns the dialects that have a property.
func (s *Set) with(has func(*dialect.Dialect) bool) (found []*dialect.Dialect) {
	for _, d := range s.Dialects() {
		if has(d) {
			found = append(found, d)
		}
	}
	return found
}
