package hookfile

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// An entry with "dialect" follows the rules of a client: the keys are the same as in every entry, and have the meaning
// of the client's own file.

// readDialect reads "dialect", before all other keys. It reports whether the value names a client.
func (r *reader) readDialect(h *hook.Hook) bool {
	name, ok := r.ForProcess()
	known := r.parts.entryDialects()
	switch {
	case !ok:
		return false
	case name == tenex.Dialect.Name:
		r.Problem("\"dialect\" %s is what entries have without it; leave it out", quote(name))
		return false
	case len(known) == 0:
		r.Problem("unknown dialect %s: this program knows no client", quote(name))
		return false
	case !slices.Contains(known, name):
		r.Problem("unknown dialect %s; known are %s%s", quote(name), strings.Join(known, ", "),
			spelling.Suggest(name, known))
		return false
	}
	client := r.parts.clients().EntryDialects()[slices.Index(known, name)]
	if client.HasProjectRules() {
		h.Dialect = client
		return true
	}
	h.Dialect, h.Form = r.clients.EntryDialect(client), client.Files
	return true
}

// clientCommand returns the command as the client runs it, if the entry has a "dialect".
func clientCommand(form *dialect.Files, c hook.Command) hook.Command {
	if form == nil {
		return c
	}
	c.Shell = form.Expanded(c.Shell)
	if c.Placeholders = len(c.Argv) > 0; c.Placeholders {
		c.Argv[0] = form.Expanded(c.Argv[0])
	}
	return hook.Command(form.Completed(dialect.Command(c)))
}

// clientEvents appends the client's events for a name: a client's event, or the project's name for one or more events.
func (r *reader) clientEvents(h *hook.Hook, name protocol.Event, at document.Value,
	events []protocol.Event) []protocol.Event {
	known, _ := eventNames()
	isProjects := slices.Contains(known, string(name))
	var meant []protocol.Event
	theirs := h.Dialect.FileEvents()
	for _, e := range h.Dialect.Events.Names() {
		if isProjects && h.Dialect.Common(e) == tenex.Dialect.Common(name) {
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
		at.Problem("unknown event %s; %s has %s%s", quote(string(name)), h.Form.Client, strings.Join(known, ", "),
			spelling.Suggest(string(name), known))
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
		general := client.EventOf(client.CallAt(e))
		return general != e && slices.Contains(h.Events, general)
	})
	for i, e := range h.Events {
		d := r.clients.EntryDialect(client.Of(e))
		if i > 0 && d != h.Dialect {
			r.Problem("%s gives hooks of %s another input than those of %s; write an entry for each", h.Form.Client, e,
				h.Events[0])
			return
		}
		h.Dialect = d
	}
}

// clientPattern parses a matcher by the client's rules.
func (r *reader) clientPattern(h *hook.Hook, text string) hook.Matcher {
	if dialect.PatternTooLong(text) {
		r.Problem("the matcher is longer than 64 KiB")
		return nil
	}
	if !h.Form.HasPattern() {
		r.Problem("hooks of %s have no \"matcher\"; use \"when\", or leave \"dialect\" out", h.Form.Client)
		return nil
	}
	subject := ""
	for _, e := range h.Events {
		switch field := h.Dialect.SubjectField(e); {
		case field == "", field == subject:
		case subject == "":
			subject = field
		default:
			r.Problem("the matcher would be compared with %s at one event and %s at %s; write an entry for each",
				subject, field, e)
		}
	}
	pattern := h.Dialect.Files.Pattern(h.Form.Expanded(text), subject)
	if fault := pattern.Fault(); fault != "" && subject != "" {
		r.Warn("the matcher %s %s", quote(text), fault).Gate = !pattern.AlwaysRuns()
	} else if subject == "tool_name" {
		r.patternDoubts(h, pattern, r.Place(), r.Who)
	}
	return pattern
}

// checkClientKeys reports keys and values that depend on "dialect" and are wrong with it, or without it.
func (e *entry) checkClientKeys(h *hook.Hook) {
	f := e.values
	if h.Form == nil {
		for _, key := range e.keys(clients) {
			f[key].Problem("%q is a key of clients' hooks; name the client in \"dialect\", or leave it out", key)
		}
		if e.isPersistent() && h.Dialect != tenex.Dialect {
			f["persistent"].Problem("hooks of the dialect %q cannot be persistent; leave it out", h.Dialect.Name)
		}
		return
	}
	_, hasCommand := f["command"]
	hasCommand = hasCommand && h.String() != ""
	insteadOfIf := `"matcher" and "when"`
	if !h.Form.HasPattern() {
		insteadOfIf = `"when"`
	}
	for _, k := range []struct {
		key, text  string
		ofCommands bool
	}{
		{"url", "%s has no hooks that post to a url; leave \"dialect\" out", false},
		{"if", "hooks of %s have no \"if\"; use " + insteadOfIf + ", or leave \"dialect\" out", false},
		{"async", "no such hook of %s can be async; leave \"async\" out", true},
		{"cwd", "no such hook of %s has a \"cwd\"; leave it out", true},
	} {
		if v, ok := f[k.key]; ok && (!h.Form.May(k.key) || k.ofCommands && !hasCommand) {
			v.Problem(k.text, h.Form.Client)
		}
	}
	if async, ok := f["async"]; ok && h.Async && e.isPersistent() {
		async.Problem("\"async\" is for a process of each call, and \"persistent\" is for one of all calls; " +
			"leave one of them out")
	}
	if policy, ok := f["on_failure"]; ok && (h.Async || len(h.Events) > 0 &&
		!slices.ContainsFunc(h.Events, func(e protocol.Event) bool { return !h.Dialect.CannotBlock(e) })) {
		policy.Problem("\"on_failure\" would mean nothing: no failure of this hook blocks anything in %s; "+
			"leave it out", h.Form.Client)
	}
	for _, event := range h.Events {
		if most := h.Form.MaxTimeoutAt(event); most > 0 && h.Timeout > most {
			f["timeout"].Problem("%s gives a hook of %s %s at most", h.Form.Client, event, most)
		}
	}
	for i, v := range h.Env {
		h.Env[i] = v[:strings.Index(v, "=")] + h.Form.Expanded(v[strings.Index(v, "="):])
	}
}
