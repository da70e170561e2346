package otlp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/pack"
	"github.com/hookrun/hookrun/protocol"
)

// line has the fields of a line of the log that go into a record.
type line struct {
	Time      time.Time `json:"time"`
	Command   string    `json:"command"`
	Client    string    `json:"client"`
	PID       int64     `json:"pid"`
	Missed    int64     `json:"missed"`
	SessionID string    `json:"session_id"`
	AgentID   string    `json:"agent_id"`
	Workspace string    `json:"workspace"`
	ToolUseID string    `json:"tool_use_id"`

	Args          json.RawMessage `json:"args"`
	ArgsPreview   string          `json:"args_preview"`
	Prompt        string          `json:"prompt"`
	Result        string          `json:"result"`
	ResultPreview string          `json:"result_preview"`
	Failed        bool            `json:"failed"`
	Redacted      bool            `json:"redacted"`

	Error *string `json:"error"`
	Event string  `json:"event"`
	Tool  string  `json:"tool"`

	Lint      int             `json:"lint"`
	Outcome   *outcome        `json:"outcome"`
	Heartbeat json.RawMessage `json:"heartbeat"`
}

type outcome struct {
	Event      string         `json:"event"`
	Tool       string         `json:"tool"`
	Decision   string         `json:"decision"`
	Approved   bool           `json:"approved"`
	Stop       bool           `json:"stop"`
	StopReason string         `json:"stop_reason"`
	Reason     string         `json:"reason"`
	Cause      protocol.Cause `json:"cause"`
	Hook       string         `json:"hook"`
	UpdatedBy  string         `json:"updated_by"`
	Warnings   []string       `json:"warnings"`
	Hooks      []report       `json:"hooks"`
	Duration   float64        `json:"duration_ms"`
}

type report struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Status string `json:"status"`
	Would  string `json:"would"`
}

// kind is the kind of a line.
type kind int

const (
	unreadable kind = iota
	other           // of a later version; it is skipped
	sent            // a call or a heartbeat
)

// Severities, as OpenTelemetry numbers them.
const (
	info  = 9
	warn  = 13
	fault = 17
)

// appendRecord appends the record of a line to dst. withArgs adds the arguments, the result and the prompt.
func appendRecord(dst, text []byte, now time.Time, withArgs bool) ([]byte, kind, time.Time) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return dst, unreadable, time.Time{}
	}
	call := l.Error != nil || l.Outcome != nil
	if !call && l.Heartbeat == nil {
		return dst, other, time.Time{}
	}
	if l.Outcome != nil && l.Outcome.Decision == "" || l.Time.Year() < 1970 || l.Time.Year() > 2261 {
		return dst, unreadable, time.Time{}
	}
	r := record{b: dst}
	stamp := func(t time.Time) []byte { return strconv.AppendInt(nil, t.UnixNano(), 10) }
	r.raw(`{"timeUnixNano":"`, string(stamp(l.Time)), `","observedTimeUnixNano":"`, string(stamp(now)), `",`)
	if call {
		l.decision(&r, withArgs)
	} else {
		r.head(info, "hookrun.heartbeat", "heartbeat")
		r.flatten("hookrun.heartbeat", gjson.ParseBytes(l.Heartbeat), 0)
	}
	if l.Missed > 0 {
		r.integer("hookrun.missed", l.Missed)
	}
	r.raw("]}")
	return r.b, sent, l.Time
}

// decision writes the rest of the record of a call.
func (l *line) decision(r *record, withArgs bool) {
	o := l.Outcome
	if o == nil || l.Error != nil { // no verdict
		o = &outcome{Event: l.Event, Tool: l.Tool, Decision: "none"}
	}
	r.head(l.severity(), "hookrun.decision", l.body(o))
	if event := protocol.Event(o.Event); clients.All().IsAboutTool(event) {
		r.text("gen_ai.operation.name", "execute_tool")
	}
	r.text("gen_ai.tool.name", o.Tool)
	r.text("gen_ai.tool.call.id", l.ToolUseID)
	r.text("gen_ai.conversation.id", l.SessionID)
	r.text("gen_ai.agent.id", l.AgentID)
	r.text("hookrun.event", o.Event)
	r.text("hookrun.decision", o.Decision)
	r.text("hookrun.cause", string(o.Cause))
	r.text("hookrun.hook", o.Hook)
	if name, _, ok := strings.Cut(o.Hook, "/"); ok && slices.Contains(pack.Names(), name) {
		r.text("hookrun.rule", o.Hook)
	}
	r.text("hookrun.reason", o.Reason)
	r.flag("hookrun.approved", o.Approved)
	r.flag("hookrun.stop", o.Stop)
	r.text("hookrun.stop_reason", o.StopReason)
	r.text("hookrun.updated_by", o.UpdatedBy)
	if l.Error != nil {
		r.text("hookrun.error", *l.Error)
	} else {
		r.number("hookrun.duration_ms", o.Duration)
	}
	r.hooks(o)
	r.text("hookrun.client", l.Client)
	r.text("hookrun.command", l.Command)
	r.text("hookrun.workspace", l.Workspace)
	r.flag("hookrun.tool_failed", l.Failed)
	r.flag("hookrun.redacted", l.Redacted)
	if l.PID > 0 {
		r.integer("process.pid", l.PID)
	}
	if withArgs {
		r.text("gen_ai.tool.call.arguments", string(l.Args)+l.ArgsPreview)
		r.text("gen_ai.tool.call.result", l.Result+l.ResultPreview)
		r.text("hookrun.prompt", l.Prompt)
	}
}

// hooks writes the hooks that matched.
func (r *record) hooks(o *outcome) {
	var all, failed, would []string
	for _, h := range o.Hooks {
		all = append(all, h.Name)
		if h.failed() {
			failed = append(failed, h.Name+": "+h.Status)
		}
		if h.Would != "" {
			would = append(would, h.Name+": "+h.Would)
		}
		if h.Name == o.Hook && h.Source != "" {
			r.text("hookrun.source", h.Source)
			r.text("hookrun.level", hookfile.LevelOfSource(h.Source).String())
		}
	}
	r.list("hookrun.hooks", all)
	r.list("hookrun.failed", failed)
	r.list("hookrun.would", would)
	r.list("hookrun.warnings", o.Warnings)
}

func (h *report) failed() bool {
	return slices.Contains([]string{dialect.StatusFailed, dialect.StatusTimeout, dialect.StatusUnstarted}, h.Status)
}

// severity returns info for a call that went on, warn for a call held by a hook or continued past a failure, and fault
// if a gate failed: a person must mend the gate.
func (l *line) severity() int {
	o := l.Outcome
	switch {
	case o == nil || l.Error != nil:
		return fault
	case o.Decision != protocol.Continue.String() || o.Stop:
		if o.Cause != protocol.CausePolicy && o.Cause != "" {
			return fault
		}
		return warn
	case len(o.Warnings) > l.Lint || slices.ContainsFunc(o.Hooks, func(h report) bool { return h.failed() }):
		return warn
	}
	return info
}

// body returns the record in a sentence.
func (l *line) body(o *outcome) string {
	text := strings.TrimSpace(o.Event+" "+o.Tool) + ": "
	if l.Error != nil {
		return text + "no verdict: " + *l.Error
	}
	text += o.Decision
	if o.Stop {
		text += ", stop"
	}
	if o.Hook != "" || o.Cause != "" {
		text += " (" + strings.Trim(o.Hook+", "+string(o.Cause), ", ") + ")"
	}
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	return text
}

// record is the JSON of a log record while it is written.
type record struct {
	b     []byte
	count int // of attributes
}

func (r *record) raw(texts ...string) {
	for _, text := range texts {
		r.b = append(r.b, text...)
	}
}

// head writes the fields before the attributes.
func (r *record) head(severity int, event, body string) {
	name := map[int]string{info: "INFO", warn: "WARN", fault: "ERROR"}[severity]
	r.raw(`"severityNumber":`, strconv.Itoa(severity), `,"severityText":"`, name, `","eventName":"`, event,
		`","body":{"stringValue":`)
	r.b = strictjson.AppendString(r.b, secret.Mask(body))
	r.raw(`},"attributes":[`)
}

// open begins an attribute.
func (r *record) open(key string) {
	if r.count++; r.count > 1 {
		r.raw(",")
	}
	r.raw(`{"key":`)
	r.b = strictjson.AppendString(r.b, key)
	r.raw(`,"value":`)
}

// text writes an attribute, unless the text is empty.
func (r *record) text(key, text string) {
	if text != "" {
		r.open(key)
		r.textValue(text)
		r.raw("}")
	}
}

func (r *record) textValue(text string) {
	r.raw(`{"stringValue":`)
	r.b = strictjson.AppendString(r.b, secret.Mask(text))
	r.raw("}")
}

func (r *record) flag(key string, value bool) {
	if value {
		r.open(key)
		r.raw(`{"boolValue":true}}`)
	}
}

func (r *record) number(key string, value float64) {
	if !math.IsInf(value, 0) {
		r.open(key)
		r.raw(`{"doubleValue":`, strconv.FormatFloat(value, 'g', -1, 64), "}}")
	}
}

func (r *record) integer(key string, value int64) {
	r.open(key)
	r.raw(`{"intValue":"`, strconv.FormatInt(value, 10), `"}}`)
}

// list writes an attribute, unless the list is empty.
func (r *record) list(key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	r.open(key)
	r.raw(`{"arrayValue":{"values":[`)
	for i, text := range texts {
		if i > 0 {
			r.raw(",")
		}
		r.textValue(text)
	}
	r.raw("]}}}")
}

// maxDepth is how deep objects are flattened, and maxFlat how many attributes they can become.
const maxDepth, maxFlat = 8, 256

// flatten writes a JSON value: the members of an object become attributes of their own, with their path as the key.
func (r *record) flatten(key string, v gjson.Result, depth int) {
	switch {
	case r.count >= maxFlat || v.Type == gjson.Null:
	case v.IsObject() && depth < maxDepth:
		for name, value := range v.ForEach {
			r.flatten(key+"."+strictjson.Text(name.Raw), value, depth+1)
		}
	case v.Type == gjson.String:
		r.text(key, strictjson.Text(v.Raw))
	case v.IsBool():
		r.open(key)
		r.raw(`{"boolValue":`, strconv.FormatBool(v.Bool()), "}}")
	case v.Type == gjson.Number:
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil {
			r.integer(key, n)
		} else {
			r.number(key, v.Num)
		}
	default: // a list, or an object that is too deep
		var texts, names []string
		for _, e := range v.Array() {
			texts = append(texts, strictjson.ValueText([]byte(e.Raw)))
			if name := e.Get("name"); e.IsObject() && name.Type == gjson.String {
				names = append(names, strictjson.Text(name.Raw))
			}
		}
		r.list(key, texts)
		r.list(key+".name", names) // so that a backend finds a client by its name
	}
}
