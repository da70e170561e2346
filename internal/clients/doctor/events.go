package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// events reports events with hooks but without an entry, entries that miss some tools, and timeouts that are too short.
func (c *checked) events() {
	for _, event := range c.wanted() {
		names, needed := c.needs(protocol.Event(event))
		elsewhere := func(e install.InstalledEntry) bool { return e.Event != event }
		at := slices.DeleteFunc(slices.Clone(c.entries), elsewhere)
		if len(at) == 0 {
			if len(names) > 0 {
				c.add(Finding{Check: "entry", Severity: Error,
					What: "no entry runs hookrun at " + event + ", which has hooks: " + list(names)},
					c.installAt(event))
			}
			continue
		}
		for _, e := range at {
			where := e.Path + ":" + strconv.Itoa(e.Line)
			c.checkMatcher(e, at, where)
			c.checkEntryKeys(e, where)
			limit := e.Timeout
			if limit == 0 {
				limit = (&hook.Hook{Dialect: c.dialect.Dialect}).Deadline(protocol.Event(event))
			}
			if limit <= needed {
				const text = "the entry at %s has a timeout of %s, and its hooks may take %s: then %s runs the call"
				mend := c.reinstall(e)
				if longest := c.Timeout.Longest(); longest > 0 && longest <= needed { // the maximum
					const shorter = "give the hooks there timeouts of less than %s together: %s runs no entry longer"
					mend = mending{text: fmt.Sprintf(shorter, longest, c.Files.Client)}
				}
				c.add(Finding{Check: "timeout", Severity: Error, Where: where,
					What: fmt.Sprintf(text, event, limit, needed, c.Files.Client)}, mend)
			}
		}
	}
}

// wanted returns the events at which hooks need an entry.
func (c *checked) wanted() []string {
	if c.doctor.Workspace.Config == nil {
		return c.Events
	}
	return c.NeededEvents(c.doctor.Workspace.Config.Hooks, false)
}

// checkEntryKeys reports keys of an entry that keep the client from running hookrun for a call, or from waiting for
// the answer.
func (c *checked) checkEntryKeys(e install.InstalledEntry, where string) {
	f := Finding{Check: "entry", Severity: Error, Where: where}
	switch entry := gjson.Parse(e.Text); {
	case entry.Get("async").Bool() || entry.Get("asyncRewake").Bool():
		f.What = "the entry at " + e.Event + ` has "async", so the client runs the call without waiting for hookrun`
	case entry.Get("type").String() != "command" && !(c.Flat(e.Event) && !entry.Get("type").Exists()):
		f.What = "the entry at " + e.Event + ` has not the type "command", so the client does not run hookrun`
	case entry.Get("if").String() != "":
		if names, _ := c.needs(protocol.Event(e.Event)); len(names) == 0 {
			f.Severity = Warning
		}
		f.What = "the entry at " + e.Event + ` has "if", so hookrun does not run for every call`
	case entry.Get("shell").Exists():
		f.Severity = Warning
		f.What = "the entry at " + e.Event + ` has "shell", and the test call is not run by that one`
	default:
		return
	}
	c.add(f, c.reinstall(e))
}

// needs returns the names of the hooks at a client's event, and their longest total run time. Parallel hooks take as
// long as the longest of them; other hooks run one after the other.
func (c *checked) needs(event protocol.Event) (names []string, needed time.Duration) {
	if c.doctor.Workspace.Config == nil {
		return nil, 0
	}
	longest := map[*dialect.Dialect]time.Duration{}
	hooks := c.doctor.Workspace.Config.Hooks
	for i := range hooks {
		h := &hooks[i]
		same := func(e protocol.Event) bool { return clients.All().Common(e) == clients.All().Common(event) }
		if !h.Wants(event, clients.All()) && !slices.ContainsFunc(h.Events, same) {
			continue
		}
		names = append(names, h.Name)
		switch own := min(h.Deadline(event), install.MaxTimeout); {
		case h.Rule() != nil || h.Async || h.Unsupported() != "" || h.Disabled != "":
		case h.Dialect.Run.Parallel && !h.Sequential:
			longest[h.Dialect] = max(longest[h.Dialect], own)
		default:
			needed = min(needed+own, install.MaxTimeout)
		}
	}
	for _, d := range longest {
		needed += d
	}
	return names, needed
}
