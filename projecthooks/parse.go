package projecthooks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// parser walks a document that strictjson found well-formed, and collects problems instead of stopping at one.
// gjson gives each key and value with its offset; equal keys were reported before, so first or last does not matter.
type parser struct {
	file     string
	doc      string
	places   strictjson.Locator
	config   Config
	problems Problems
}

func (p *parser) at(offset int, format string, args ...any) Problem {
	line, col := p.places.Position(offset)
	return Problem{p.file, line, col, fmt.Sprintf(format, args...)}
}

func (p *parser) problem(offset int, format string, args ...any) {
	p.problems = append(p.problems, p.at(offset, format, args...))
}

func (p *parser) sort() {
	slices.SortStableFunc(p.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// fields returns the members of an object by key. A key that is not in known is a problem, unless it is $schema or
// starts with x-.
func (p *parser) fields(object gjson.Result, known []string) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if slices.Contains(known, name) {
			found[name] = value
		} else if name != "$schema" && !strings.HasPrefix(name, "x-") {
			p.problem(key.Index, "unknown key %q%s", name, hint(name, known))
		}
		return true
	})
	return found
}

// hint says what may have been meant; where nothing comes close, what there is.
func hint(wrong string, known []string) string {
	if s := Suggest(wrong, known); s != "" {
		return s
	}
	return "; known are " + strings.Join(known, ", ")
}

func (p *parser) wrongType(what, want string, got gjson.Result) {
	p.problem(got.Index, "%s must be %s, not %s", what, want, typeName(got))
}

func typeName(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return "true or false"
}

func (p *parser) document() {
	top := gjson.Parse(p.doc)
	if !top.IsObject() {
		p.problem(len(p.doc)-len(strings.TrimLeft(p.doc, " \t\r\n")), "a hooks file must be an object, as {\"hooks\": […]}, not %s", typeName(top))
		return
	}
	// The form of "hooks" decides which rules the file is read by, so it is looked at before anything else.
	var form gjson.Result
	top.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "hooks" {
			form = value
		}
		return true
	})
	if form.IsObject() {
		p.problem(form.Index, "\"hooks\" is an object, which is Claude Code's form; this version of hookrun reads the list form only: "+
			"{\"hooks\": [{\"name\": …, \"command\": …, \"events\": […]}]}")
		return
	}
	hooks, ok := p.fields(top, []string{"hooks"})["hooks"]
	if !ok {
		return
	}
	if !hooks.IsArray() {
		p.wrongType(`"hooks"`, "an array", hooks)
		return
	}
	lines := map[string]int{}
	hooks.ForEach(func(_, entry gjson.Result) bool {
		h, ok := p.hook(entry, len(p.config.Hooks)+1)
		if line := lines[h.Name]; line > 0 && h.Name != "" {
			p.config.Warnings = append(p.config.Warnings,
				p.at(entry.Index, "hook %q: the hook of line %d has the same name; reports will not tell them apart", h.Name, line))
		} else if ok {
			lines[h.Name] = h.Line
		}
		p.config.Hooks = append(p.config.Hooks, h)
		return true
	})
}

var hookKeys = []string{"name", "command", "events", "matcher", "timeout", "on_failure", "env"}

// hook reads the nth entry.
func (p *parser) hook(entry gjson.Result, n int) (h Hook, ok bool) {
	if !entry.IsObject() {
		p.wrongType(fmt.Sprintf("hook %d", n), "an object", entry)
		return h, false
	}
	before := len(p.problems)
	f := p.fields(entry, hookKeys)
	h.File, h.Dialect = p.file, protocol.Tenex
	h.Line, _ = p.places.Position(entry.Index)
	who := fmt.Sprintf("hook %d", n)
	if name := f["name"]; name.Type == gjson.String && strings.TrimSpace(name.String()) != "" {
		h.Name = name.String()
		who = fmt.Sprintf("hook %q", h.Name)
	}
	for _, key := range hookKeys[:3] {
		if _, ok := f[key]; !ok {
			p.problem(entry.Index, "%s has no %q", who, key)
		}
	}
	for _, key := range hookKeys {
		value, ok := f[key]
		if !ok {
			continue
		}
		r := reader{p, who + ": ", value}
		switch key {
		case "name":
			r.name()
		case "command":
			h.Command = r.command()
			h.commandPos = p.at(value.Index, "")
		case "events":
			h.Events = r.events()
		case "matcher":
			h.Matcher = r.matcher()
		case "timeout":
			h.Timeout = r.timeout()
		case "on_failure":
			h.OnFailure = r.onFailure()
		case "env":
			h.Env = r.env()
		}
	}
	if _, ok := f["matcher"]; !ok {
		h.Matcher = EveryTool
	}
	return h, len(p.problems) == before
}

// reader reads one value of a hook's entry.
type reader struct {
	*parser
	who   string
	value gjson.Result
}

// text returns a string that a process can be given: NUL would end it early, and the system refuses it.
func (r reader) text(v gjson.Result, what string) (string, bool) {
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

func (r reader) name() {
	if s, ok := r.text(r.value, `"name"`); ok && strings.TrimSpace(s) == "" {
		r.problem(r.value.Index, "%s\"name\" is blank", r.who)
	}
}

func (r reader) command() (c Command) {
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
			s, ok := r.text(v, fmt.Sprintf("\"command\"[%d]", len(c.Argv)))
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

func (r reader) events() (events []protocol.Event) {
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
		e, ok := protocol.ParseEvent(v.String())
		if !ok {
			r.problem(v.Index, "%sunknown event %q%s", r.who, v.String(), eventHint(v.String()))
			return true
		}
		if !slices.Contains(events, e.Canonical()) {
			events = append(events, e.Canonical())
		}
		return true
	})
	if n == 0 {
		r.problem(r.value.Index, "%ssubscribes to no events; supported are %s", r.who, eventList())
	}
	return events
}

func eventHint(wrong string) string {
	var known []string
	for _, e := range protocol.Events() {
		known = append(known, string(e), string(e.Claude()))
	}
	return Suggest(wrong, known) + "; supported are " + eventList()
}

func eventList() string {
	var names []string
	for _, e := range protocol.Events() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}

func (r reader) matcher() Matcher {
	s, ok := r.text(r.value, `"matcher"`)
	if !ok {
		return Matcher{}
	}
	m, ok := NewMatcher(s)
	if !ok {
		r.problem(r.value.Index, "%sthe matcher %q names no tool, so the hook would never run; leave it out for every tool", r.who, s)
	}
	return m
}

func (r reader) timeout() (d time.Duration) {
	var err error
	switch r.value.Type {
	case gjson.Number:
		d, err = timeoutSeconds(r.value.Raw)
	case gjson.String:
		d, err = timeoutDuration(r.value.String())
	default:
		r.wrongType(r.who+`"timeout"`, "a duration such as \"5s\", or a number of seconds", r.value)
	}
	if err != nil {
		r.problem(r.value.Index, "%s\"timeout\" %v", r.who, err)
	}
	return d
}

// ParseTimeout reads a timeout as a flag has it: a duration such as 5s, or a number of seconds.
func ParseTimeout(text string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return timeoutSeconds(text)
	}
	return timeoutDuration(text)
}

func timeoutSeconds(number string) (time.Duration, error) {
	seconds, _ := strconv.ParseFloat(number, 64) // the error is an overflow: the value is infinite then
	if seconds > 3600 {
		return 0, fmt.Errorf("is in seconds, and %s of them are more than an hour; if these are milliseconds write \"%sms\", if you mean it a duration such as \"2h\"", number, number)
	}
	d := time.Duration(max(seconds, 0) * float64(time.Second))
	if d <= 0 {
		return 0, fmt.Errorf("must be more than 0, not %s", number)
	}
	return d, nil
}

func timeoutDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration; write \"5s\", \"1m30s\", or a number of seconds", text)
	case d <= 0:
		return 0, fmt.Errorf("must be more than 0, not %q", text)
	}
	return d, nil
}

func (r reader) onFailure() protocol.FailurePolicy {
	policy, causes := protocol.FailurePolicy{}, protocol.Tenex.Causes
	if r.value.Type == gjson.String {
		if d, ok := r.blockOrContinue(r.value); ok {
			for _, c := range causes {
				policy[c] = d
			}
		}
		return policy
	}
	if !r.value.IsObject() {
		r.wrongType(r.who+`"on_failure"`, "\"block\", \"continue\", or an object by cause", r.value)
		return nil
	}
	var known []string
	for _, c := range causes {
		known = append(known, string(c))
	}
	for cause, v := range r.fields(r.value, known) {
		if d, ok := r.blockOrContinue(v); ok {
			policy[protocol.Cause(cause)] = d
		}
	}
	return policy
}

func (r reader) blockOrContinue(v gjson.Result) (protocol.Decision, bool) {
	switch {
	case v.Type != gjson.String:
		r.wrongType(r.who+`"on_failure"`, "\"block\" or \"continue\"", v)
	case v.String() == "block":
		return protocol.Block, true
	case v.String() == "continue":
		return protocol.Continue, true
	default:
		r.problem(v.Index, "%s\"on_failure\" must be \"block\" or \"continue\", not %q%s", r.who, v.String(), Suggest(v.String(), []string{"block", "continue"}))
	}
	return protocol.Block, false
}

func (r reader) env() (env []string) {
	if !r.value.IsObject() {
		r.wrongType(r.who+`"env"`, "an object of strings", r.value)
		return nil
	}
	r.value.ForEach(func(key, v gjson.Result) bool {
		name := key.String()
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			r.problem(key.Index, "%s%q cannot be the name of a variable", r.who, name)
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			r.problem(key.Index, "%s%s is set by hookrun; choose a name that does not start with HOOKRUN", r.who, name)
		}
		if value, ok := r.text(v, fmt.Sprintf("\"env\" %q", name)); ok {
			env = append(env, name+"="+value)
		}
		return true
	})
	return env
}
