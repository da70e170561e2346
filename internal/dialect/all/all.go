package all

import (
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/codex"
	"github.com/hookrun/hookrun/internal/dialect/gemini"
	"github.com/hookrun/hookrun/internal/dialect/massgen"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// All lists all dialects.
func All() []*dialect.Dialect {
	return []*dialect.Dialect{tenex.Dialect, claude.Dialect, codex.Dialect, gemini.Dialect, massgen.Dialect}
}

// Clients lists the dialects of clients that can call hookrun as a hook of theirs.
func Clients() []*dialect.Dialect {
	return slices.DeleteFunc(All(), func(d *dialect.Dialect) bool { return d.Answer == nil })
}

// ClientNamed finds a dialect of Clients by its name.
func ClientNamed(name string) (*dialect.Dialect, bool) {
	d, ok := Named(name)
	return d, ok && d.Answer != nil
}

// EventNames are the names of all moments in all dialects, TENEX's first.
func EventNames() (names []string) {
	for _, d := range All() {
		for _, e := range d.Events() {
			if !slices.Contains(names, string(e)) { // dialects share some
				names = append(names, string(e))
			}
		}
	}
	return names
}

// Named finds a dialect by its name.
func Named(name string) (*dialect.Dialect, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// ParseEvent reads a name of an event, case-sensitively: TENEX's or that of any client.
func ParseEvent(name string) (protocol.Event, bool) {
	for _, d := range All() {
		if slices.Contains(d.Events(), protocol.Event(name)) {
			return protocol.Event(name), true
		}
	}
	return "", false
}
