package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/protocol"
)

// NeededEvents returns the events that need an entry: c.Events, and each extra event of a hook. An entry for projects
// that are not known yet is also at the ends of turns, where projects have gates. At other extra events it would cost
// more, as at each part of a model's reply, or change what the client does.
func (c *Client) NeededEvents(hooks []hook.Hook, anyProject bool) []string {
	events := slices.Clone(c.Events)
	d, _ := clients.All().Named(c.Name)
	for _, e := range c.extraEvents() {
		wants := func(h hook.Hook) bool { return h.Wants(e, clients.All()) }
		if anyProject && d.Events.Of(e).Can&dialect.EndsTurn != 0 || slices.ContainsFunc(hooks, wants) {
			events = append(events, string(e))
		}
	}
	return events
}

// extraEvents returns the client's events that c.Events does not cover. The entries at c.Events cover all events before
// and after a tool.
func (c *Client) extraEvents() []protocol.Event {
	d, known := clients.All().Named(c.Name)
	if !known {
		return nil
	}
	return slices.DeleteFunc(d.Events.Names(), func(e protocol.Event) bool {
		return slices.Contains(dialect.CanonicalEvents(), clients.All().Common(e)) ||
			slices.Contains(c.Events, string(e)) ||
			slices.Contains(c.NamelessEvents(), e)
	})
}

// UnsupportedEvents describes the events of hooks that the client does not have.
func (c *Client) UnsupportedEvents(hooks []hook.Hook) (texts []string) {
	for _, asked := range extraHookEvents(hooks) {
		if !c.hasEvent(&hooks[asked.hook], asked.event) {
			texts = append(texts, unsupportedEvent(c.Client, asked.event, &hooks[asked.hook]))
		}
	}
	return texts
}

func unsupportedEvent(client string, event protocol.Event, h *hook.Hook) string {
	const text = "%s has no event %s that can run hookrun, so the hook %q never runs there"
	return fmt.Sprintf(text, client, event, h.Name)
}

// hookEvent is an event of a hook.
type hookEvent struct {
	hook  int
	event protocol.Event
}

// extraHookEvents returns the events of hooks, except the canonical events, which every client's entries cover.
func extraHookEvents(hooks []hook.Hook) (found []hookEvent) {
	for i := range hooks {
		for _, e := range hooks[i].Events {
			if hooks[i].Active() && !slices.Contains(dialect.CanonicalEvents(), clients.All().Common(e)) {
				found = append(found, hookEvent{i, e})
			}
		}
	}
	return found
}

// hasEvent reports whether a hook's event can occur at one of the client's extra events.
func (c *Client) hasEvent(h *hook.Hook, event protocol.Event) bool {
	return slices.ContainsFunc(c.extraEvents(), func(e protocol.Event) bool {
		return h.EventAt(e, clients.All()) == event
	})
}

// InstalledExtraEvents returns the extra events at which the file at p has an entry. Other projects may need them.
func (c *Client) InstalledExtraEvents(p dialect.Place, binary string) (events []string) {
	further := c.extraEvents()
	for _, e := range c.found(p, binary) {
		if slices.Contains(further, protocol.Event(e.Event)) && e.Replaceable {
			events = append(events, e.Event)
		}
	}
	return events
}

// Missing is an event of a hook at which a client has no entry that runs hookrun.
type Missing struct {
	Hook          *hook.Hook
	Event         protocol.Event // in the hook's spelling
	Client        string
	Mend          string // command that adds the entry; "": the client has no such event
	RunsElsewhere bool   // another client runs the hook at the event
}

func (m *Missing) String() string {
	if m.Mend == "" {
		return unsupportedEvent(m.Client, m.Event, m.Hook)
	}
	return fmt.Sprintf("no entry of %s runs hookrun at %s, so the hook %q never runs there; run: %s", m.Client,
		m.Event, m.Hook.Name, m.Mend)
}

// FindMissing compares the events of hooks with the entries of all clients that have hookrun installed. binary is as
// for Uninstall.
func FindMissing(w client.Where, hooks []hook.Hook, binary string) (found []Missing) {
	asked := extraHookEvents(hooks)
	if len(asked) == 0 {
		return nil
	}
	var calling []*Client
	entries := map[*Client][]InstalledEntry{}
	for _, name := range Names() {
		c, _ := Lookup(name)
		for _, place := range c.Places(w) {
			entries[c] = append(entries[c], c.found(place, binary)...)
		}
		if len(entries[c]) > 0 {
			calling = append(calling, c)
		}
	}
	for _, a := range asked {
		h, first, runs := &hooks[a.hook], len(found), false
		for _, c := range calling {
			m := Missing{Hook: h, Event: a.event, Client: c.Client}
			at := func(e InstalledEntry) bool {
				return h.EventAt(protocol.Event(e.Event), clients.All()) == a.event
			}
			switch {
			case slices.ContainsFunc(entries[c], at):
				runs = true
				continue
			case c.hasEvent(h, a.event):
				m.Mend = c.installCommand(w, &entries[c][0])
			}
			found = append(found, m)
		}
		for i := range found[first:] {
			found[first+i].RunsElsewhere = runs
		}
	}
	return found
}

// found returns the entries in the files of a place.
func (c *Client) found(p dialect.Place, binary string) (found []InstalledEntry) {
	places := []dialect.Place{p}
	if c.OwnFiles() != nil {
		places = ownPlaces(c.OwnFiles(), p)
	}
	for _, place := range places {
		if file, exists, err := c.Text(place.Path); exists && err == nil {
			found = append(found, c.Entries(file, binary)...)
		}
	}
	return found
}

// installCommand returns the command that installs hookrun again in the file of the entry e, now also for the events of
// the workspace's hooks.
func (c *Client) installCommand(w client.Where, e *InstalledEntry) string {
	folder := w.Workspace
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	t, _ := c.TargetOf(w, e.Path)
	words := slices.Concat([]string{"hookrun"}, t.Command("install", c.Name, folder), e.Flags())
	for i, word := range words {
		words[i] = shellword.Local(word)
	}
	return strings.Join(words, " ")
}
