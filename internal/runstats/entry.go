package runstats

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/protocol"
)

// entry is what a line says, as far as anybody here asks. Texts and values stand as they do in the line, texts with their quotes,
// and are parts of it; what the line does not have is "".
type entry struct {
	time                       int64 // in microseconds since 1970
	session, workspace, id     string
	event, tool                string
	args, argsPreview          string
	result, resultPreview      string
	argsSize, resultSize       float64
	failed                     bool
	err                        string
	outcome                    bool // there is one, and the line has what follows
	decision                   protocol.Decision
	stop                       bool
	reason, cause, hook        string
	updatedInput, updatedOut   string
	lint                       float64         // how many of the warnings are about the style of files
	notes                      []protocol.Note // of the hooks, in their order
	inject, messages, warnings string          // arrays
	hooks                      string          // an array
	count                      int             // of hooks
	list                       []report        // the first maxList of them
	outcomeEvent, outcomeTool  string
}

// report is what a line says about one hook.
type report struct {
	name, source, status, stderr string
	duration, limit              float64 // in milliseconds
}

// read reads a line, and reports whether it can be read: it is one JSON object with a time and with an outcome or an error, and
// nothing that is asked for is of a wrong type. Of two equal keys the last counts.
func (e *entry) read(line []byte) bool {
	*e = entry{list: e.list[:0], notes: e.notes[:0]}
	if !valid(line) {
		return false
	}
	var in reader
	when := ""
	in.members(gjson.ParseBytes(line), func(key string, v gjson.Result) {
		switch key {
		case "time":
			when = in.text(v)
		case "session_id":
			e.session = in.text(v)
		case "workspace":
			e.workspace = in.text(v)
		case "tool_use_id":
			e.id = in.text(v)
		case "event":
			e.event = in.text(v)
		case "tool":
			e.tool = in.text(v)
		case "args":
			e.args = v.Raw
		case "args_preview":
			e.argsPreview = in.text(v)
		case "args_size":
			e.argsSize = in.number(v)
		case "result":
			e.result = in.text(v)
		case "result_preview":
			e.resultPreview = in.text(v)
		case "result_size":
			e.resultSize = in.number(v)
		case "failed":
			e.failed = in.flag(v)
		case "error":
			e.err = in.text(v)
		case "lint":
			e.lint = in.number(v)
		case "notes":
			e.notes = e.notes[:0]
			in.elements(v, func(v gjson.Result) { e.notes = append(e.notes, protocol.Note(text(in.text(v)))) })
		case "outcome":
			e.readOutcome(&in, v)
		}
	})
	if in.failed || when == "" || e.err == "" && !e.outcome {
		return false
	}
	if e.outcomeEvent != "" {
		e.event = e.outcomeEvent
	}
	if e.outcomeTool != "" {
		e.tool = e.outcomeTool
	}
	t, err := time.Parse(time.RFC3339Nano, unquoted(when))
	e.time = t.UnixMicro()
	return err == nil
}

// note is that of a hook, by its place among those of the call.
func (e *entry) note(order int) protocol.Note {
	if order < len(e.notes) {
		return e.notes[order]
	}
	return ""
}

func (e *entry) readOutcome(in *reader, outcome gjson.Result) {
	e.outcome, e.stop, e.decision = true, false, protocol.Block
	e.reason, e.cause, e.hook, e.updatedInput, e.updatedOut = "", "", "", "", ""
	e.inject, e.messages, e.warnings, e.hooks, e.count, e.list = "", "", "", "", 0, e.list[:0]
	e.outcomeEvent, e.outcomeTool = "", ""
	decided := false
	in.members(outcome, func(key string, v gjson.Result) {
		switch key {
		case "event":
			e.outcomeEvent = in.text(v)
		case "tool":
			e.outcomeTool = in.text(v)
		case "decision":
			decided = e.decision.UnmarshalText([]byte(unquoted(in.text(v)))) == nil
		case "stop":
			e.stop = in.flag(v)
		case "reason":
			e.reason = in.text(v)
		case "cause":
			e.cause = in.text(v)
		case "hook":
			e.hook = in.text(v)
		case "updated_input":
			e.updatedInput = v.Raw
		case "updated_output":
			e.updatedOut = v.Raw
		case "inject":
			e.inject = in.elements(v, func(v gjson.Result) { in.inject(v) })
		case "system_messages":
			e.messages = in.elements(v, func(v gjson.Result) { in.text(v) })
		case "warnings":
			e.warnings = in.elements(v, func(v gjson.Result) { in.text(v) })
		case "hooks":
			e.count, e.list = 0, e.list[:0]
			e.hooks = in.elements(v, func(v gjson.Result) {
				r := in.report(v)
				if e.count++; e.count <= maxList {
					e.list = append(e.list, r)
				}
			})
		}
	})
	in.failed = in.failed || !decided
}

// maxList is how many reports of a line are kept. A line of 16 MiB can have hundreds of thousands, and those are read again.
const maxList = 400

// reports gives each report of the entry.
func (e *entry) reports(do func(report)) {
	if e.count <= maxList {
		for _, r := range e.list {
			do(r)
		}
		return
	}
	var in reader
	in.elements(gjson.Parse(e.hooks), func(v gjson.Result) { do(in.report(v)) })
}

// injecting gives the name of the hook of each entry of inject, "" where it has none.
func (e *entry) injecting(do func(hook string)) {
	if e.inject != "" {
		var in reader
		in.elements(gjson.Parse(e.inject), func(v gjson.Result) { do(in.inject(v)) })
	}
}

// texts gives each text of an array.
func texts(array string, do func(string)) {
	if array != "" {
		gjson.Parse(array).ForEach(func(_, v gjson.Result) bool {
			do(text(v.Raw))
			return true
		})
	}
}

// Call is what a line of a log says, for a person.
type Call struct {
	Time     time.Time
	Session  string
	Event    string
	Tool     string
	Decision string // "" if there was none
	Stop     bool
	Cause    string
	Hook     string // that decided
	Reason   string
	Error    string // the call came to no verdict
	Hooks    []Report
}

// Report is what became of a hook in a call.
type Report struct {
	Name     string
	Status   protocol.Status
	Duration time.Duration
}

// ParseCall reads a line.
func ParseCall(line []byte) (c Call, ok bool) {
	var e entry
	if !e.read(line) {
		return c, false
	}
	c = Call{
		Time: time.UnixMicro(e.time), Session: text(e.session), Event: text(e.event), Tool: text(e.tool),
		Error: text(e.err),
	}
	if e.outcome {
		c.Decision, c.Stop, c.Cause, c.Hook, c.Reason = e.decision.String(), e.stop, text(e.cause), text(e.hook), text(e.reason)
	}
	e.reports(func(r report) {
		c.Hooks = append(c.Hooks, Report{text(r.name), protocol.Status(text(r.status)), milliseconds(r.duration)})
	})
	return c, true
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// Filter says which calls count. The zero Filter takes all.
type Filter struct {
	Since   time.Time
	Session string
}

// Admits reports whether a call counts.
func (f Filter) Admits(c *Call) bool {
	return !c.Time.Before(f.Since) && (f.Session == "" || c.Session == f.Session)
}

// filter is a Filter, ready to be held against entries.
type filter struct {
	since   int64
	session string // "" takes all
}

func (f Filter) ready() filter {
	r := filter{session: f.Session, since: -1 << 63}
	if !f.Since.IsZero() {
		r.since = f.Since.UnixMicro()
	}
	return r
}

func (f filter) admits(e *entry) bool {
	return e.time >= f.since && (f.session == "" || unquoted(e.session) == f.session)
}
