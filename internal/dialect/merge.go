package dialect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// maxStderr is how much of a hook's stderr an outcome shows.
const maxStderr = 64 << 10

// Report fills in what a process result says about a hook. Name and Source are the caller's, and so is Start.
func Report(name, source string, r *HookResult, v *Verdict) protocol.HookReport {
	h := protocol.HookReport{
		Name: name, Source: source, Status: v.Status, Cause: v.Cause,
		Signal: r.Signal, Duration: protocol.Milliseconds(r.Duration),
		StdoutBytes: r.Stdout.Total, Stderr: shorten(r.Stderr.Text(), maxStderr), LeftRunning: r.LeftRunning,
	}
	annotate(&h, v)
	if v.Status != protocol.StatusSkipped && r.Err == nil && !r.TimedOut && !r.Async && r.HTTP == nil && r.Signal == "" {
		h.ExitCode = &r.ExitCode
	}
	if r.Err == nil && !r.Async {
		h.Limit = protocol.Milliseconds(r.Limit)
	}
	return h
}

// note takes over what a verdict says that its status does not.
func annotate(h *protocol.HookReport, v *Verdict) {
	ended := v.Status == protocol.StatusOK || v.Status == protocol.StatusAsync || v.Status == protocol.StatusSkipped
	switch {
	case v.Status == protocol.StatusBlocked && (v.Decision == protocol.Ask || v.Decision == protocol.Defer):
		h.Note = protocol.NoteAsk
	case ended && len(v.Warnings) > 0:
		h.Note = protocol.NoteWarning
	case v.Status == protocol.StatusOK && (v.UpdatedInput != nil || v.UpdatedOutput != nil):
		h.Note = protocol.NoteRewrite
	}
	h.Failure, h.Held = v.failure(), v.Decision != protocol.Continue
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
	Report  protocol.HookReport
	Verdict Verdict
	Dialect *Dialect
}

// Skipped is a hook that matched and did not run, since an earlier block had ended the call.
func Skipped(name, source string, d *Dialect) Judged {
	return Judged{Report: protocol.HookReport{Name: name, Source: source, Status: protocol.StatusSkipped}, Verdict: Verdict{Decision: protocol.Continue, Status: protocol.StatusSkipped}, Dialect: d}
}

// Static is a rule that matched, and what it says.
func Static(name, source string, v Verdict, d *Dialect) Judged {
	h := protocol.HookReport{Name: name, Source: source, Status: v.Status, Cause: v.Cause}
	annotate(&h, &v)
	return Judged{Report: h, Verdict: v, Dialect: d}
}

// Unsupported is the verdict of a hook that matched and whose kind hookrun cannot run: one that needs a model or a client.
func Unsupported(d *Dialect, c *protocol.Call, hook, kind string) Verdict {
	return Verdict{Cause: protocol.CauseUnsupported, Status: protocol.StatusSkipped,
		Problem: fmt.Sprintf("%s is of type %q, which hookrun cannot run", Who(d.EventOf(c), hook), kind)}
}

// Merge makes one outcome of what the hooks said, given in file order. The strictest decision counts, and the first
// hook in the file that made it gives reason and cause. Of rewrites and stop reasons the last counts. Texts keep the
// order of the file. A dialect may have it otherwise (AllReasons, LastAskCounts, …). No hooks at all is a plain continue.
func Merge(c *protocol.Call, judged []Judged) protocol.Outcome {
	o := protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Continue, Hooks: []protocol.HookReport{}, Failed: c.Failed}
	for i := range judged {
		o.Decision = min(o.Decision, judged[i].Verdict.Decision)
	}
	decided, unanswered := false, false
	var decider, stopper *Dialect
	for i := range judged {
		h, v := &judged[i].Report, &judged[i].Verdict
		o.Hooks = append(o.Hooks, *h)
		o.Warnings = append(o.Warnings, v.Warnings...)
		later := v.Decision == protocol.Ask && judged[i].Dialect.LastAskCounts
		if v.Decision == o.Decision && (!decided || later) && (o.Decision != protocol.Continue || v.Approved) {
			decided, decider = true, judged[i].Dialect
			o.Reason, o.Cause, o.Hook = v.Reason, v.Cause, h.Name
			o.Approved = v.Approved
		}
		unanswered = unanswered || v.Problem != "" && (judged[i].Dialect.SilenceRevokes || v.Cause == protocol.CauseUnsupported && !judged[i].Dialect.OverlooksUnsupported)
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
		if v.UpdatedInput != nil && o.Decision != protocol.Block {
			o.UpdatedInput, o.RewroteInput = v.UpdatedInput, h.Name
		}
		if v.UpdatedOutput != nil && !o.KeepsOutput {
			o.UpdatedOutput, o.RewroteOutput, o.KeepsOutput = v.UpdatedOutput, h.Name, v.KeepsOutput
		}
		if v.Withheld != nil {
			o.Withheld, o.WithheldBy = v.Withheld, h.Name
		}
		// Elsewhere a block holds no tool up, and what other hooks say is still worth reading.
		dropped := v.Decision != protocol.Block && judged[i].Dialect.DropContextOnBlock && c.Event.Canonical() == protocol.PreTool || judged[i].Dialect.DropAllContextOnBlock
		if v.Context != "" && !(dropped && o.Decision == protocol.Block) {
			o.Inject = append(o.Inject, protocol.Inject{Hook: h.Name, Content: v.Context, Truncated: v.Truncated, File: v.File, Strategy: v.Strategy})
		}
	}
	if o.Approved && unanswered { // a gate was silent: who allows the call cannot speak for it
		o.Approved, o.Reason, o.Cause, o.Hook = false, "", "", ""
	}
	if decider != nil && decider.AllReasons && o.Decision != protocol.Continue {
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
