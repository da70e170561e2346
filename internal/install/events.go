package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/shellline/shellword"
	"github.com/hookrun/hookrun/protocol"
)

// Wanted are the events at which an entry is needed: those of Events, and each other event that a hook asks for.
func (c *Client) Wanted(hooks []hook.Hook) []string {
	events := slices.Clone(c.Events)
	for _, e := range c.furtherEvents() {
		wants := func(h hook.Hook) bool { return h.Wants(e) }
		if slices.ContainsFunc(hooks, wants) {
			events = append(events, string(e))
		}
	}
	return events
}

// furtherEvents are the client's events besides those of every entry. An event before or after a tool is covered by
// one of those.
func (c *Client) furtherEvents() []protocol.Event {
	d, known := registry.Named(c.Name)
	if !known {
		return nil
	}
	var nameless []protocol.Event
	if n, ok := c.Installer.(dialect.Nameless); ok {
		nameless = n.NamelessEvents()
	}
	return slices.DeleteFunc(d.Events.Names(), func(e protocol.Event) bool {
		return slices.Contains(dialect.CanonicalEvents(), dialect.Canonical(e)) ||
			slices.Contains(c.Events, string(e)) ||
			slices.Contains(nameless, e)
	})
}

// Lacking describes what hooks ask for that the client has no event for.
func (c *Client) Lacking(hooks []hook.Hook) (texts []string) {
	for _, asked := range askedEvents(hooks) {
		if !c.hasEvent(&hooks[asked.hook], asked.event) {
			texts = append(texts, lacking(c.Client, asked.event, &hooks[asked.hook]))
		}
	}
	return texts
}

func lacking(client string, event protocol.Event, h *hook.Hook) string {
	const text = "%s has no event %s that can run hookrun, so the hook %q never runs there"
	return fmt.Sprintf(text, client, event, h.Name)
}

// asked is an event that a hook asks for.
type asked struct {
	hook  int
	event protocol.Event
}

// askedEvents are the events of hooks besides those that every client's entries are for.
func askedEvents(hooks []hook.Hook) (found []asked) {
	for i := range hooks {
		for _, e := range hooks[i].Events {
			if hooks[i].Active() && !slices.Contains(dialect.CanonicalEvents(), dialect.Canonical(e)) {
				found = append(found, asked{i, e})
			}
		}
	}
	return found
}

// hasEvent reports whether a hook that asks for an event can run at one of the client's.
func (c *Client) hasEvent(h *hook.Hook, event protocol.Event) bool {
	return slices.ContainsFunc(c.furtherEvents(), func(e protocol.Event) bool { return h.EventAt(e) == event })
}

// Kept are the events besides those of every entry at which the file of a place has an entry of hookrun's. Other hooks
// than those of this project may have asked for them.
func (c *Client) Kept(p dialect.Place, binary string) (events []string) {
	further := c.furtherEvents()
	for _, e := range c.found(p, binary) {
		if slices.Contains(further, protocol.Event(e.Event)) && e.Ours {
			events = append(events, e.Event)
		}
	}
	return events
}

// Missing is an event that a hook asks for at which no entry of a client runs hookrun.
type Missing struct {
	Hook   *hook.Hook
	Event  protocol.Event // as the hook names it
	Client string
	Mend   string // the command that adds the entry; "": the client has no such event
	Runs   bool   // the hook runs in another client at the event
}

func (m *Missing) String() string {
	if m.Mend == "" {
		return lacking(m.Client, m.Event, m.Hook)
	}
	return fmt.Sprintf("no entry of %s runs hookrun at %s, so the hook %q never runs there; run: %s", m.Client,
		m.Event, m.Hook.Name, m.Mend)
}

// FindMissing compares the events that hooks ask for with the entries of all clients in which hookrun is installed.
// Binary is as for Uninstall.
func FindMissing(w dialect.Where, hooks []hook.Hook, binary string) (found []Missing) {
	asked := askedEvents(hooks)
	if len(asked) == 0 {
		return nil
	}
	var clients []*Client
	entries := map[*Client][]Found{}
	for _, name := range Names() {
		c, _ := Lookup(name)
		for _, place := range c.Places(w) {
			entries[c] = append(entries[c], c.found(place, binary)...)
		}
		if len(entries[c]) > 0 {
			clients = append(clients, c)
		}
	}
	for _, a := range asked {
		h, first, runs := &hooks[a.hook], len(found), false
		for _, c := range clients {
			m := Missing{Hook: h, Event: a.event, Client: c.Client}
			switch at := func(e Found) bool { return h.EventAt(protocol.Event(e.Event)) == a.event }; {
			case slices.ContainsFunc(entries[c], at):
				runs = true
				continue
			case c.hasEvent(h, a.event):
				m.Mend = c.installCommand(w, &entries[c][0])
			}
			found = append(found, m)
		}
		for i := range found[first:] {
			found[first+i].Runs = runs
		}
	}
	return found
}

// found are the entries in the files of a place.
func (c *Client) found(p dialect.Place, binary string) (found []Found) {
	places := []dialect.Place{p}
	if c.OwnFiles() != nil {
		places = c.ownPlaces(p)
	}
	for _, place := range places {
		if file, exists, err := c.Text(place.Path); exists && err == nil {
			found = append(found, c.Entries(file, binary)...)
		}
	}
	return found
}

// installCommand is the command that installs hookrun again in the file that has its entry, with the events that the
// hooks of a workspace ask for.
func (c *Client) installCommand(w dialect.Where, e *Found) string {
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
