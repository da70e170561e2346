// Package registry lists all dialects, and finds clients, events and tools in them.
package registry

import (
	"slices"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/acs"
	"github.com/hookrun/hookrun/internal/dialect/antigravity"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/cline"
	"github.com/hookrun/hookrun/internal/dialect/codex"
	"github.com/hookrun/hookrun/internal/dialect/copilot"
	"github.com/hookrun/hookrun/internal/dialect/crush"
	"github.com/hookrun/hookrun/internal/dialect/cursor"
	"github.com/hookrun/hookrun/internal/dialect/droid"
	"github.com/hookrun/hookrun/internal/dialect/gemini"
	"github.com/hookrun/hookrun/internal/dialect/junie"
	"github.com/hookrun/hookrun/internal/dialect/kimi"
	"github.com/hookrun/hookrun/internal/dialect/kiro"
	"github.com/hookrun/hookrun/internal/dialect/massgen"
	"github.com/hookrun/hookrun/internal/dialect/opencode"
	"github.com/hookrun/hookrun/internal/dialect/qwen"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/dialect/vscode"
	"github.com/hookrun/hookrun/internal/dialect/windsurf"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Set is some of the clients that hookrun knows, and hookrun's own form. It implements dialect.Clients. The zero
// Set has hookrun's own form alone. The lists that its methods return are shared: callers must not change them.
type Set struct {
	clients func() []*dialect.Dialect

	listed, toolsMade, nearMade, mainMade sync.Once

	list  []*dialect.Dialect        // see Dialects
	forms []*dialect.Dialect        // see Forms
	tools []dialect.Tool            // see allTools
	near  map[string][]dialect.Tool // see nearTools
	main  map[string][]string       // see mainTools
}

// every is the Set of all clients. A new client is one line here, and a folder.
var every = &Set{clients: func() []*dialect.Dialect {
	return []*dialect.Dialect{
		antigravity.Dialect,
		claude.Dialect,
		cline.Dialect,
		codex.Dialect,
		copilot.Dialect,
		crush.Dialect,
		cursor.Dialect,
		droid.Dialect,
		gemini.Dialect,
		junie.Dialect,
		kimi.Dialect,
		kiro.Dialect,
		opencode.Dialect,
		qwen.Dialect,
		vscode.Dialect,
		windsurf.Dialect,
		massgen.Dialect,
		acs.Dialect,
	}
}}

func init() {
	dialect.SetClientEvents(func(e protocol.Event) protocol.Event { return commonEvents.Get()[e] })
}

// commonEvents has the Common of each event's row in any dialect. It is made at first use: a call of such a client asks
// for its event many times.
var commonEvents = lazy.Value[map[protocol.Event]protocol.Event]{Make: func() map[protocol.Event]protocol.Event {
	common := map[protocol.Event]protocol.Event{}
	for _, d := range every.Dialects() {
		for _, v := range d.Variants() {
			for i := range v.Events {
				if row := &v.Events[i]; row.Common != "" {
					common[row.Name] = row.Common
				}
			}
		}
	}
	return common
}}

// All returns the Set of all clients.
func All() *Set { return every }

// Of returns the Set of some clients.
func Of(clients ...*dialect.Dialect) *Set {
	return &Set{clients: func() []*dialect.Dialect { return clients }}
}

// Dialects returns hookrun's own dialect and those of the clients.
func (s *Set) Dialects() []*dialect.Dialect {
	s.listed.Do(func() {
		if s.list = []*dialect.Dialect{tenex.Dialect}; s.clients != nil {
			s.list = append(s.list, s.clients()...)
		}
		for _, d := range s.list {
			if d.Files != nil {
				s.forms = append(s.forms, d)
			}
		}
	})
	return s.list
}

// DefaultForm returns the dialect of the form that other clients took over, for files whose folder names no client. It
// returns nil if this client is not in the Set.
func (s *Set) DefaultForm() *dialect.Dialect {
	for _, d := range s.Dialects() {
		if d.Client != nil && d.Client.Detect == nil {
			return d
		}
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

// Clients returns the dialects of clients that can call hookrun as a hook.
func (s *Set) Clients() []*dialect.Dialect {
	return s.with(func(d *dialect.Dialect) bool { return d.Client != nil })
}

// ClientNames returns the names of Clients, which are also the names of their output forms.
func (s *Set) ClientNames() (names []string) {
	for _, d := range s.Clients() {
		names = append(names, d.Name)
	}
	return names
}

// ClientNamed finds a dialect of Clients by its name.
func (s *Set) ClientNamed(name string) (*dialect.Dialect, bool) {
	d, ok := s.Named(name)
	return d, ok && d.Client != nil
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
	return s.clientList(func(d *dialect.Dialect) bool { return d.Install != nil })
}

// ImportList names the clients with hooks that `hookrun import` knows.
func (s *Set) ImportList() string {
	return s.clientList((*dialect.Dialect).HasHooksFile)
}

func (s *Set) clientList(known func(*dialect.Dialect) bool) string {
	var names []string
	for _, d := range s.Dialects() {
		if known(d) {
			names = append(names, d.Files.Client)
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
