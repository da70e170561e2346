package runlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Entry is one call. Append calls Call.Input, so no other goroutine may call Input meanwhile.
type Entry struct {
	Time    time.Time         // when the call began
	Command string            // the command that was called: pre-tool, serve, …
	Call    *dialect.Call     // as received; nil if unreadable
	Outcome *protocol.Outcome // nil if the call has none
	Lint    int               // how many warnings are about the style of hooks files
	Notes   []string          // for each hook: a fact that the status does not tell, or ""
	Err     error             // why the call has no outcome
	// WholeArgs: arguments up to maxWholeArgs are not cut.
	WholeArgs bool
}

// maxText is the limit of a text in a line, in characters. maxWholeArgs is the limit of uncut arguments with
// Entry.WholeArgs, in bytes.
const (
	maxText      = 2500
	maxWholeArgs = 1 << 20
)

// TimeFormat is the format of times in a log. The times are in UTC.
const TimeFormat = "2006-01-02T15:04:05.000000Z"

// line is the JSON form of an entry.
type line struct {
	Version   int    `json:"version"`
	Time      string `json:"time"`
	Command   string `json:"command,omitempty"`
	Client    string `json:"client,omitempty"` // that the call came from
	PID       int    `json:"pid"`
	SessionID string `json:"session_id,omitempty"`
	AgentID   string `json:"agent_id,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	ToolUseID string `json:"tool_use_id,omitempty"`

	Args          json.RawMessage `json:"args,omitempty"`
	ArgsPreview   string          `json:"args_preview,omitempty"`
	ArgsSize      int             `json:"args_size,omitempty"` // in characters
	Prompt        string          `json:"prompt,omitempty"`
	Result        string          `json:"result,omitempty"`
	ResultPreview string          `json:"result_preview,omitempty"`
	ResultSize    int             `json:"result_size,omitempty"`
	Failed        bool            `json:"failed,omitempty"`
	Blocked       bool            `json:"blocked,omitempty"` // the tool did not run
	Redacted      bool            `json:"redacted,omitempty"`

	Error *string `json:"error,omitempty"`
	Event string  `json:"event,omitempty"` // only for a call without an outcome
	Tool  string  `json:"tool,omitempty"`

	Lint    int               `json:"lint,omitempty"`
	Notes   []string          `json:"notes,omitempty"` // left out if all are empty
	Outcome *protocol.Outcome `json:"outcome,omitempty"`
}

// AppendLine appends the entry as one line of JSON, without the line feed. It removes text that matches the patterns,
// and secrets.
func (e *Entry) AppendLine(dst []byte, patterns []*regexp.Regexp) []byte {
	call := e.Call
	if call == nil {
		call = new(dialect.Call)
	}
	c := newCleaner(patterns)
	l := line{
		Version: 1, Time: e.Time.UTC().Format(TimeFormat), Command: c.cut(e.Command),
		PID:       os.Getpid(),
		SessionID: c.cut(call.SessionID), AgentID: c.cut(call.AgentID), Workspace: c.cut(call.Workspace),
		ToolUseID: c.cut(call.ToolUseID), Failed: call.Failed, Blocked: call.Blocked,
	}
	if call.Client != nil {
		l.Client = c.cut(call.Client.Name)
	}
	if call.IsAboutTool() {
		l.setArgs(&c, call, e.WholeArgs)
	} else {
		l.Prompt = c.cut(call.Prompt)
	}
	if call.Common() == protocol.PostTool {
		if text, size := c.excerpt(call.Result); size > maxText {
			l.ResultPreview, l.ResultSize = text, size
		} else {
			l.Result = text
		}
	}
	if e.Err != nil {
		text := c.cut(e.Err.Error())
		l.Error = &text
	}
	if o := e.Outcome; e.Err != nil || o == nil {
		l.Event, l.Tool = c.cut(string(call.Event)), c.cut(call.Tool)
	} else {
		l.Lint, l.Outcome = e.Lint, c.outcome(*o)
		if slices.ContainsFunc(e.Notes, func(note string) bool { return note != "" }) {
			l.Notes = e.Notes
		}
	}
	l.Redacted = c.Found

	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(&l)                          // cannot fail: all JSON values were checked
	return strictjson.Compact(dst, b.String()) // writes U+2028 and the like unescaped
}

func (l *line) setArgs(c *cleaner, call *dialect.Call, whole bool) {
	input, _, err := call.Input()
	if err != nil { // nested too deep, so log the arguments as text
		l.ArgsPreview, l.ArgsSize = c.excerpt(call.Args)
		return
	}
	if whole && len(input) <= maxWholeArgs {
		limit := c.Limit
		c.Limit = 0
		l.Args = c.JSON(nil, string(input), len(input))
		c.Limit = limit
		return
	}
	if text, size := c.excerptJSON(input); size > maxText {
		l.ArgsPreview, l.ArgsSize = text, size
	} else {
		l.Args = json.RawMessage(text)
	}
}

// outcome returns the outcome for a line, without secrets. hookrun's own words, such as a status, are not checked.
func (c *cleaner) outcome(o protocol.Outcome) *protocol.Outcome {
	o.Event = protocol.Event(c.cut(string(o.Event)))
	c.clean(&o.Tool, &o.StopReason, &o.Reason, &o.Hook, &o.UpdatedBy)
	o.UpdatedInput, o.UpdatedOutput = c.value(o.UpdatedInput), c.value(o.UpdatedOutput)
	o.Texts = slices.Clone(o.Texts)
	for i := range o.Texts {
		in := &o.Texts[i]
		c.clean(&in.Hook, &in.Content, &in.File, &in.Source, &in.ID)
		if in.Display != "" {
			in.Display = dialect.WithDisplay(*in).Display // of the text without secrets
		}
	}
	o.SystemMessages, o.Warnings = slices.Clone(o.SystemMessages), slices.Clone(o.Warnings)
	for _, texts := range [][]string{o.SystemMessages, o.Warnings} {
		for i := range texts {
			c.clean(&texts[i])
		}
	}
	var kept strictjson.Fields
	for _, f := range dialect.OtherOf(o) {
		value := c.value(f.Value)
		if secret.Name(f.Key) >= secret.Secret {
			value = strictjson.AppendString(nil, secret.Mark)
			c.Found = true
		}
		if value != nil {
			kept = append(kept, strictjson.Field{Key: c.Text(f.Key, len(f.Key)), Value: value})
		}
	}
	if o.Other = nil; len(kept) > 0 {
		o.Other = dialect.ObjectOf(kept)
	}
	o.Hooks = append([]protocol.Report{}, o.Hooks...) // never null
	for i := range o.Hooks {
		h := &o.Hooks[i]
		c.clean(&h.Name, &h.Source, &h.Signal, &h.Stderr, &h.Failure, &h.Would)
	}
	return &o
}

// clean replaces texts by their form in a line.
func (c *cleaner) clean(texts ...*string) {
	for _, text := range texts {
		*text = c.cut(*text)
	}
}

// cut returns the form of a text in a line. A long text ends with a note of the length.
func (c *cleaner) cut(text string) string {
	shown, size := c.excerpt(text)
	return withSize(shown, size)
}

func withSize(shown string, size int) string {
	if size > maxText {
		return fmt.Sprintf("%s … (%d characters)", shown, size)
	}
	return shown
}

// value returns the form of a JSON value from a hook in a line. A value that is too long, or no JSON, becomes a string.
func (c *cleaner) value(value []byte) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	text, size := c.excerptJSON(value)
	if size <= maxText {
		if len(strictjson.Check(string(value), maxText)) == 0 {
			return json.RawMessage(text)
		}
		text, size = c.excerpt(string(value))
	}
	return strictjson.AppendString(nil, withSize(text, size))
}
