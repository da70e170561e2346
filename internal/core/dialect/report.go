package dialect

import (
	"strings"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// maxStderr limits a hook's stderr in an outcome.
const maxStderr = 64 << 10

// Report returns a hook's report from the process result. The caller sets Start.
func Report(name, source string, r *HookResult, v *Verdict) protocol.Report {
	h := protocol.Report{
		Name: name, Source: source, Status: v.Status, Cause: v.Cause,
		Signal: r.Signal, Duration: protocol.Milliseconds(r.Duration),
		StdoutBytes: r.Stdout.Total, Stderr: Shorten(r.Stderr.Text(), maxStderr), LeftRunning: r.LeftRunning,
		Failure: v.FailedOpen, Warm: r.Warm,
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

// Notes on a hook beyond the status.
const (
	NoteAsk     = "ask"     // blocked: the verdict is ask or defer
	NoteWarning = "warning" // did not fail, but has a warning: a part of the answer did not count
	NoteRewrite = "rewrite" // changed the tool's input or output
)

// Note returns the first note that applies, or "".
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

// Shorten cuts the middle out of a text longer than limit.
func Shorten(s string, limit int) string {
	const mark = "\n[hookrun: shortened]\n"
	if len(s) <= limit {
		return s
	}
	half := (limit - len(mark)) / 2
	return strings.ToValidUTF8(s[:half], "") + mark + strings.ToValidUTF8(s[len(s)-half:], "")
}

// HookVerdict is a hook that matched, with report and verdict.
type HookVerdict struct {
	Report  protocol.Report
	Verdict Verdict
	Dialect *Dialect
	Note    string // for the run log, from the verdict as the hook gave it
}

// Skipped returns the verdict of a matching hook that did not run because an earlier block had ended the call.
func Skipped(name, source string, d *Dialect) HookVerdict {
	return HookVerdict{Report: protocol.Report{Name: name, Source: source, Status: StatusSkipped},
		Verdict: Verdict{Decision: protocol.Continue, Status: StatusSkipped}, Dialect: d}
}

// Decided returns the verdict of a hook that is a function or a rule, with a report without exit code and output.
func Decided(name, source string, d *Dialect, v Verdict, took, limit time.Duration) HookVerdict {
	return HookVerdict{Verdict: v, Dialect: d, Report: protocol.Report{Name: name, Source: source, Status: v.Status,
		Cause: v.Cause, Failure: v.FailedOpen, Duration: protocol.Milliseconds(took),
		Limit: protocol.Milliseconds(limit)}}
}
