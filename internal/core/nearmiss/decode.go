package nearmiss

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/protocol"
)

// Decode reads the result of a hook by the dialect's rules, and looks for denials that these rules pass over: a deny
// that the hook printed before its deadline, a refusal in other words, and places that are not read: stderr, the middle
// of a long output, and a process that the hook left behind.
func Decode(d *dialect.Dialect, c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	v, e := d.Hooks.Decode(c, hook, r), d.Events.Of(d.EventOf(c))
	switch {
	case r.TimedOut && v.Cause == protocol.CauseTimeout:
		return denyBeforeDeadline(d, c, hook, *r, v)
	case v.Decision != protocol.Continue, v.Stop, v.Problem != "" && !v.Answered, v.Doubt != "", r.Async, r.AsyncResult,
		d.CannotBlock(e.Name) && e.Can&(dialect.Block|dialect.Stop) == 0:
		return v
	}
	who, leftOut, text, note := dialect.MessagePrefix(e.Name, hook), r.Stdout.LeftOut(), r.Stdout.All(), r.Stderr.Text()
	no := ""
	if text != "" {
		no = Refusal(text, e.CommonName() == protocol.PostTool) // after a tool, reports are common
	}
	warn := func(format string, args ...any) {
		v.Warnings = append(v.Warnings, who+" "+fmt.Sprintf(format, args...))
	}
	switch {
	case no != "" && d.HasProjectRules():
		warn("printed %s, which was taken for text and denies nothing; %s", no, ValidWords)
	case no != "":
		v.Doubt = fmt.Sprintf("%s printed %s, which denies nothing for %s; docs/dialects has the answers that do", who,
			no, d.Files.Client)
	case leftOut > 0:
		v.Doubt = fmt.Sprintf("%s printed %d bytes, and an answer among the %d in the middle would not have been "+
			"read; print less, or an answer alone", who, r.Stdout.Total, leftOut)
	}
	if !v.Approved && !r.LineNote && note != "" && Refusal(note, true) != "" {
		warn("has a JSON answer on stderr that says no, which was not read; print it to stdout")
	}
	if !v.Approved && r.Unread {
		warn("left a process behind that keeps its output open, so what that prints later than %v after the hook's "+
			"end is not heard; wait for it, or close its output", process.DrainTime)
	}
	return v
}

// denyBeforeDeadline returns the deny that a hook printed whole before its deadline, or else v, the verdict of the
// timeout. No other answer counts, because the hook had not ended. For hooks in a client's form, v names the deny.
func denyBeforeDeadline(d *dialect.Dialect, c *dialect.Call, hook string, r dialect.HookResult,
	v dialect.Verdict) dialect.Verdict {
	r.TimedOut, r.ExitCode, r.Signal, r.Stderr = false, 0, "", dialect.Capture{}
	if r.CallID != "" {
		ReadLine(&r)
	}
	denies := func(v dialect.Verdict) bool { return v.Problem == "" && (v.Decision != protocol.Continue || v.Stop) }
	a := d.Hooks.Decode(c, hook, &r)
	for line := range strings.Lines(r.Stdout.All()) { // a deny beside other lines has been printed whole, too
		if !denies(a) && line[0] == '{' && r.CallID == "" {
			r.Stdout = dialect.Capture{Head: []byte(line), Total: int64(len(line))}
			a = d.Hooks.Decode(c, hook, &r)
		}
	}
	if !denies(a) {
		return v
	}
	if !d.HasProjectRules() {
		v.Problem += "; it had printed a deny, which does not count for " + d.Files.Client
		return v
	}
	late := fmt.Sprintf(" (it had not ended after %v)", r.Limit)
	deny := dialect.Verdict{Decision: a.Decision, Cause: a.Cause, Status: a.Status, Reason: a.Reason + late,
		Stop: a.Stop, StopReason: cmp.Or(a.StopReason, a.Reason) + late, SystemMessage: a.SystemMessage,
		Warnings: a.Warnings}
	if c.Common() == protocol.PostTool { // if a timeout blocks, it withholds the result
		deny.Cause, deny.Problem, deny.Answered = v.Cause, v.Problem, true
	}
	return deny
}
