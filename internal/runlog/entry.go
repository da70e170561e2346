package runlog

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Entry is one call. Append asks Call for its Input, which two goroutines must not do at once.
type Entry struct {
	Time    time.Time         // when the call began
	Command string            // that was called: pre-tool, serve, …
	Call    *protocol.Call    // as it came in; nil if it did not come so far
	Outcome *protocol.Outcome // nil if there is none
	Err     error             // why there is none
}

// maxText is how many characters of a text a line has at most.
const maxText = 2500

// AppendLine appends the entry as one line of JSON, without the line feed. What the patterns match is not in it, and no secret
// that has a telling name.
//
// It writes by hand what encoding/json could: that takes a third of a millisecond to get ready, which is much for a process
// that lives for two.
func (e *Entry) AppendLine(dst []byte, patterns []*regexp.Regexp) []byte {
	call := e.Call
	if call == nil {
		call = new(protocol.Call)
	}
	w := writer{clean: cleaner{patterns: patterns}}

	switch {
	case e.Err != nil:
		w.key("error")
		w.string(e.Err.Error())
		fallthrough
	case e.Outcome == nil:
		w.text("event", string(call.Event))
		w.text("tool", call.Tool)
	default:
		w.notes(e.Outcome)
		w.outcome(e.Outcome)
	}
	verdict := w.b // first, since what is taken out of it is said before it
	w.b = append(dst, `{"version":1,"time":"`...)
	w.b = append(e.Time.UTC().AppendFormat(w.b, "2006-01-02T15:04:05.000000Z"), '"')
	w.text("command", e.Command)
	w.int("pid", int64(os.Getpid()))
	w.text("session_id", call.SessionID)
	w.text("agent_id", call.AgentID)
	w.text("workspace", call.Workspace)
	w.text("tool_use_id", call.ToolUseID)
	if call.Event.HasTool() {
		w.args(call)
	} else {
		w.text("prompt", call.Prompt)
	}
	if call.Event.Canonical() == protocol.PostTool && call.Result != "" {
		if text, size := w.clean.excerpt(call.Result); size > maxText {
			w.preview("result", text, size)
		} else {
			w.key("result")
			w.b = strictjson.AppendString(w.b, text)
		}
	}
	w.flag("failed", call.Failed)
	w.flag("redacted", w.clean.found)
	if len(verdict) > 0 {
		w.b = append(append(w.b, ','), verdict...)
	}
	return append(w.b, '}')
}

// args writes the tool's arguments.
func (w *writer) args(call *protocol.Call) {
	input, _, err := call.Input()
	if err != nil { // nested too deep: to us a text like any other
		text, size := w.clean.excerpt(call.Args)
		w.preview("args", text, size)
		return
	}
	if text, size := w.clean.excerptJSON(input); size > maxText {
		w.preview("args", text, size)
	} else {
		w.key("args")
		w.b = append(w.b, text...)
	}
}

// writer writes members of an object. A member that is empty is left out, as encoding/json does with omitempty.
type writer struct {
	b     []byte
	clean cleaner
}

func (w *writer) comma() {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' && w.b[n-1] != '[' {
		w.b = append(w.b, ',')
	}
}

func (w *writer) key(name string) {
	w.comma()
	w.b = append(strictjson.AppendString(w.b, name), ':')
}

func (w *writer) text(key, value string) {
	if value != "" {
		w.key(key)
		w.string(value)
	}
}

// string writes a text, cleaned and cut.
func (w *writer) string(value string) {
	text, size := w.clean.excerpt(value)
	w.b = strictjson.AppendString(w.b, text)
	w.cut(size)
}

// cut says in the string that was just written how long it was.
func (w *writer) cut(size int) {
	if size > maxText {
		w.b = fmt.Appendf(w.b[:len(w.b)-1], ` … (%d characters)"`, size)
	}
}

func (w *writer) preview(what, text string, size int) {
	w.key(what + "_preview")
	w.b = strictjson.AppendString(w.b, text)
	w.int(what+"_size", int64(size))
}

func (w *writer) int(key string, value int64) {
	w.key(key)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *writer) flag(key string, value bool) {
	if value {
		w.key(key)
		w.b = append(w.b, "true"...)
	}
}

func (w *writer) milliseconds(key string, value protocol.Milliseconds) {
	w.key(key)
	text, _ := value.MarshalJSON() // a number cannot fail
	w.b = append(w.b, text...)
}

// json writes a value that hooks gave. What is too long, or is no JSON after all, becomes a string.
func (w *writer) json(key string, value []byte) {
	if len(value) == 0 {
		return
	}
	w.key(key)
	text, size := w.clean.excerptJSON(value)
	if size <= maxText {
		if len(strictjson.Check(string(value), maxText)) == 0 {
			w.b = append(w.b, text...)
			return
		}
		text, size = w.clean.excerpt(string(value))
	}
	w.b = strictjson.AppendString(w.b, text)
	w.cut(size)
}

func (w *writer) list(key string, n int, each func(i int)) {
	if n == 0 {
		return
	}
	w.key(key)
	w.b = append(w.b, '[')
	for i := range n {
		w.comma()
		each(i)
	}
	w.b = append(w.b, ']')
}

func (w *writer) texts(key string, values []string) {
	w.list(key, len(values), func(i int) { w.string(values[i]) })
}

func (w *writer) open()  { w.b = append(w.b, '{') }
func (w *writer) close() { w.b = append(w.b, '}') }

// outcome writes what Outcome.JSON does.
func (w *writer) outcome(o *protocol.Outcome) {
	w.key("outcome")
	w.open()
	w.int("version", int64(o.Version))
	w.key("event")
	w.string(string(o.Event))
	w.text("tool", o.Tool)
	w.text("decision", o.Decision.String())
	w.flag("approved", o.Approved)
	w.flag("stop", o.Stop)
	w.text("stop_reason", o.StopReason)
	w.text("reason", o.Reason)
	w.text("cause", string(o.Cause))
	w.text("hook", o.Hook)
	w.json("updated_input", o.UpdatedInput)
	w.json("updated_output", o.UpdatedOutput)
	w.list("inject", len(o.Inject), func(i int) { w.inject(&o.Inject[i]) })
	w.texts("system_messages", o.SystemMessages)
	if len(o.Other) > 0 {
		w.key("other")
		w.open()
		for _, f := range o.Other {
			if named(f.Key) >= secret {
				w.key(w.clean.text(f.Key, len(f.Key)))
				w.b = strictjson.AppendString(w.b, w.clean.hide())
			} else {
				w.json(w.clean.text(f.Key, len(f.Key)), f.Value)
			}
		}
		w.close()
	}
	w.texts("warnings", o.Warnings)
	if len(o.Hooks) == 0 {
		w.key("hooks")
		w.b = append(w.b, "[]"...)
	}
	w.list("hooks", len(o.Hooks), func(i int) { w.hook(&o.Hooks[i]) })
	w.milliseconds("duration_ms", o.Duration)
	w.close()
}

// notes writes what is known of an outcome that its JSON does not have: how many of its warnings are about how the hooks files are
// written and come with every call, and for each hook a word, "" where its status says all.
func (w *writer) notes(o *protocol.Outcome) {
	if len(o.Lint) > 0 {
		w.int("lint", int64(len(o.Lint)))
	}
	if slices.ContainsFunc(o.Hooks, func(h protocol.HookReport) bool { return h.Note != "" }) {
		w.list("notes", len(o.Hooks), func(i int) { w.b = strictjson.AppendString(w.b, string(o.Hooks[i].Note)) })
	}
}

func (w *writer) inject(in *protocol.Inject) {
	w.open()
	w.text("hook", in.Hook)
	w.key("content")
	w.string(in.Content)
	w.flag("truncated", in.Truncated)
	w.text("file", in.File)
	w.text("strategy", string(in.Strategy))
	w.text("source", in.Source)
	w.text("id", in.ID)
	w.close()
}

func (w *writer) hook(h *protocol.HookReport) {
	w.open()
	w.key("name")
	w.string(h.Name)
	w.key("source")
	w.string(h.Source)
	w.key("status")
	w.string(string(h.Status))
	w.text("cause", string(h.Cause))
	if h.ExitCode != nil {
		w.int("exit_code", int64(*h.ExitCode))
	}
	w.text("signal", h.Signal)
	if h.Start != 0 {
		w.milliseconds("start_ms", h.Start)
	}
	w.milliseconds("duration_ms", h.Duration)
	if h.Limit != 0 {
		w.milliseconds("limit_ms", h.Limit)
	}
	w.int("stdout_bytes", h.StdoutBytes)
	w.text("stderr", h.Stderr)
	w.list("left_running", len(h.LeftRunning), func(i int) { w.b = strconv.AppendInt(w.b, int64(h.LeftRunning[i]), 10) })
	w.close()
}
