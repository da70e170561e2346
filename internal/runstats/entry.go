package runstats

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// entry is what a line says, as far as anybody here asks. Texts and values stand as they do in the line, texts with their quotes,
// and are parts of it; what the line does not have is nil.
type entry struct {
	time                       int64 // in microseconds since 1970
	session, workspace, id     []byte
	event, tool                []byte
	args, argsPreview          []byte
	result, resultPreview      []byte
	argsSize, resultSize       float64
	failed                     bool
	err                        []byte
	outcome                    bool // there is one, and the line has what follows
	decision                   protocol.Decision
	stop                       bool
	reason, cause, hook        []byte
	updatedInput, updatedOut   []byte
	lint                       float64         // how many of the warnings are about the style of files
	notes                      []protocol.Note // of the hooks, in their order
	inject, messages, warnings []byte          // arrays
	hooks                      []byte          // an array
	count                      int             // of hooks
	list                       []report        // the first maxList of them
	outcomeEvent, outcomeTool  []byte
	minute                     [17]byte // of the time that was read last, as 2026-11-21T14:43:
	minuteStart                int64
}

// report is what a line says about one hook.
type report struct {
	name, source, status, stderr []byte
	duration, limit              float64 // in milliseconds
}

// read reads a line, and reports whether it can be read: it is one JSON object with a time and with an outcome or an error, and
// nothing that is asked for is of a wrong type. Of two equal keys the last counts.
func (e *entry) read(line []byte) bool {
	*e = entry{minute: e.minute, minuteStart: e.minuteStart, list: e.list[:0], notes: e.notes[:0]}
	s := scanner{doc: line}
	var when []byte
	for in := s.open('{'); in; in = s.next('}') {
		switch string(s.key()) {
		case "time":
			when = s.text()
		case "session_id":
			e.session = s.text()
		case "workspace":
			e.workspace = s.text()
		case "tool_use_id":
			e.id = s.text()
		case "event":
			e.event = s.text()
		case "tool":
			e.tool = s.text()
		case "args":
			e.args = s.value()
		case "args_preview":
			e.argsPreview = s.text()
		case "args_size":
			e.argsSize = s.number()
		case "result":
			e.result = s.text()
		case "result_preview":
			e.resultPreview = s.text()
		case "result_size":
			e.resultSize = s.number()
		case "failed":
			e.failed = s.flag()
		case "error":
			e.err = s.text()
		case "lint":
			e.lint = s.number()
		case "notes":
			e.notes = e.notes[:0]
			s.array(func() { e.notes = append(e.notes, noteOf(unquoted(s.text()))) })
		case "outcome":
			e.readOutcome(&s)
		default:
			s.value()
		}
	}
	if !s.end() || when == nil || e.err == nil && !e.outcome {
		return false
	}
	if e.outcomeEvent != nil {
		e.event = e.outcomeEvent
	}
	if e.outcomeTool != nil {
		e.tool = e.outcomeTool
	}
	return e.readTime(when)
}

// noteOf is a note that is known, without a copy of it.
func noteOf(word []byte) protocol.Note {
	switch string(word) {
	case string(protocol.NoteAsk):
		return protocol.NoteAsk
	case string(protocol.NoteWarning):
		return protocol.NoteWarning
	case string(protocol.NoteRewrite):
		return protocol.NoteRewrite
	}
	return ""
}

// note is that of a hook, by its place among those of the call.
func (e *entry) note(order int) protocol.Note {
	if order < len(e.notes) {
		return e.notes[order]
	}
	return ""
}

func (e *entry) readOutcome(s *scanner) {
	e.outcome, e.stop, e.decision = true, false, protocol.Block
	e.reason, e.cause, e.hook, e.updatedInput, e.updatedOut = nil, nil, nil, nil, nil
	e.inject, e.messages, e.warnings, e.hooks, e.count, e.list = nil, nil, nil, nil, 0, e.list[:0]
	e.outcomeEvent, e.outcomeTool = nil, nil
	decided := false
	for in := s.open('{'); in; in = s.next('}') {
		switch string(s.key()) {
		case "event":
			e.outcomeEvent = s.text()
		case "tool":
			e.outcomeTool = s.text()
		case "decision":
			decided = e.decision.UnmarshalText(unquoted(s.text())) == nil
		case "stop":
			e.stop = s.flag()
		case "reason":
			e.reason = s.text()
		case "cause":
			e.cause = s.text()
		case "hook":
			e.hook = s.text()
		case "updated_input":
			e.updatedInput = s.value()
		case "updated_output":
			e.updatedOut = s.value()
		case "inject":
			e.inject = s.array(func() { s.inject() })
		case "system_messages":
			e.messages = s.array(func() { s.text() })
		case "warnings":
			e.warnings = s.array(func() { s.text() })
		case "hooks":
			e.count, e.list = 0, e.list[:0]
			e.hooks = s.array(func() {
				r := s.report()
				if e.count++; e.count <= maxList {
					e.list = append(e.list, r)
				}
			})
		default:
			s.value()
		}
	}
	if !decided {
		s.fail()
	}
}

// array reads an array by reading each of its elements, and returns it as it stands.
func (s *scanner) array(element func()) []byte {
	s.peek()
	start := s.at
	for in := s.open('['); in; in = s.next(']') {
		element()
	}
	if s.bad {
		return nil
	}
	return s.doc[start:s.at]
}

// inject reads an entry of inject, and returns the name of its hook.
func (s *scanner) inject() (hook []byte) {
	for in := s.open('{'); in; in = s.next('}') {
		if string(s.key()) == "hook" {
			hook = s.text()
		} else {
			s.value()
		}
	}
	return hook
}

// report reads a report, which must say of which hook it is and what became of that.
func (s *scanner) report() (r report) {
	for in := s.open('{'); in; in = s.next('}') {
		switch string(s.key()) {
		case "name":
			r.name = s.text()
		case "source":
			r.source = s.text()
		case "status":
			r.status = s.text()
		case "duration_ms":
			r.duration = s.number()
		case "limit_ms":
			r.limit = s.number()
		case "stderr":
			r.stderr = s.text()
		default:
			s.value()
		}
	}
	if r.name == nil || r.status == nil {
		s.fail()
	}
	return r
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
	s := scanner{doc: e.hooks}
	s.array(func() { do(s.report()) })
}

// injecting gives the name of the hook of each entry of inject, nil where it has none.
func (e *entry) injecting(do func(hook []byte)) {
	if e.inject != nil {
		s := scanner{doc: e.inject}
		s.array(func() { do(s.inject()) })
	}
}

// texts gives each text of an array.
func texts(array []byte, do func(string)) {
	if array != nil {
		s := scanner{doc: array}
		s.array(func() { do(text(s.text())) })
	}
}

// readTime reads a time. Most lines are of the same minute as the one before, and then only the rest is worked out.
func (e *entry) readTime(raw []byte) bool {
	const form = `"2006-01-02T15:04:05.000000Z"`
	usual := len(raw) == len(form) && raw[20] == '.' && raw[27] == 'Z'
	if usual && bytes.Equal(raw[1:18], e.minute[:]) && raw[18] < '6' {
		micros, digits := int64(0), 0
		for _, c := range raw[18:27] {
			if '0' <= c && c <= '9' {
				micros, digits = micros*10+int64(c-'0'), digits+1
			}
		}
		if digits == 8 { // all but the point
			e.time = e.minuteStart + micros
			return true
		}
	}
	t, err := time.Parse(time.RFC3339Nano, text(raw))
	if err != nil {
		return false
	}
	e.time = t.UnixMicro()
	if usual {
		copy(e.minute[:], raw[1:18])
		e.minuteStart = t.Truncate(time.Minute).UnixMicro()
	}
	return true
}

// text is what a string says, "" if there is none.
func text(raw []byte) string {
	switch {
	case raw == nil:
		return ""
	case bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw):
		return string(raw[1 : len(raw)-1])
	}
	return strictjson.Text(string(raw))
}

// unquoted is text without a copy where that is possible.
func unquoted(raw []byte) []byte {
	if raw == nil || bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return bytes.Trim(raw, `"`)
	}
	return []byte(text(raw))
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
	session []byte // "" takes all
}

func (f Filter) ready() filter {
	r := filter{session: []byte(f.Session), since: -1 << 63}
	if !f.Since.IsZero() {
		r.since = f.Since.UnixMicro()
	}
	return r
}

func (f filter) admits(e *entry) bool {
	return e.time >= f.since && (len(f.session) == 0 || bytes.Equal(unquoted(e.session), f.session))
}
