package dialect

import (
	"cmp"
	"fmt"

	"github.com/hookrun/hookrun/internal/dialect/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// Decode reads the result of a hook by the dialect's rules, and looks for denials that these rules pass over: a deny
// that the hook printed before its deadline, and a refusal in other words.
func (d *Dialect) Decode(c *Call, hook string, r *HookResult) Verdict {
	v, e := d.Hooks.Decode(c, hook, r), d.Events.Of(d.EventOf(c))
	switch {
	case r.TimedOut && v.Cause == protocol.CauseTimeout:
		return d.denyBeforeDeadline(c, hook, *r, v)
	case v.Decision != protocol.Continue, v.Stop, v.Problem != "", v.Doubt != "", r.Async, r.AsyncResult,
		d.CannotBlock(e.Name) && e.Can&(Block|Stop) == 0:
		return v
	}
	no := nearmiss.Refusal(r.Stdout.All(), Canonical(e.Name) == protocol.PostTool) // after a tool, reports are common
	who := MessagePrefix(e.Name, hook)
	if no != "" && d.HasProjectRules() {
		v.Warnings = append(v.Warnings,
			fmt.Sprintf("%s printed %s, which was taken for text and denies nothing; %s", who, no, ValidWords))
	} else if no != "" {
		v.Doubt = fmt.Sprintf("%s printed %s, which denies nothing for %s; docs/dialects has the answers that do", who,
			no, d.Files.Client)
	}
	return v
}

// denyBeforeDeadline returns the deny that a hook printed whole before its deadline, or else v, the verdict of the
// timeout. No other answer counts, because the hook had not ended. For hooks in a client's form, v names the deny.
func (d *Dialect) denyBeforeDeadline(c *Call, hook string, r HookResult, v Verdict) Verdict {
	r.TimedOut, r.ExitCode, r.Signal, r.Stderr = false, 0, "", Capture{}
	if r.CallID != "" {
		r.ReadLine()
	}
	a := d.Hooks.Decode(c, hook, &r)
	if a.Problem != "" || a.Decision == protocol.Continue && !a.Stop {
		return v
	}
	if !d.HasProjectRules() {
		v.Problem += "; it had printed a deny, which does not count for " + d.Files.Client
		return v
	}
	late := fmt.Sprintf(" (it had not ended after %v)", r.Limit)
	deny := Verdict{Decision: a.Decision, Cause: a.Cause, Status: a.Status, Reason: a.Reason + late, Stop: a.Stop,
		StopReason: cmp.Or(a.StopReason, a.Reason) + late, SystemMessage: a.SystemMessage, Warnings: a.Warnings}
	if Canonical(c.Event) == protocol.PostTool { // if a timeout blocks, it withholds the result
		deny.Cause, deny.Problem, deny.Answered = v.Cause, v.Problem, true
	}
	return deny
}
