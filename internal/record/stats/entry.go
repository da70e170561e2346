package stats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// entry has the fields of a line that this package needs. The strings point into the line.
type entry struct {
	call
	outcome
	hook report // the hook being read

	ofCall, ofOutcome, ofHook fields
}

type call struct {
	time                                      time.Time // to the microsecond
	when, session, workspace, id, event, tool quoted
	args                                      value
	argsPreview, prompt                       quoted
	result, resultPreview                     quoted
	argsSize, resultSize                      float64
	failed                                    bool
	err                                       quoted
	lint                                      float64  // number of warnings about the style of files
	notes                                     []quoted // of the hooks, in order
}

type outcome struct {
	decided                       bool // the line has an outcome
	event, tool, word             quoted
	decision                      protocol.Decision
	stop                          bool
	reason, cause, decider        quoted
	updatedInput, updatedOut      value
	injectors, messages, warnings []quoted // injectors: the hook of each text; "": a queue
	displays                      []quoted // the short form of each text
	hooks                         []report
}

// report is the result of one hook in a line.
type report struct {
	name, source, status, stderr, would quoted
	duration, limit                     float64 // in milliseconds
}

func newEntry() *entry {
	e := new(entry)
	e.ofCall = fields{
		"time": &e.when, "session_id": &e.session, "workspace": &e.workspace, "tool_use_id": &e.id,
		"event": &e.call.event, "tool": &e.call.tool, "failed": &e.failed, "error": &e.err,
		"args": &e.args, "args_preview": &e.argsPreview, "args_size": &e.argsSize, "prompt": &e.prompt,
		"result": &e.result, "result_preview": &e.resultPreview, "result_size": &e.resultSize,
		"lint": &e.lint, "notes": &e.notes,
		"outcome": func(v gjson.Result) bool {
			e.outcome = outcome{decided: true, hooks: e.hooks[:0]}
			return e.ofOutcome.read(v) && e.decision.UnmarshalText([]byte(e.word.text())) == nil
		},
	}
	ofInject := fields{}
	e.ofOutcome = fields{
		"event": &e.outcome.event, "tool": &e.outcome.tool, "decision": &e.word, "stop": &e.stop,
		"reason": &e.reason, "cause": &e.cause, "hook": &e.decider,
		"updated_input": &e.updatedInput, "updated_output": &e.updatedOut,
		"system_messages": &e.messages, "warnings": &e.warnings,
		"inject": func(v gjson.Result) bool {
			e.injectors, e.displays = e.injectors[:0], e.displays[:0]
			return elements(v, func(v gjson.Result) bool {
				var hook, display quoted
				ofInject["hook"], ofInject["display"] = &hook, &display
				ok := ofInject.read(v)
				e.injectors, e.displays = append(e.injectors, hook), append(e.displays, display)
				return ok
			})
		},
		"hooks": func(v gjson.Result) bool {
			e.hooks = e.hooks[:0]
			return elements(v, func(v gjson.Result) bool {
				e.hook = report{}
				ok := e.ofHook.read(v) && e.hook.name != "" && e.hook.status != ""
				e.hooks = append(e.hooks, e.hook)
				return ok
			})
		},
	}
	e.ofHook = fields{
		"name": &e.hook.name, "source": &e.hook.source, "status": &e.hook.status, "stderr": &e.hook.stderr,
		"would":       &e.hook.would,
		"duration_ms": &e.hook.duration, "limit_ms": &e.hook.limit,
	}
	return e
}

// read parses a line. It returns false unless the line is one JSON object with a time from year 1 on, with an outcome
// or an error, and with the right type of all needed values. Of two equal keys the last counts.
func (e *entry) read(line []byte) bool {
	e.call, e.outcome = call{notes: e.notes[:0]}, outcome{hooks: e.hooks[:0]}
	if !valid(line) || !e.ofCall.read(gjson.ParseBytes(line)) || e.when == "" || e.err == "" && !e.decided {
		return false
	}
	e.call.event, e.call.tool = cmp.Or(e.outcome.event, e.call.event), cmp.Or(e.outcome.tool, e.call.tool)
	t, err := time.Parse(time.RFC3339Nano, e.when.text())
	e.time = t.Truncate(time.Microsecond)
	return err == nil && !t.Before(time.Time{}) // the zero time stands for no time
}

// note returns the note of a hook, by the index in the call.
func (e *entry) note(hook int) string {
	if hook < len(e.notes) {
		return e.notes[hook].text()
	}
	return ""
}

// about describes a call: the only argument if it is a text, else all arguments, or the prompt.
func (e *entry) about() string {
	args := gjson.Parse(string(e.args))
	switch {
	case e.args == "":
		return cmp.Or(e.argsPreview.clone(), e.prompt.clone())
	case args.Type == gjson.String:
		return quoted(e.args).clone()
	case !args.IsObject():
		return strings.Clone(string(e.args))
	}
	members, only := 0, gjson.Result{}
	args.ForEach(func(_, v gjson.Result) bool {
		members, only = members+1, v
		return members < 2
	})
	switch {
	case members == 0:
		return ""
	case members == 1 && only.Type == gjson.String:
		return quoted(only.Raw).clone()
	}
	return strings.Clone(string(e.args))
}

// maxDepth is the limit of encoding/json.
const maxDepth = 10_000

// valid reports whether a line is JSON. A log has millions of lines, and encoding/json takes almost three times as long
// as gjson. gjson has no depth limit, so it reads only lines with too few brackets to be nested too deep.
func valid(line []byte) bool {
	if bytes.Count(line, []byte("{"))+bytes.Count(line, []byte("[")) > maxDepth {
		return json.Valid(line)
	}
	return gjson.ValidBytes(line)
}

// fields maps the keys of an object to the destinations of their values. The destination sets the type: a *quoted,
// *[]quoted, *float64 or *bool, a *value for any type, or a func that takes the value.
type fields map[string]any

// read reads the members of an object, and reports whether each has the type of its destination.
func (f fields) read(object gjson.Result) bool {
	ok := object.IsObject()
	object.ForEach(func(key, v gjson.Result) bool {
		switch to := f[key.Str].(type) {
		case *quoted:
			*to, ok = quoted(v.Raw), v.Type == gjson.String
		case *[]quoted:
			*to = (*to)[:0]
			ok = elements(v, func(v gjson.Result) bool {
				*to = append(*to, quoted(v.Raw))
				return v.Type == gjson.String
			})
		case *float64:
			*to, ok = v.Num, v.Type == gjson.Number && !math.IsInf(v.Num, 0) // too large for a float64
		case *bool:
			*to, ok = v.Type == gjson.True, v.IsBool()
		case *value:
			*to = value(v.Raw)
		case func(gjson.Result) bool:
			ok = to(v)
		}
		return ok
	})
	return ok
}

// elements calls each for the elements of an array until each returns false. It returns true if no call did.
func elements(array gjson.Result, each func(gjson.Result) bool) bool {
	ok := array.IsArray()
	array.ForEach(func(_, v gjson.Result) bool {
		ok = ok && each(v)
		return ok
	})
	return ok
}

// value is a JSON value as written in a line, or "".
type value string

// quoted is a JSON string as written in a line, with quotes, or "".
type quoted string

// text returns the value of the string, or "". The result may point into the line.
func (q quoted) text() string {
	if q == "" {
		return ""
	}
	return strictjson.Text(string(q))
}

// clone returns a copy of the text, so the line can be freed.
func (q quoted) clone() string { return strings.Clone(q.text()) }

// Call is a line of a log in readable form.
type Call struct {
	Time     time.Time
	Session  string
	Event    string
	Tool     string
	About    string // the arguments or the prompt
	Decision string // "" without a verdict
	Stop     bool
	Cause    string
	Hook     string // the hook that decided
	Reason   string
	Error    string   // why the call has no verdict
	Displays []string // the short forms of the texts for the model
	Hooks    []Report
}

// Report is the result of one hook in a call.
type Report struct {
	Name     string
	Source   string // file:line of the entry
	Status   string
	Duration time.Duration
	Would    string // for a hook that only observes: the effect it would have had
}

// ParseCall reads a line.
func ParseCall(line []byte) (c Call, ok bool) {
	e := newEntry()
	if !e.read(line) {
		return c, false
	}
	c = Call{
		Time: e.time, Session: e.session.clone(), Event: e.call.event.clone(), Tool: e.call.tool.clone(),
		About: e.about(), Error: e.err.clone(),
		Stop: e.stop, Cause: e.cause.clone(), Hook: e.decider.clone(), Reason: e.reason.clone(),
	}
	if e.decided {
		c.Decision = e.decision.String()
	}
	for _, display := range e.displays {
		if display != "" { // a text of an older log has none
			c.Displays = append(c.Displays, display.clone())
		}
	}
	for _, r := range e.hooks {
		took := time.Duration(r.duration * float64(time.Millisecond))
		c.Hooks = append(c.Hooks, Report{r.name.clone(), r.source.clone(), r.status.clone(), took,
			r.would.clone()})
	}
	return c, true
}

// Filter selects calls. The zero Filter admits all calls.
type Filter struct {
	Since   time.Time
	Session string
	Would   bool // only calls that an observing hook would have held up
}

// Admits reports whether a call counts.
func (f Filter) Admits(c *Call) bool {
	goesOn := c.Decision == protocol.Continue.String() && !c.Stop
	return f.admit(c.Time, c.Session) && (!f.Would || goesOn && slices.ContainsFunc(c.Hooks, Report.WouldHold))
}

// WouldHold reports whether the hook only observed, and would have held the call up.
func (r Report) WouldHold() bool { return r.Would != "" && r.Would != dialect.WouldRewrite }

func (f Filter) admits(e *entry) bool {
	holds := func(r report) bool { return Report{Would: r.would.text()}.WouldHold() }
	goesOn := e.decided && e.decision == protocol.Continue && !e.stop
	return f.admit(e.time, e.session.text()) && (!f.Would || goesOn && slices.ContainsFunc(e.hooks, holds))
}

func (f Filter) admit(at time.Time, session string) bool {
	return !at.Before(f.Since.Truncate(time.Microsecond)) && (f.Session == "" || session == f.Session)
}
