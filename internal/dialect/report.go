package dialect

import (
	"strings"
	"time"

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
	if v.Status != protocol.StatusSkipped && r.Err == nil && !r.TimedOut && !r.Async && r.HTTP == nil &&
		r.Signal == "" {
		h.ExitCode = &r.ExitCode
	}
	if r.Err == nil && !r.Async {
		h.Limit = protocol.Milliseconds(r.Limit)
	}
	return h
}

// annotate takes over what a verdict says that its status does not.
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
	h.Failure = v.FailedOpen
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

// HookVerdict is a hook that matched, what became of it and its verdict.
type HookVerdict struct {
	Report  protocol.HookReport
	Verdict Verdict
	Dialect *Dialect
}

// Skipped is a hook that matched and did not run, since an earlier block had ended the call.
func Skipped(name, source string, d *Dialect) HookVerdict {
	return HookVerdict{Report: protocol.HookReport{Name: name, Source: source, Status: protocol.StatusSkipped},
		Verdict: Verdict{Decision: protocol.Continue, Status: protocol.StatusSkipped}, Dialect: d}
}

// FunctionReport says what became of a hook that is a function. It has neither an exit code nor output.
func FunctionReport(name, source string, v *Verdict, duration, limit time.Duration) protocol.HookReport {
	h := protocol.HookReport{Name: name, Source: source, Status: v.Status, Cause: v.Cause,
		Duration: protocol.Milliseconds(duration), Limit: protocol.Milliseconds(limit)}
	annotate(&h, v)
	return h
}

// Static is a rule that matched, and what it says.
func Static(name, source string, v Verdict, d *Dialect) HookVerdict {
	h := protocol.HookReport{Name: name, Source: source, Status: v.Status, Cause: v.Cause}
	annotate(&h, &v)
	return HookVerdict{Report: h, Verdict: v, Dialect: d}
}
