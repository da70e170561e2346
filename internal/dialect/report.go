package dialect

import (
	"strings"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// maxStderr is how much of a hook's stderr an outcome shows.
const maxStderr = 64 << 10

// Report fills in what a process result says about a hook. Name and Source are the caller's, and so is Start.
func Report(name, source string, r *HookResult, v *Verdict) protocol.Report {
	h := protocol.Report{
		Name: name, Source: source, Status: v.Status, Cause: v.Cause,
		Signal: r.Signal, Duration: protocol.Milliseconds(r.Duration),
		StdoutBytes: r.Stdout.Total, Stderr: Shorten(r.Stderr.Text(), maxStderr), LeftRunning: r.LeftRunning,
		Failure: v.FailedOpen,
	}
	if v.Status != StatusSkipped && r.Err == nil && !r.TimedOut && !r.Async && r.HTTP == nil &&
		r.Signal == "" {
		h.ExitCode = &r.ExitCode
	}
	if r.Err == nil && !r.Async {
		h.Limit = protocol.Milliseconds(r.Limit)
	}
	return h
}

// A note is what a hook did beside what its status tells.
const (
	NoteAsk     = "ask"     // blocked: its verdict is ask or defer
	NoteWarning = "warning" // it did not fail, and there is a warning: a part of its answer did not count
	NoteRewrite = "rewrite" // it changed the tool's input or output
)

// Note returns the first of the notes that holds, "" if none does.
func (v *Verdict) Note() string {
	ended := v.Status == StatusOK || v.Status == StatusAsync || v.Status == StatusSkipped
	switch {
	case v.Status == StatusBlocked && (v.Decision == protocol.Ask || v.Decision == protocol.Defer):
		return NoteAsk
	case ended && len(v.Warnings) > 0:
		return NoteWarning
	case v.Status == StatusOK && (v.UpdatedInput != nil || v.UpdatedOutput != nil):
		return NoteRewrite
	}
	return ""
}

// Shorten keeps the two ends of a text.
func Shorten(s string, limit int) string {
	const mark = "\n[hookrun: shortened]\n"
	if len(s) <= limit {
		return s
	}
	half := (limit - len(mark)) / 2
	return strings.ToValidUTF8(s[:half], "") + mark + strings.ToValidUTF8(s[len(s)-half:], "")
}

// HookVerdict is a hook that matched, what became of it and its verdict.
type HookVerdict struct {
	Report  protocol.Report
	Verdict Verdict
	Dialect *Dialect
	Note    string // for the run log; of the verdict as the hook gave it
}

// Skipped is a hook that matched and did not run, since an earlier block had ended the call.
func Skipped(name, source string, d *Dialect) HookVerdict {
	return HookVerdict{Report: protocol.Report{Name: name, Source: source, Status: StatusSkipped},
		Verdict: Verdict{Decision: protocol.Continue, Status: StatusSkipped}, Dialect: d}
}

// FunctionReport says what became of a hook that is a function. It has neither an exit code nor output.
func FunctionReport(name, source string, v *Verdict, duration, limit time.Duration) protocol.Report {
	return protocol.Report{Name: name, Source: source, Status: v.Status, Cause: v.Cause, Failure: v.FailedOpen,
		Duration: protocol.Milliseconds(duration), Limit: protocol.Milliseconds(limit)}
}

// Static is a rule that matched, and what it says.
func Static(name, source string, v Verdict, d *Dialect) HookVerdict {
	h := protocol.Report{Name: name, Source: source, Status: v.Status, Cause: v.Cause, Failure: v.FailedOpen}
	return HookVerdict{Report: h, Verdict: v, Dialect: d}
}
