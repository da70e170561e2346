package hookfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/glob/lint"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// entry is an entry during parsing.
type entry struct {
	*parser
	value  gjson.Result
	values map[string]gjson.Result // by key
	who    string                  // the entry's name for messages
}

// keys returns the entry's keys of the given kinds.
func (e *entry) keys(of ...kind) (there []string) {
	for i := range fields {
		if _, ok := e.values[fields[i].key]; ok && slices.Contains(of, fields[i].kind) {
			there = append(there, fields[i].key)
		}
	}
	return there
}

// hook reads the nth entry. ok is false if the entry has an error.
func (p *parser) hook(value gjson.Result, n int) (h hook.Hook, ok bool) {
	if !value.IsObject() {
		p.wrongType("hook "+strconv.Itoa(n), "an object", value)
		return h, false
	}
	before := len(p.problems)
	if p.entryKeys == nil {
		p.entryKeys = entryKeys()
	}
	e := entry{p, value, p.fields(value, p.entryKeys), "hook " + strconv.Itoa(n)}
	h.File, h.Dialect, h.Inherit, h.MaxStopBlocks = p.file, tenex.Dialect, p.inherit, p.maxStopBlocks
	h.Line, h.Column = p.locator.Position(value.Index)
	h.TakesFiles, h.Observe, h.ObserveUntil = true, p.observe, p.observeUntil
	if name := e.values["name"]; name.Type == gjson.String && strings.TrimSpace(name.String()) != "" {
		h.Name = name.String()
		e.who = "hook " + quote(h.Name)
	}
	r := &reader{p, e.who + ": ", "dialect", e.values["dialect"]}
	if r.value.Exists() && !r.readDialect(&h) {
		return h, false // without the dialect the other keys have no meaning
	}
	defer func() { p.form = nil }()
	e.checkRequired()
	for i := range fields {
		f := &fields[i]
		r.key, r.value = f.key, e.values[f.key]
		if r.value.Exists() && f.read != nil && (f.kind != requests || h.HTTP != nil) {
			f.read(r, &h)
		}
	}
	if h.StaticVerdict != nil {
		h.Inherit = nil // a rule runs no process
	}
	e.checkRequest(&h)
	e.warnUnreachable(&h)
	e.checkClientKeys(&h)
	e.checkMeaningless(&h)
	return h, len(p.problems) == before
}

// checkRequired reports missing keys, and handlers beside the first.
func (e *entry) checkRequired() {
	var missing []string
	if _, ok := e.values["name"]; !ok {
		missing = append(missing, `no "name"`)
	}
	handlers := e.keys(handler)
	if len(handlers) == 0 {
		missing = append(missing, `no "command"`) // any handler would do, but most hooks are commands
	}
	if _, ok := e.values["events"]; !ok {
		missing = append(missing, `no "events"`)
	}
	if len(missing) > 0 {
		e.problem(e.value.Index, "%s has %s", e.who, strings.Join(missing, ", "))
	}
	if len(handlers) > 1 {
		e.problem(e.value.Index, `%s has "%s"; an entry does one of them`, e.who, strings.Join(handlers, `" and "`))
	}
}

// checkMeaningless reports keys that mean nothing beside the others.
func (e *entry) checkMeaningless(h *hook.Hook) {
	_, command := e.values["command"]
	useless := e.keys(processes, programs)
	if len(useless) > 0 && h.StaticVerdict != nil && !command && h.HTTP == nil {
		e.problem(e.value.Index, `%s runs no command, so "%s" would mean nothing; leave it out`, e.who,
			strings.Join(useless, `", "`))
	}
	if exit := e.values["on_failure"].Get("exit"); h.HTTP == nil && h.Form == nil && exit.String() == "continue" &&
		slices.Equal(h.Events, []protocol.Event{protocol.PreTool}) {
		e.problem(exit.Index,
			"%s: \"on_failure\" for \"exit\" would mean nothing: before a tool every exit but 0 blocks; leave it out",
			e.who)
	}
	if workers, ok := e.values["workers"]; ok && !h.Persistent && h.HTTP == nil {
		e.problem(workers.Index, "%s: \"workers\" is for persistent hooks; add \"persistent\": true, or leave it out",
			e.who)
	}
}

// reader reads the value of one key of an entry.
type reader struct {
	*parser
	who   string
	key   string
	value gjson.Result
}

// quotedKey returns the key for messages.
func (r *reader) quotedKey() string { return `"` + r.key + `"` }

// text returns a string that can be passed to a process. NUL is an error: it would end the string early, and the system
// refuses it.
func (r *reader) text(v gjson.Result, what string) (string, bool) {
	if v.Type != gjson.String {
		r.wrongType(r.who+what, "a string", v)
		return "", false
	}
	s := v.String()
	if strings.ContainsRune(s, 0) {
		r.problem(v.Index, "%s%s has a NUL character, which no process can be given", r.who, what)
		return "", false
	}
	return s, true
}

func (r *reader) name(*hook.Hook) {
	if s, ok := r.text(r.value, r.quotedKey()); ok && strings.TrimSpace(s) == "" {
		r.problem(r.value.Index, "%s\"name\" is blank", r.who)
	}
}

func (r *reader) command(h *hook.Hook) {
	h.Command = r.clientCommand(r.words())
	h.RunsAt = r.at(r.value.Index, "")
	if path := launch.PathInWorkspace(h.Command); path != "" && r.level < hook.ProjectLevel {
		r.warnOfGate(r.value.Index, fmt.Sprintf("%s%s is a path in the workspace, so each project says what this "+
			"hook does; write the whole path", r.who, quote(path)))
	}
}

// words reads the command as written in the file.
func (r *reader) words() (c hook.Command) {
	switch {
	case r.value.Type == gjson.String:
		if s, ok := r.text(r.value, `"command"`); ok {
			c.Shell = s
			if strings.TrimSpace(s) == "" {
				r.problem(r.value.Index, "%shas an empty command", r.who)
			}
		}
	case r.value.IsArray():
		c.Argv = []string{}
		r.value.ForEach(func(_, v gjson.Result) bool {
			s, ok := r.text(v, `"command"[`+strconv.Itoa(len(c.Argv))+"]")
			if ok && s == "" && len(c.Argv) == 0 {
				r.problem(v.Index, "%shas an empty command", r.who)
			}
			c.Argv = append(c.Argv, s)
			return true
		})
		if len(c.Argv) == 0 {
			r.problem(r.value.Index, "%shas an empty command", r.who)
		}
	default:
		r.wrongType(r.who+`"command"`, "an array of strings, or a string for sh -c", r.value)
	}
	return c
}

func (r *reader) events(h *hook.Hook) {
	h.Events = r.eventsOf(h.Dialect)
	if h.Dialect.Own != nil {
		r.setVariant(h)
	}
}

func (r *reader) eventsOf(d *dialect.Dialect) (events []protocol.Event) {
	if !r.value.IsArray() {
		r.wrongType(r.who+`"events"`, "an array of strings", r.value)
		return nil
	}
	n := 0
	r.value.ForEach(func(_, v gjson.Result) bool {
		n++
		if v.Type != gjson.String {
			r.wrongType(r.who+"an event", "a string", v)
			return true
		}
		e := protocol.Event(v.String())
		if d.Own != nil {
			events = r.clientEvents(d, e, v, events)
			return true
		}
		if known, _ := eventNames(); !slices.Contains(known, string(e)) {
			r.problem(v.Index, "%sunknown event %s%s", r.who, quote(v.String()), r.eventHint(v.String()))
			return true
		}
		if !slices.Contains(events, dialect.Canonical(e)) {
			events = append(events, dialect.Canonical(e))
		}
		return true
	})
	if n == 0 {
		_, list := eventNames() // with "dialect" also the client's events
		r.problem(r.value.Index, "%ssubscribes to no events; supported are %s", r.who, list)
	}
	return events
}

func (p *parser) eventHint(wrong string) string {
	known, list := eventNames()
	event := protocol.Event(wrong)
	clients := p.clientsWithEvent(event)
	if len(clients) > 0 && !slices.Contains(dialect.CanonicalEvents(), dialect.Canonical(event)) {
		return fmt.Sprintf(`; add "dialect": "%s" for it; without "dialect" supported are %s`,
			strings.Join(clients, `" or "`), list)
	}
	return "; supported are " + list + spelling.Suggest(wrong, known)
}

// eventNames returns all names of events, and a text that lists the canonical names.
func eventNames() (all []string, list string) {
	var canonical []string
	for _, e := range dialect.CanonicalEvents() {
		canonical = append(canonical, string(e))
		all = append(all, string(e), string(dialect.ClaudeEvent(e)))
	}
	return all, strings.Join(canonical, ", ")
}

func (r *reader) matcher(h *hook.Hook) {
	s, ok := r.text(r.value, `"matcher"`)
	if !ok {
		return
	}
	if h.Form != nil {
		h.Matcher = r.clientPattern(h, s)
		return
	}
	globs, ok := hook.NewGlobs(s)
	if !ok {
		r.problem(r.value.Index,
			"%sthe matcher %s names no tool, so the hook would never run; leave it out for every tool", r.who, quote(s))
	}
	found, err := lint.Check(s, r.knownTools())
	if err != nil {
		r.problem(r.value.Index, "%s%v", r.who, err)
	}
	for _, f := range found {
		if r.doubt(h, r.at(r.value.Index, ""), r.who+f.Text, f); f.Kind == lint.Never && f.Meant != "" {
			globs = globs.Also(f.Meant) // a gate must not pass what it was probably meant for
		}
	}
	h.Matcher = globs
}

func (r *reader) boolean() bool {
	if r.value.Type != gjson.True && r.value.Type != gjson.False {
		r.wrongType(r.who+r.quotedKey(), "true or false", r.value)
	}
	return r.value.Type == gjson.True
}

// enabled reads "enabled". check --parse shows Disabled.
func (r *reader) enabled(h *hook.Hook) {
	if !r.boolean() {
		h.Disabled = `"enabled" is false in ` + h.Source()
	}
}

// observes reads "mode" and reports whether the hooks only observe.
func (r *reader) observes() bool {
	mode, ok := r.text(r.value, r.quotedKey())
	if ok && mode != "block" && mode != "observe" {
		r.problem(r.value.Index, `%s"mode" must be "block" or "observe", not %s%s`, r.who, quote(mode),
			hint(mode, []string{"block", "observe"}))
	}
	return mode == "observe"
}

// observeUntil reads "observe_until". The row follows the row of "mode".
func (r *reader) observeUntil(h *hook.Hook) {
	if h.ObserveUntil = r.dayAfter(); !h.Observe {
		r.problem(r.value.Index, `%s"observe_until" is for a hook that only observes; add "mode": "observe", `+
			"or leave it out", r.who)
	}
}

// dayAfter reads a day, and returns the beginning of the next day in UTC.
func (r *reader) dayAfter() (next time.Time) {
	text, ok := r.text(r.value, r.quotedKey())
	if !ok {
		return next
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		r.problem(r.value.Index, `%s%s must be a day, as "2027-01-31", not %s`, r.who, r.quotedKey(), quote(text))
		return next
	}
	return day.AddDate(0, 0, 1)
}

// maxWorkers bounds the processes of a persistent hook. A larger number is a typing error.
const maxWorkers = 64

// number reads a whole number from 1 to most.
func (r *reader) number(most int) int {
	if r.value.Type != gjson.Number {
		r.wrongType(r.who+r.quotedKey(), "a number", r.value)
		return 0
	}
	if n := r.value.Num; n >= 1 && n <= float64(most) && n == float64(int(n)) {
		return int(n)
	}
	r.problem(r.value.Index, "%s%s must be a whole number from 1 to %d, not %s", r.who, r.quotedKey(), most,
		brief(r.value.Raw))
	return 0
}

func (r *reader) timeout(h *hook.Hook) {
	var err error
	switch r.value.Type {
	case gjson.Number:
		if h.Timeout, err = timeoutSeconds(r.value.Raw); h.Timeout > dialect.LongTimeout {
			const text = `%s"timeout" is in seconds, and %s of them are more than ten minutes; if these are ` +
				`milliseconds write "%[2]sms", else "%[2]ss"`
			w := r.at(r.value.Index, fmt.Sprintf(text, r.who, brief(r.value.Raw)))
			w.Once = true
			r.config.Warnings = append(r.config.Warnings, w)
		}
	case gjson.String:
		h.Timeout, err = timeoutDuration(r.value.String())
	default:
		r.wrongType(r.who+`"timeout"`, "a duration such as \"5s\", or a number of seconds", r.value)
	}
	if err != nil {
		r.problem(r.value.Index, "%s\"timeout\" %v", r.who, err)
	}
}

// ParseTimeout parses the timeout of a flag: a duration such as 5s, or a number of seconds.
func ParseTimeout(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n-n == 0 { // not for inf and NaN
		return timeoutSeconds(text)
	}
	return timeoutDuration(text)
}

func timeoutSeconds(number string) (time.Duration, error) {
	seconds, _ := strconv.ParseFloat(number, 64) // the error is an overflow: seconds is infinite then
	if seconds > 3600 {
		return 0, fmt.Errorf("is in seconds, and %s of them are more than an hour; if these are milliseconds write "+
			"\"%sms\", if you mean it a duration such as \"2h\"", brief(number), brief(number))
	}
	d := time.Duration(max(seconds, 0) * float64(time.Second))
	if d <= 0 {
		return 0, fmt.Errorf("must be more than 0, not %s", brief(number))
	}
	return d, nil
}

func timeoutDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && text != "" && strings.Trim(text, "0123456789.") == "": // a flag's number was read before
		const message = `%s is no duration; write %s without quotes for seconds, or "%[2]ss"`
		return 0, fmt.Errorf(message, quote(text), brief(text))
	case err != nil:
		return 0, fmt.Errorf("%s is no duration; write \"5s\", \"1m30s\", or a number of seconds", quote(text))
	case d <= 0:
		return 0, fmt.Errorf("must be more than 0, not %s", quote(text))
	}
	return d, nil
}

// ParseFailurePolicy returns the policy that applies "block" or "continue" to every cause of a failure.
func ParseFailurePolicy(word string) (dialect.FailurePolicy, error) {
	policy := dialect.FailurePolicy{}
	for _, cause := range dialect.FailureCauses() {
		switch word {
		case "block":
			policy[cause] = protocol.Block
		case "continue":
			policy[cause] = protocol.Continue
		default:
			near := spelling.Suggest(word, []string{"block", "continue"})
			return nil, fmt.Errorf("must be block or continue, not %q%s", word, near)
		}
	}
	return policy, nil
}

func (r *reader) onFailure(h *hook.Hook) {
	h.OnFailure = dialect.FailurePolicy{}
	causes := slices.DeleteFunc(slices.Clone(h.Dialect.Causes),
		func(c protocol.Cause) bool { return c == protocol.CauseUnsupported }) // no entry has an unsupported type
	if r.value.Type == gjson.String {
		if d, ok := r.blockOrContinue(r.value); ok {
			for _, c := range causes {
				h.OnFailure[c] = d
			}
			if d == protocol.Block && r.form != nil && r.form.May("on_failure") {
				h.OnFailure[dialect.PolicyOfClient] = d // the word has the client's meaning
			}
		}
		return
	}
	if !r.value.IsObject() {
		r.wrongType(r.who+`"on_failure"`, "\"block\", \"continue\", or an object by cause", r.value)
		return
	}
	var known []string
	for _, c := range causes {
		known = append(known, string(c))
	}
	for cause, v := range r.fields(r.value, known) {
		if d, ok := r.blockOrContinue(v); ok {
			h.OnFailure[protocol.Cause(cause)] = d
		}
	}
}

func (r *reader) blockOrContinue(v gjson.Result) (protocol.Decision, bool) {
	switch {
	case v.Type != gjson.String:
		r.wrongType(r.who+`"on_failure"`, "\"block\" or \"continue\"", v)
	case v.String() == "block":
		return protocol.Block, true
	case v.String() == "continue":
		return protocol.Continue, true
	default:
		r.problem(v.Index, "%s\"on_failure\" must be \"block\" or \"continue\", not %s%s", r.who, quote(v.String()),
			spelling.Suggest(v.String(), []string{"block", "continue"}))
	}
	return protocol.Block, false
}

func (r *reader) env(h *hook.Hook) {
	if !r.value.IsObject() {
		r.wrongType(r.who+`"env"`, "an object of strings", r.value)
		return
	}
	r.value.ForEach(func(key, v gjson.Result) bool {
		name := key.String()
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			r.problem(key.Index, "%s%s cannot be the name of a variable", r.who, quote(name))
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			r.problem(key.Index, "%s%s is set by hookrun; choose a name that does not start with HOOKRUN", r.who,
				brief(name))
		}
		if value, ok := r.text(v, `"env" `+quote(name)); ok {
			h.Env = append(h.Env, name+"="+value)
		}
		return true
	})
}
