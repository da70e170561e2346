package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Outcome is what all hooks of a call amount to. Its JSON form is the contract of `--output json`; a field that is
// false, empty or not applicable is left out there.
type Outcome struct {
	Version  int      `json:"version"` // 1
	Event    Event    `json:"event"`   // as it was fired
	Tool     string   `json:"tool,omitempty"`
	Decision Decision `json:"decision"` // anything but continue: do not run the tool

	Approved   bool   `json:"approved,omitempty"` // a hook said allow: the host may skip its own prompt
	Stop       bool   `json:"stop,omitempty"`     // end the loop
	StopReason string `json:"stop_reason,omitempty"`
	Reason     string `json:"reason,omitempty"` // Reason, Cause and Hook are those of the hook that decided
	Cause      Cause  `json:"cause,omitempty"`
	Hook       string `json:"hook,omitempty"`

	UpdatedInput  json.RawMessage `json:"updated_input,omitempty"`  // give the tool this
	UpdatedOutput json.RawMessage `json:"updated_output,omitempty"` // give the model this

	Inject         []Inject `json:"inject,omitempty"` // for the model, in the order of the file
	SystemMessages []string `json:"system_messages,omitempty"`
	Other          Fields   `json:"other,omitempty"` // what else hooks answered, by their client's names
	Warnings       []string `json:"warnings,omitempty"`
	// Lint are those of Warnings that are about how the hooks files are written and concern no gate. They come with every call, so
	// a client's own form, which has a message to the user for all other warnings, leaves them out.
	Lint     []string     `json:"-"`
	Hooks    []HookReport `json:"hooks"` // those that matched, in the order of the file
	Duration Milliseconds `json:"duration_ms"`

	rewroteInput, rewroteOutput string // names of the hooks that did
	withheld                    []byte // what a client is to be given in the place of the result that withheldBy changed in vain
	withheldBy                  string
	keepsOutput                 bool // UpdatedOutput stands for a result that is withheld
	failed                      bool // the tool failed, for which a client may have an event of its own
}

// Inject is one text for the model.
type Inject struct {
	Hook      string   `json:"hook,omitempty"` // that said it; "" for an entry of a queue
	Content   string   `json:"content"`
	Truncated bool     `json:"truncated,omitempty"`
	File      string   `json:"file,omitempty"`     // holds the whole text
	Strategy  Strategy `json:"strategy,omitempty"` // "" is ToolResult
	Source    string   `json:"source,omitempty"`   // who put it into the queue
	ID        string   `json:"id,omitempty"`       // of the entry of the queue
}

// Strategy says where a text for the model belongs (MassGen).
type Strategy string

const (
	ToolResult  Strategy = "tool_result"  // behind the tool's result, in one message with it
	UserMessage Strategy = "user_message" // in a message of the user, right after the result
)

// HookReport is what became of one hook.
type HookReport struct {
	Name        string       `json:"name"`
	Source      string       `json:"source"` // file:line
	Status      Status       `json:"status"`
	Cause       Cause        `json:"cause,omitempty"`
	ExitCode    *int         `json:"exit_code,omitempty"` // nil unless the hook exited by itself
	Signal      string       `json:"signal,omitempty"`
	Start       Milliseconds `json:"start_ms,omitempty"` // when it was asked, from the beginning of the call
	Duration    Milliseconds `json:"duration_ms"`
	Limit       Milliseconds `json:"limit_ms,omitempty"` // its deadline; 0 if it had none, or did not run
	StdoutBytes int64        `json:"stdout_bytes"`
	Stderr      string       `json:"stderr,omitempty"`
	LeftRunning []int        `json:"left_running,omitempty"`

	Note Note `json:"-"` // for the run log, which has it beside the outcome

	failure string // the warning of a failure that was let pass, which is in Outcome.Warnings too
	held    bool   // the call is held up by it, also if its status says that it failed
}

// Note is what a hook did that its status does not say; the first of these that holds.
type Note string

const (
	NoteAsk     Note = "ask"     // blocked: it said ask or defer
	NoteWarning Note = "warning" // it did not fail, and a warning says that its answer, or a part of it, did not count
	NoteRewrite Note = "rewrite" // it changed the tool's input or output
)

// Milliseconds is a duration that JSON shows in milliseconds, to a hundredth.
type Milliseconds time.Duration

// MarshalJSON gives a number.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Duration(m)/(10*time.Microsecond))/100, 'f', -1, 64), nil
}

// UnmarshalJSON reads a number.
func (m *Milliseconds) UnmarshalJSON(b []byte) error {
	var f float64
	err := json.Unmarshal(b, &f)
	*m = Milliseconds(f * float64(time.Millisecond))
	return err
}

// maxStderr is how much of a hook's stderr an outcome shows.
const maxStderr = 64 << 10

// Report fills in what a process result says about a hook. Name and Source are the caller's, and so is Start.
func Report(name, source string, r *Result, v *Verdict) HookReport {
	h := HookReport{
		Name: name, Source: source, Status: v.Status, Cause: v.Cause,
		Signal: r.Signal, Duration: Milliseconds(r.Duration),
		StdoutBytes: r.Stdout.Total, Stderr: shorten(r.Stderr.Text(), maxStderr), LeftRunning: r.LeftRunning,
	}
	h.note(v)
	if v.Status != StatusSkipped && r.Err == nil && !r.TimedOut && !r.Async && r.HTTP == nil && r.Signal == "" {
		h.ExitCode = &r.ExitCode
	}
	if r.Err == nil && !r.Async {
		h.Limit = Milliseconds(r.Limit)
	}
	return h
}

// note takes over what a verdict says that its status does not.
func (h *HookReport) note(v *Verdict) {
	ended := v.Status == StatusOK || v.Status == StatusAsync || v.Status == StatusSkipped
	switch {
	case v.Status == StatusBlocked && (v.Decision == Ask || v.Decision == Defer):
		h.Note = NoteAsk
	case ended && len(v.Warnings) > 0:
		h.Note = NoteWarning
	case v.Status == StatusOK && (v.UpdatedInput != nil || v.UpdatedOutput != nil):
		h.Note = NoteRewrite
	}
	h.failure, h.held = v.failure(), v.Decision != Continue
}

// shorten keeps the two ends of a text.
func shorten(s string, limit int) string {
	const mark = "\n[hookrun: shortened]\n"
	if len(s) <= limit {
		return s
	}
	half := (limit - len(mark)) / 2
	return strings.ToValidUTF8(s[:half], "") + mark + strings.ToValidUTF8(s[len(s)-half:], "")
}

// Judged is a hook that matched, and its verdict.
type Judged struct {
	Report  HookReport
	Verdict Verdict
	Dialect *Dialect
}

// Skipped is a hook that matched and did not run, since an earlier block had ended the call.
func Skipped(name, source string, d *Dialect) Judged {
	return Judged{HookReport{Name: name, Source: source, Status: StatusSkipped}, Verdict{Decision: Continue, Status: StatusSkipped}, d}
}

// Said is a rule that matched, and what it says.
func Said(name, source string, v Verdict, d *Dialect) Judged {
	h := HookReport{Name: name, Source: source, Status: v.Status, Cause: v.Cause}
	h.note(&v)
	return Judged{h, v, d}
}

// Unsupported is the verdict of a hook that matched and whose kind hookrun cannot run: one that needs a model or a client.
func Unsupported(d *Dialect, c *Call, hook, kind string) Verdict {
	return Verdict{Cause: CauseUnsupported, Status: StatusSkipped,
		Problem: fmt.Sprintf("%s is of type %q, which hookrun cannot run", said(d.EventOf(c), hook), kind)}
}

// Merge makes one outcome of what the hooks said, given in file order. The strictest decision counts, and the first
// hook in the file that made it gives reason and cause. Of rewrites and stop reasons the last counts. Texts keep the
// order of the file. A dialect may have it otherwise (AllReasons, LastAskCounts, …). No hooks at all is a plain continue.
func Merge(c *Call, judged []Judged) Outcome {
	o := Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: Continue, Hooks: []HookReport{}, failed: c.Failed}
	for i := range judged {
		o.Decision = min(o.Decision, judged[i].Verdict.Decision)
	}
	decided, unanswered := false, false
	var decider, stopper *Dialect
	for i := range judged {
		h, v := &judged[i].Report, &judged[i].Verdict
		o.Hooks = append(o.Hooks, *h)
		o.Warnings = append(o.Warnings, v.Warnings...)
		later := v.Decision == Ask && judged[i].Dialect.LastAskCounts
		if v.Decision == o.Decision && (!decided || later) && (o.Decision != Continue || v.Approved) {
			decided, decider = true, judged[i].Dialect
			o.Reason, o.Cause, o.Hook = v.Reason, v.Cause, h.Name
			o.Approved = v.Approved
		}
		unanswered = unanswered || v.Problem != "" && (judged[i].Dialect.SilenceRevokes || v.Cause == CauseUnsupported && !judged[i].Dialect.OverlooksUnsupported)
		if v.Stop {
			o.Stop, stopper = true, judged[i].Dialect
			if v.StopReason != "" {
				o.StopReason = v.StopReason
			} else if o.StopReason == "" {
				o.StopReason = "Stopped by project hook '" + printable.Escape(h.Name) + "'"
			}
		}
		if v.SystemMessage != "" {
			o.SystemMessages = append(o.SystemMessages, v.SystemMessage)
		}
		for _, f := range v.Other {
			o.Other.Set(f.Key, f.Value)
		}
		if v.UpdatedInput != nil && o.Decision != Block {
			o.UpdatedInput, o.rewroteInput = v.UpdatedInput, h.Name
		}
		if v.UpdatedOutput != nil && !o.keepsOutput {
			o.UpdatedOutput, o.rewroteOutput, o.keepsOutput = v.UpdatedOutput, h.Name, v.keepsOutput
		}
		if v.withheld != nil {
			o.withheld, o.withheldBy = v.withheld, h.Name
		}
		// Elsewhere a block holds no tool up, and what other hooks say is still worth reading.
		dropped := v.Decision != Block && judged[i].Dialect.DropContextOnBlock && c.Event.Canonical() == PreTool || judged[i].Dialect.DropAllContextOnBlock
		if v.Context != "" && !(dropped && o.Decision == Block) {
			o.Inject = append(o.Inject, Inject{Hook: h.Name, Content: v.Context, Truncated: v.Truncated, File: v.File, Strategy: v.Strategy})
		}
	}
	if o.Approved && unanswered { // a gate was silent: who allows the call cannot speak for it
		o.Approved, o.Reason, o.Cause, o.Hook = false, "", "", ""
	}
	if decider != nil && decider.AllReasons && o.Decision != Continue {
		reasons, stops := allReasons(judged)
		o.Reason = cmp.Or(reasons, stops, decider.NoReason)
	}
	if stopper != nil && stopper.AllReasons {
		reasons, stops := allReasons(judged)
		o.StopReason = cmp.Or(stops, reasons, stopper.NoReason)
	}
	return o
}

// allReasons are the reasons and stop reasons of all hooks whose dialect joins them, each one a line.
func allReasons(judged []Judged) (reasons, stops string) {
	var r, s []string
	for i := range judged {
		v := &judged[i].Verdict
		if judged[i].Dialect.AllReasons && v.Reason != "" {
			r = append(r, v.Reason)
		}
		if judged[i].Dialect.AllReasons && v.StopReason != "" {
			s = append(s, v.StopReason)
		}
	}
	return strings.Join(r, "\n"), strings.Join(s, "\n")
}

// ResultText returns the tool's result as the model is to see it after the rewrites of its hooks: a JSON string as the
// text that it is, any other value as compact JSON.
func (o Outcome) ResultText(result string) string {
	if o.UpdatedOutput == nil {
		return result
	}
	return textOf(o.UpdatedOutput)
}

func textOf(value []byte) string {
	if v := gjson.ParseBytes(value); v.Type == gjson.String {
		return strictjson.Text(v.Raw)
	}
	return string(value)
}
