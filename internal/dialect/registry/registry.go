// Package registry lists all dialects, and finds clients, events and tools in them.
package registry

import (
	"slices"

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

// dialects returns all dialects. A new dialect is one line here, and a folder.
var dialects = func() []*dialect.Dialect {
	return []*dialect.Dialect{
		tenex.Dialect,
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
}

func init() {
	dialect.SetClientEvents(func(e protocol.Event) protocol.Event { return commonEvents.Get()[e] })
}

// commonEvents has the Common of each event's row in any dialect. It is made at first use: a call of such a client asks
// for its event many times.
var commonEvents = lazy.Value[map[protocol.Event]protocol.Event]{Make: func() map[protocol.Event]protocol.Event {
	common := map[protocol.Event]protocol.Event{}
	for _, d := range dialects() {
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

// All returns all dialects.
func All() []*dialect.Dialect { return dialects() }

// Project returns the dialect of .tenex-hooks.json, and of hooks that are Go functions.
func Project() *dialect.Dialect { return tenex.Dialect }

// DefaultForm returns the dialect of the form that other clients took over, for files whose folder names no client.
func DefaultForm() *dialect.Dialect { return claude.Dialect }

// Named finds a dialect by its name.
func Named(name string) (*dialect.Dialect, bool) {
	for _, d := range dialects() {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// Clients returns the dialects of clients that can call hookrun as a hook.
func Clients() []*dialect.Dialect {
	return slices.DeleteFunc(All(), func(d *dialect.Dialect) bool { return d.Client == nil })
}

// ClientNames returns the names of Clients, which are also the names of their output forms.
func ClientNames() (names []string) {
	for _, d := range Clients() {
		names = append(names, d.Name)
	}
	return names
}

// ClientNamed finds a dialect of Clients by its name.
func ClientNamed(name string) (*dialect.Dialect, bool) {
	d, ok := Named(name)
	return d, ok && d.Client != nil
}

// FormNames returns the names of the clients with a hooks file, which can be checked and imported.
func FormNames() (names []string) {
	for _, d := range dialects() {
		if d.HasHooksFile() {
			names = append(names, d.Name)
		}
	}
	return names
}

// ClientList names the clients that `hookrun install` knows: "A, B or C".
func ClientList() string {
	return clientList(func(d *dialect.Dialect) bool { return d.Install != nil })
}

// ImportList names the clients with hooks that `hookrun import` knows.
func ImportList() string {
	return clientList((*dialect.Dialect).HasHooksFile)
}

func clientList(known func(*dialect.Dialect) bool) string {
	var names []string
	for _, d := range dialects() {
		if known(d) {
			names = append(names, d.Files.Client)
		}
	}
	return spelling.Or(names)
}

// EventNames returns the names of all events in all dialects, TENEX's first.
func EventNames() (names []string) {
	for _, d := range dialects() {
		for _, e := range d.Events.Names() {
			if !slices.Contains(names, string(e)) { // dialects share some
				names = append(names, string(e))
			}
		}
	}
	return names
}

// ParseEvent reads the name of an event of TENEX or of any client, case-sensitively.
func ParseEvent(name string) (e protocol.Event, ok bool) {
	for _, d := range dialects() {
		if e = protocol.Event(name); d.Events.Has(e) {
			return e, true
		}
	}
	return "", false
}

// WithHooksFiles returns the dialects of clients with folders for hooks files.
func WithHooksFiles() []*dialect.Dialect {
	return slices.DeleteFunc(All(), func(d *dialect.Dialect) bool { return d.Files == nil || !d.Files.IsPlaced() })
}
