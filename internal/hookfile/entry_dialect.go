package hookfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// An entry with "dialect" follows the rules of a client: the keys are the same as in every entry, and have the meaning
// of the client's own file.

// readDialect reads "dialect", before all other keys. It reports whether the value names a client.
func (r *reader) readDialect(h *hook.Hook) bool {
	name, ok := r.text(r.value, `"dialect"`)
	known := r.parts.entryDialects()
	switch {
	case !ok:
		return false
	case name == tenex.Dialect.Name:
		r.problem(r.value.Index, "%s\"dialect\" %s is what entries have without it; leave it out", r.who, quote(name))
		return false
	case !slices.Contains(known, name):
		r.problem(r.value.Index, "%sunknown dialect %s; known are %s%s", r.who, quote(name),
			strings.Join(known, ", "), spelling.Suggest(name, known))
		return false
	}
	client := r.parts.clients().EntryDialects()[slices.Index(known, name)]
	if client.HasProjectRules() {
		h.Dialect = client
		return true
	}
	h.Dialect, h.Form = r.clients.EntryDialect(client), client.Files
	r.form = h.Form
	return true
}

// clientCommand returns the command as the client runs it, if the entry has a "dialect".
func (r *reader) clientCommand(c hook.Command) hook.Command {
	if r.form == nil {
		return c
	}
	c.Shell = r.form.Expanded(c.Shell)
	if c.Placeholders = len(c.Argv) > 0; c.Placeholders {
		c.Argv[0] = r.form.Expanded(c.Argv[0])
	}
	return hook.Command(r.form.Completed(dialect.Command(c)))
}

// clientEvents appends the client's events for a name: a client's event, or the project's name for one or more events.
func (r *reader) clientEvents(d *dialect.Dialect, name protocol.Event, at gjson.Result,
	events []protocol.Event) []protocol.Event {
	known, _ := eventNames()
	isProjects := slices.Contains(known, string(name))
	var meant []protocol.Event
	theirs := d.FileEvents()
	for _, e := range d.Events.Names() {
		if isProjects && dialect.Canonical(e) == dialect.Canonical(name) {
			meant = append(meant, e)
		}
	}
	if slices.Contains(theirs, name) {
		meant = []protocol.Event{name}
	}
	if len(meant) == 0 {
		known = nil
		for _, e := range theirs {
			known = append(known, string(e))
		}
		r.problem(at.Index, "%sunknown event %s; %s has %s%s", r.who, quote(string(name)),
			r.form.Client, strings.Join(known, ", "), spelling.Suggest(string(name), known))
	}
	for _, e := range meant {
		if !slices.Contains(events, e) {
			events = append(events, e)
		}
	}
	return events
}

// setVariant sets the client's variant for the entry's events, because a client may have several variants.
func (r *reader) setVariant(h *hook.Hook) {
	client := h.Dialect.Own
	h.Events = slices.DeleteFunc(h.Events, func(e protocol.Event) bool { // the hook runs at e anyway
		general := client.EventOf(&dialect.Call{Event: e})
		return general != e && slices.Contains(h.Events, general)
	})
	for i, e := range h.Events {
		d := r.clients.EntryDialect(client.Of(e))
		if i > 0 && d != h.Dialect {
			r.problem(r.value.Index, "%s%s gives hooks of %s another input than those of %s; write an entry for each",
				r.who, r.form.Client, e, h.Events[0])
			return
		}
		h.Dialect = d
	}
}

// clientPattern parses a matcher by the client's rules.
func (r *reader) clientPattern(h *hook.Hook, text string) hook.Matcher {
	if dialect.PatternTooLong(text) {
		r.problem(r.value.Index, "%sthe matcher is longer than 64 KiB", r.who)
		return nil
	}
	if !h.Form.HasPattern() {
		r.problem(r.value.Index, "%shooks of %s have no \"matcher\"; use \"when\", or leave \"dialect\" out", r.who,
			h.Form.Client)
		return nil
	}
	subject := ""
	for _, e := range h.Events {
		switch field := h.Dialect.SubjectField(e); {
		case field == "", field == subject:
		case subject == "":
			subject = field
		default:
			const text = "%sthe matcher would be held against %s at one event and %s at %s; write an entry for each"
			r.problem(r.value.Index, text, r.who, subject, field, e)
		}
	}
	pattern := h.Dialect.Files.Pattern(h.Form.Expanded(text), subject)
	if fault := pattern.Fault(); fault != "" && subject != "" {
		r.faultyMatcher(r.value.Index, pattern, fmt.Sprintf("%sthe matcher %s %s", r.who, quote(text), fault))
	} else if subject == "tool_name" {
		r.patternDoubts(h, pattern, r.at(r.value.Index, ""), r.who)
	}
	return pattern
}

// faultyMatcher warns about a matcher with a fault.
func (p *parser) faultyMatcher(at int, pattern dialect.Pattern, warning string) {
	if pattern.AlwaysRuns() {
		p.warn(at, "%s", warning)
	} else {
		p.warnOfGate(at, warning)
	}
}

// checkClientKeys reports keys and values that depend on "dialect" and are wrong with it, or without it.
func (e *entry) checkClientKeys(h *hook.Hook) {
	f, who := e.values, e.who
	async, hasAsync := f["async"]
	if h.Form == nil {
		for _, key := range e.keys(clients) {
			const text = "%s: %q is a key of clients' hooks; name the client in \"dialect\", or leave it out"
			e.problem(f[key].Index, text, who, key)
		}
		if h.Persistent && h.Dialect != tenex.Dialect {
			e.problem(f["persistent"].Index, "%s: hooks of the dialect %q cannot be persistent; leave it out", who,
				h.Dialect.Name)
		}
		return
	}
	insteadOfIf := `"matcher" and "when"`
	if !h.Form.HasPattern() {
		insteadOfIf = `"when"`
	}
	for _, k := range []struct {
		key, text  string
		ofCommands bool
	}{
		{"url", "%s: %s has no hooks that post to a url; leave \"dialect\" out", false},
		{"if", "%s: hooks of %s have no \"if\"; use " + insteadOfIf + ", or leave \"dialect\" out", false},
		{"async", "%s: no such hook of %s can be async; leave \"async\" out", true},
		{"cwd", "%s: no such hook of %s has a \"cwd\"; leave it out", true},
	} {
		if v, ok := f[k.key]; ok && (!h.Form.May(k.key) || k.ofCommands && h.Command.String() == "") {
			e.problem(v.Index, k.text, who, h.Form.Client)
		}
	}
	if hasAsync && h.Async && h.Persistent {
		const text = "%s: \"async\" is for a process of each call, and \"persistent\" is for one of all calls; " +
			"leave one of them out"
		e.problem(async.Index, text, who)
	}
	if policy, ok := f["on_failure"]; ok && (h.Async || len(h.Events) > 0 &&
		!slices.ContainsFunc(h.Events, func(e protocol.Event) bool { return !h.Dialect.CannotBlock(e) })) {
		const text = "%s: \"on_failure\" would mean nothing: no failure of this hook holds anything up in %s; " +
			"leave it out"
		e.problem(policy.Index, text, who, h.Form.Client)
	}
	for _, event := range h.Events {
		if most := h.Form.MaxTimeoutAt(event); most > 0 && h.Timeout > most {
			e.problem(f["timeout"].Index, "%s: %s gives a hook of %s %s at most", who, h.Form.Client, event, most)
		}
	}
	for i, v := range h.Env {
		h.Env[i] = v[:strings.Index(v, "=")] + h.Form.Expanded(v[strings.Index(v, "="):])
	}
}
