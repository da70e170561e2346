package hookfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/glob/lint"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// entry is an entry during parsing.
type entry struct {
	*parser
	document.Value
	values map[string]document.Value // by key
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
func (p *parser) hook(value document.Value, n int) (h hook.Hook, ok bool) {
	if value.Name = "hook " + strconv.Itoa(n); !value.Is("object") {
		return h, false
	}
	before := len(p.Problems)
	if p.entryKeys == nil {
		p.entryKeys = entryKeys()
	}
	e := entry{p, value, value.Fields(p.entryKeys...)}
	h.File, h.Dialect, h.Inherit, h.MaxStopBlocks = p.File, tenex.Dialect, p.inherit, p.maxStopBlocks
	at := value.Place()
	h.Line, h.Column = at.Line, at.Column
	h.TakesFiles, h.Observe, h.ObserveUntil = true, p.observe, p.observeUntil
	if name := e.values["name"]; name.Type == gjson.String && strings.TrimSpace(name.String()) != "" {
		h.Name = name.String()
		e.Name = "hook " + quote(h.Name)
	}
	for key, v := range e.values {
		v.Who = e.Name + ": "
		e.values[key] = v
	}
	r := &reader{p, e.values["dialect"]}
	if r.Exists() && !r.readDialect(&h) {
		return h, false // without the dialect the other keys have no meaning
	}
	e.checkRequired()
	for i := range fields {
		f := &fields[i]
		if r.Value = e.values[f.key]; r.Exists() && f.read != nil && (f.kind != requests || h.Request() != nil) {
			f.read(r, &h)
		}
	}
	if by, is := h.Handler.(*hook.Process); is && e.isPersistent() {
		by.Workers = max(int(e.values["workers"].Num), 1)
		if _, is := e.values["keep"]; !is {
			by.Keep = hook.DefaultKeep
		}
	}
	e.checkRequest(&h)
	e.warnUnreachable(&h)
	e.checkClientKeys(&h)
	e.checkMeaningless(&h)
	return h, len(p.Problems) == before
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
		e.Problem("%s has %s", e.Name, strings.Join(missing, ", "))
	}
	if len(handlers) > 1 {
		e.Problem(`%s has "%s"; an entry does one of them`, e.Name, strings.Join(handlers, `" and "`))
	}
}

// checkMeaningless reports keys that mean nothing beside the others.
func (e *entry) checkMeaningless(h *hook.Hook) {
	if useless := e.keys(processes, programs); len(useless) > 0 && h.Rule() != nil {
		e.Problem(`%s runs no command, so "%s" would mean nothing; leave it out`, e.Name,
			strings.Join(useless, `", "`))
	}
	if exit := e.values["on_failure"].Member("exit"); exit.String() == "continue" && h.Form == nil &&
		h.Request() == nil && slices.Equal(h.Events, []protocol.Event{protocol.PreTool}) {
		exit.Problem("\"on_failure\" for \"exit\" would mean nothing: before a tool every exit but 0 blocks; " +
			"leave it out")
	}
	for _, key := range [...]string{"workers", "keep"} {
		if value, ok := e.values[key]; ok && !e.isPersistent() && h.Request() == nil {
			value.Problem("%q is for persistent hooks; add \"persistent\": true, or leave it out", key)
		}
	}
}

// reader reads the value of one key of an entry.
type reader struct {
	*parser
	document.Value
}

func (r *reader) name(*hook.Hook) {
	if s, ok := r.ForProcess(); ok && strings.TrimSpace(s) == "" {
		r.Problem("\"name\" is blank")
	}
}

func (r *reader) command(h *hook.Hook) {
	c := clientCommand(h.Form, r.words())
	h.Handler, h.RunsAt = &hook.Process{Command: c}, r.Place()
	if path := launch.PathInWorkspace(c); path != "" && r.level < hook.ProjectLevel {
		r.Warn("%s is a path in the workspace, so each project says what this hook does; write the whole path",
			quote(path)).Gate = true
	}
}

// words reads the command as written in the file.
func (r *reader) words() (c hook.Command) {
	switch {
	case r.Type == gjson.String:
		if s, ok := r.ForProcess(); ok {
			c.Shell = s
			if strings.TrimSpace(s) == "" {
				r.Problem("has an empty command")
			}
		}
	case r.IsArray():
		c.Argv = []string{}
		for v := range r.Elements("", "") {
			v.Name = `"command"[` + strconv.Itoa(len(c.Argv)) + "]"
			s, ok := v.ForProcess()
			if ok && s == "" && len(c.Argv) == 0 {
				v.Problem("has an empty command")
			}
			c.Argv = append(c.Argv, s)
		}
		if len(c.Argv) == 0 {
			r.Problem("has an empty command")
		}
	default:
		r.WrongType("an array of strings, or a string for sh -c")
	}
	return c
}

func (r *reader) events(h *hook.Hook) {
	h.Events = r.eventsOf(h)
	if h.Dialect.Own != nil {
		r.setVariant(h)
	}
}

func (r *reader) eventsOf(h *hook.Hook) (events []protocol.Event) {
	n := 0
	for v := range r.Elements("an array of strings", "an event") {
		n++
		if !v.Is("string") {
			continue
		}
		e := protocol.Event(v.String())
		if h.Dialect.Own != nil {
			events = r.clientEvents(h, e, v, events)
		} else if known, _ := eventNames(); !slices.Contains(known, string(e)) {
			v.Problem("unknown event %s%s", quote(v.String()), r.eventHint(v.String()))
		} else if !slices.Contains(events, tenex.Dialect.Common(e)) {
			events = append(events, tenex.Dialect.Common(e))
		}
	}
	if n == 0 && r.IsArray() {
		_, list := eventNames() // with "dialect" also the client's events
		r.Problem("subscribes to no events; supported are %s", list)
	}
	return events
}

func (p *parser) eventHint(wrong string) string {
	known, list := eventNames()
	event := protocol.Event(wrong)
	clients := p.clientsWithEvent(event)
	if len(clients) > 0 && !slices.Contains(dialect.CanonicalEvents(), p.common(event)) {
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
		all = append(all, string(e), string(dialect.ClaudeEventNamed(e)))
	}
	return all, strings.Join(canonical, ", ")
}

func (r *reader) matcher(h *hook.Hook) {
	s, ok := r.ForProcess()
	if !ok {
		return
	}
	if h.Form != nil {
		h.Matcher = r.clientPattern(h, s)
		return
	}
	globs, ok := hook.NewGlobs(s)
	if !ok {
		r.Problem("the matcher %s names no tool, so the hook would never run; leave it out for every tool", quote(s))
	}
	found, err := lint.Check(s, r.knownTools())
	if err != nil {
		r.Problem("%v", err)
	}
	for _, f := range found {
		if r.doubt(h, r.Place(), r.Who+f.Text, f); f.Kind == lint.Never && f.Meant != "" {
			globs = globs.Also(f.Meant) // a gate must not pass what it was probably meant for
		}
	}
	h.Matcher = globs
}

func (r *reader) boolean() bool {
	return r.Is("boolean") && r.Bool()
}

// enabled reads "enabled". check --parse shows Disabled.
func (r *reader) enabled(h *hook.Hook) {
	if !r.boolean() {
		h.Disabled = `"enabled" is false in ` + h.Source()
	}
}

// observes reads "mode" and reports whether the hooks only observe.
func (r *reader) observes() bool {
	mode, ok := r.ForProcess()
	if ok && mode != "block" && mode != "observe" {
		r.Problem(`"mode" must be "block" or "observe", not %s%s`, quote(mode),
			hint(mode, []string{"block", "observe"}))
	}
	return mode == "observe"
}

// observeUntil reads "observe_until". The row follows the row of "mode".
func (r *reader) observeUntil(h *hook.Hook) {
	if h.ObserveUntil = r.dayAfter(); !h.Observe {
		r.Problem(`"observe_until" is for a hook that only observes; add "mode": "observe", ` +
			"or leave it out")
	}
}

// dayAfter reads a day, and returns the beginning of the next day in UTC.
func (r *reader) dayAfter() (next time.Time) {
	text, ok := r.ForProcess()
	if !ok {
		return next
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		r.Problem(`%s must be a day, as "2027-01-31", not %s`, r.Called(), quote(text))
		return next
	}
	return day.AddDate(0, 0, 1)
}

// isPersistent reports whether the entry is persistent, with any handler.
func (e *entry) isPersistent() bool { return e.values["persistent"].Type == gjson.True }

// maxWorkers bounds the processes of a persistent hook. A larger number is a typing error.
const maxWorkers = 64

// number reads a whole number from 1 to most.
func (r *reader) number(most int) int {
	if !r.Is("number") {
		return 0
	}
	if n := r.Num; n >= 1 && n <= float64(most) && n == float64(int(n)) {
		return int(n)
	}
	r.Problem("%s must be a whole number from 1 to %d, not %s", r.Called(), most, brief(r.Raw))
	return 0
}

// maxKeep bounds the time for which processes stay without a call. A longer one is a typing error.
const maxKeep = 24 * time.Hour

func (r *reader) keep(h *hook.Hook) {
	keep, err := time.Duration(0), error(nil)
	switch {
	case r.Type == gjson.Number && r.Num == 0:
	case r.Type == gjson.Number:
		keep, err = timeoutSeconds(r.Raw)
	case r.Type == gjson.String:
		if keep, err = time.ParseDuration(r.String()); err != nil || keep != 0 {
			keep, err = timeoutDuration(r.String())
		}
	default:
		r.WrongType("a duration such as \"10m\", or a number of seconds")
	}
	if err == nil && keep > maxKeep {
		err = fmt.Errorf("must be at most %v, not %s", maxKeep, quote(r.String()))
	}
	if err != nil {
		r.Problem("\"keep\" %v", err)
	}
	h.Process().Keep = keep
}

func (r *reader) timeout(h *hook.Hook) {
	var err error
	switch r.Type {
	case gjson.Number:
		if h.Timeout, err = timeoutSeconds(r.Raw); h.Timeout > dialect.LongTimeout {
			const text = `"timeout" is in seconds, and %s of them are more than ten minutes; if these are ` +
				`milliseconds write "%[1]sms", else "%[1]ss"`
			r.Warn(text, brief(r.Raw)).Once = true
		}
	case gjson.String:
		h.Timeout, err = timeoutDuration(r.String())
	default:
		r.WrongType("a duration such as \"5s\", or a number of seconds")
	}
	if err != nil {
		r.Problem("\"timeout\" %v", err)
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
	causes := slices.DeleteFunc(h.Dialect.Causes(),
		func(c protocol.Cause) bool { return c == protocol.CauseUnsupported }) // no entry has an unsupported type
	if r.Type == gjson.String {
		if d, ok := blockOrContinue(r.Value); ok {
			for _, c := range causes {
				h.OnFailure[c] = d
			}
			if d == protocol.Block && h.Form != nil && h.Form.May("on_failure") {
				h.OnFailure[dialect.PolicyOfClient] = d // the word has the client's meaning
			}
		}
		return
	}
	if !r.IsObject() {
		r.WrongType("\"block\", \"continue\", or an object by cause")
		return
	}
	var known []string
	for _, c := range causes {
		known = append(known, string(c))
	}
	for cause, v := range r.Fields(known...) {
		v.Key = r.Key
		if d, ok := blockOrContinue(v); ok {
			h.OnFailure[protocol.Cause(cause)] = d
		}
	}
}

func blockOrContinue(v document.Value) (protocol.Decision, bool) {
	if !v.Is("block|continue") {
		return protocol.Block, false
	}
	if v.String() == "continue" {
		return protocol.Continue, true
	}
	return protocol.Block, true
}

func (r *reader) env(h *hook.Hook) {
	for key, v := range r.Members("an object of strings") {
		key.IsVariable()
		v.Name = `"env" ` + quote(key.Key)
		if value, ok := v.ForProcess(); ok {
			h.Env = append(h.Env, key.Key+"="+value)
		}
	}
}
