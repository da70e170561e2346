package dialect

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/protocol"
)

// FailurePolicy is how a hook that gave no answer counts, by cause: it fails open (Continue) or closed (Block). The
// causes are those of FailureCauses. Of these only some dialects know exit and unsupported.
type FailurePolicy map[protocol.Cause]protocol.Decision

// FailureCauses are the causes that a FailurePolicy can name.
func FailureCauses() []protocol.Cause {
	return []protocol.Cause{protocol.CauseSignal, protocol.CauseUnstarted, protocol.CauseTimeout, protocol.CauseOutput,
		protocol.CauseExit, protocol.CauseUnsupported}
}

// PolicyOfClient stands in a FailurePolicy beside its causes where it is the client's own that blocks: the client knows
// no doubt, and takes what it cannot read for no answer.
const PolicyOfClient protocol.Cause = "client"

// NoAnswer is the verdict of a hook that gave no answer for a reason that means the same in every dialect; ok is false
// for one that ended.
func (r *HookResult) NoAnswer(who string) (v Verdict, ok bool) {
	switch {
	case r.Err != nil:
		return Unstarted(who + " could not run: " + r.Err.Error()), true
	case r.Async:
		return Verdict{Decision: protocol.Continue, Status: StatusAsync}, true
	case r.TimedOut: // what it printed until then is no answer
		return Verdict{Cause: protocol.CauseTimeout, Status: StatusTimeout,
			Problem: r.TimeoutProblem(who)}, true
	case r.ProtocolError != "":
		return Unreadable(who, r.ProtocolError), true
	}
	return Verdict{}, false
}

// TimeoutProblem says that a hook timed out. A persistent one mostly did not flush its line.
func (r *HookResult) TimeoutProblem(who string) string {
	text := who + " timed out after " + r.Limit.String()
	if r.NoLine {
		text += "; does it flush its line?"
	}
	return text
}

// Unstarted is the verdict of a hook that could not be started.
func Unstarted(problem string) Verdict {
	return Verdict{Cause: protocol.CauseUnstarted, Status: StatusUnstarted, Problem: problem}
}

// Unreadable is the verdict of a hook whose answer cannot be read.
func Unreadable(who, why string) Verdict {
	return Failed(protocol.CauseOutput, who+" gave an answer that cannot be read: "+why)
}

// Failed is the verdict of a hook that ran and gave no answer.
func Failed(cause protocol.Cause, problem string) Verdict {
	return Verdict{Cause: cause, Status: StatusFailed, Problem: problem}
}

// Ended says how a hook's process failed, by its signal or exit code; "" for one that exited with 0.
func (r *HookResult) Ended(who string) (cause protocol.Cause, problem string) {
	switch {
	case r.Signal != "":
		return protocol.CauseSignal, who + " was killed by " + r.Signal
	case r.ExitCode != 0:
		return protocol.CauseExit, fmt.Sprintf("%s exited with %d", who, r.ExitCode)
	}
	return "", ""
}

// Unsupported is the verdict of a hook that matched and whose kind hookrun cannot run: one that needs a model or a
// client.
func Unsupported(d *Dialect, c *Call, hook, kind string) Verdict {
	return Verdict{Cause: protocol.CauseUnsupported, Status: StatusSkipped,
		Problem: fmt.Sprintf("%s is of type %q, which hookrun cannot run", Who(d.EventOf(c), hook), kind)}
}

// FailureDecision decides whether a hook that failed fails open or closed at the call: by what always holds in its
// dialect, else by the first of the policies that names the cause, else by its dialect. A cause that the dialect does
// not have fails closed.
func (d *Dialect) FailureDecision(c *Call, f Fault, policies ...FailurePolicy) protocol.Decision {
	if d.Hooks == nil { // the zero Dialect
		return protocol.Block
	}
	on := d.Hooks.OnFailure(d.Events.Of(d.EventOf(c)), f)
	switch on {
	case AlwaysOpen:
		return protocol.Continue
	case AlwaysClosed:
		return protocol.Block
	}
	if decision, ok := policyOf(f.Cause, policies); ok {
		return decision
	}
	if on == Open && slices.Contains(d.Causes, f.Cause) {
		return protocol.Continue
	}
	return protocol.Block
}

// ApplyFailurePolicy decides about a hook that gave no answer, and about one whose answer is in doubt. Other verdicts
// are returned as they are.
func (d *Dialect) ApplyFailurePolicy(c *Call, v Verdict, policies ...FailurePolicy) Verdict {
	if v.Own != nil {
		decision, named := givenPolicy(policies)
		v.Strict = named && decision == protocol.Block
	}
	return d.applyToDoubt(c, d.applyToProblem(c, v, policies), policies)
}

// applyToDoubt blocks for a doubt where a policy that was given names unreadable answers. A dialect does not by itself:
// its client takes what is in doubt for nothing. A warning there always is.
func (d *Dialect) applyToDoubt(c *Call, v Verdict, policies []FailurePolicy) Verdict {
	doubt := v.Doubt
	if v.Doubt = ""; doubt == "" {
		return v
	}
	decision, named := givenPolicy(policies)
	if v.Decision != protocol.Continue || !named || decision == protocol.Continue ||
		d.CannotBlock(d.EventOf(c)) {
		if v.Decision == protocol.Continue && !v.Stop {
			doubt += "; " + goesOn(d.EventOf(c))
		}
		v.Warnings = append(v.Warnings, doubt)
		return v
	}
	v.Decision, v.Cause, v.Status, v.Reason = protocol.Block, protocol.CauseOutput, StatusBlocked, doubt
	v.Approved, v.UpdatedInput, v.Problem = false, nil, doubt
	return v
}

func (d *Dialect) applyToProblem(c *Call, v Verdict, policies []FailurePolicy) Verdict {
	if v.Problem == "" {
		return v
	}
	if d.FailureDecision(c, Fault{v.Cause, v.HTTP}, policies...) == protocol.Continue {
		return v.FailOpen(d.EventOf(c))
	}
	return v.FailClosed()
}

// FailClosed is the verdict of a hook without an answer whose failure blocks.
func (v Verdict) FailClosed() Verdict {
	if v.Answered {
		v.Reason = ""
	}
	v.Decision, v.Approved, v.Answered, v.UpdatedInput = protocol.Block, false, false, nil
	if v.Reason == "" {
		v.Reason = v.Problem
	}
	if v.Status == StatusFailed || v.Status == StatusOK {
		v.Status = StatusBlocked // failed is for errors that let the call pass
	}
	return v
}

// FailOpen is the verdict of a hook without an answer whose failure does not count.
func (v Verdict) FailOpen(e protocol.Event) Verdict {
	warning := v.Problem + "; " + ignored(e)
	switch {
	case !v.Answered:
		v.Decision, v.Reason = protocol.Continue, ""
	case v.Status == StatusFailed:
		v.Problem = ""
	default: // its answer counts, and nothing failed beside it
		if v.Cause, v.Problem = "", ""; v.Decision != protocol.Continue || v.Approved {
			v.Cause = protocol.CausePolicy
		}
		return v
	}
	v.FailedOpen, v.Warnings = warning, append(v.Warnings, warning)
	return v
}

// policyOf is what the first of the policies says that names the cause.
func policyOf(cause protocol.Cause, policies []FailurePolicy) (protocol.Decision, bool) {
	for _, p := range policies {
		if decision, ok := p[cause]; ok {
			return decision, true
		}
	}
	return protocol.Block, false
}

// givenPolicy is what the policies that are not a client's own say of answers that cannot be read.
func givenPolicy(policies []FailurePolicy) (protocol.Decision, bool) {
	return policyOf(protocol.CauseOutput, slices.DeleteFunc(slices.Clone(policies),
		func(p FailurePolicy) bool {
			_, own := p[PolicyOfClient]
			return own
		}))
}

// ignored says in a warning what comes of a failure that does not block.
func ignored(e protocol.Event) string {
	if Canonical(e) == protocol.PostTool {
		return "ignored, the tool already ran"
	}
	return "continuing"
}

// goesOn says in a warning what came of an answer in doubt.
func goesOn(e protocol.Event) string {
	if Canonical(e) == protocol.PostTool {
		return ignored(e)
	}
	return "the call goes on"
}
