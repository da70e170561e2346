package dialect

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/protocol"
)

// FailurePolicy says by cause whether a failed hook fails open (Continue) or closed (Block). The valid causes are
// FailureCauses; only some dialects have unsupported.
type FailurePolicy map[protocol.Cause]protocol.Decision

// FailureCauses returns the causes that a FailurePolicy can name.
func FailureCauses() []protocol.Cause {
	return []protocol.Cause{protocol.CauseSignal, protocol.CauseUnstarted, protocol.CauseTimeout, protocol.CauseOutput,
		protocol.CauseExit, protocol.CauseUnsupported}
}

// Causes returns the causes that on_failure can name in the dialect.
func (d *Dialect) Causes() []protocol.Cause {
	causes := FailureCauses()
	if !d.Others {
		causes = causes[:len(causes)-1] // all but CauseUnsupported
	}
	return causes
}

// PolicyOfClient marks a FailurePolicy as the client's own, if the policy blocks. Such a policy does not apply to
// doubtful answers, because the client treats an unreadable answer as no answer.
const PolicyOfClient protocol.Cause = "client"

// NoAnswer returns the verdict of a hook without an answer, if the reason means the same in every dialect. ok is false
// if the hook ended normally.
func (r *HookResult) NoAnswer(who string) (v Verdict, ok bool) {
	switch {
	case r.Err != nil:
		return Unstarted(who + " could not run: " + r.Err.Error()), true
	case r.Async:
		return Verdict{Decision: protocol.Continue, Status: StatusAsync}, true
	case r.TimedOut: // output before the deadline is no answer
		return Verdict{Cause: protocol.CauseTimeout, Status: StatusTimeout,
			Problem: r.TimeoutProblem(who)}, true
	case r.ProtocolError != "":
		return Unreadable(who, r.ProtocolError), true
	}
	return Verdict{}, false
}

// TimeoutProblem returns the message for a hook that timed out. The usual cause in a persistent hook is an unflushed
// line.
func (r *HookResult) TimeoutProblem(who string) string {
	text := who + " timed out after " + r.Limit.String()
	if r.NoLine {
		text += "; does it flush its line?"
	}
	return text
}

// Unstarted returns the verdict of a hook that could not start.
func Unstarted(problem string) Verdict {
	return Verdict{Cause: protocol.CauseUnstarted, Status: StatusUnstarted, Problem: problem}
}

// Unreadable returns the verdict of a hook with an unreadable answer.
func Unreadable(who, why string) Verdict {
	return Failed(protocol.CauseOutput, who+" gave an answer that cannot be read: "+why)
}

// Failed returns the verdict of a hook that ran but gave no answer.
func Failed(cause protocol.Cause, problem string) Verdict {
	return Verdict{Cause: cause, Status: StatusFailed, Problem: problem}
}

// Ended describes how a hook's process failed, by signal or exit code. problem is "" if the process exited with 0.
func (r *HookResult) Ended(who string) (cause protocol.Cause, problem string) {
	switch {
	case r.Signal != "":
		return protocol.CauseSignal, who + " was killed by " + r.Signal
	case r.ExitCode != 0:
		return protocol.CauseExit, fmt.Sprintf("%s exited with %d", who, r.ExitCode)
	}
	return "", ""
}

// Unsupported returns the verdict of a matching hook of a kind that hookrun cannot run, because the kind needs a model
// or a client.
func Unsupported(d *Dialect, c *Call, hook, kind string) Verdict {
	return Verdict{Cause: protocol.CauseUnsupported, Status: StatusSkipped,
		Problem: fmt.Sprintf("%s is of type %q, which hookrun cannot run", MessagePrefix(d.EventOf(c), hook), kind)}
}

// FailureDecision decides whether a failed hook fails open or closed at the call. A fixed rule of the dialect comes
// first, then the first policy with the cause, then the dialect's default. A cause unknown to the dialect fails closed.
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
	if decision, ok := decisionOf(f.Cause, policies); ok {
		return decision
	}
	if on == Open && slices.Contains(d.Causes(), f.Cause) {
		return protocol.Continue
	}
	return protocol.Block
}

// ApplyFailurePolicy decides about a hook without an answer or with a doubtful answer. Other verdicts stay unchanged.
func (d *Dialect) ApplyFailurePolicy(c *Call, v Verdict, policies ...FailurePolicy) Verdict {
	if v.Own != nil {
		decision, named := unreadableDecision(policies)
		v.Strict = named && decision == protocol.Block
	}
	return d.applyToDoubt(c, d.applyToProblem(c, v, policies), policies)
}

// applyToDoubt blocks a doubtful answer if a given policy blocks unreadable answers. The dialect's default does not
// block, because the client ignores the doubtful part. In all other cases the doubt becomes a warning.
func (d *Dialect) applyToDoubt(c *Call, v Verdict, policies []FailurePolicy) Verdict {
	doubt := v.Doubt
	if v.Doubt = ""; doubt == "" {
		return v
	}
	decision, named := unreadableDecision(policies)
	if v.Decision != protocol.Continue || !named || decision == protocol.Continue ||
		d.CannotBlock(d.EventOf(c)) {
		if v.Decision == protocol.Continue && !v.Stop {
			doubt += "; " + continuesText(c)
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
		return v.FailOpen(c)
	}
	return v.FailClosed()
}

// FailClosed returns the blocking verdict of a failed hook.
func (v Verdict) FailClosed() Verdict {
	if v.Answered {
		v.Reason = ""
	}
	v.Decision, v.Approved, v.Answered, v.UpdatedInput = protocol.Block, false, false, nil
	if v.Reason == "" {
		v.Reason = v.Problem
	}
	if v.Status == StatusFailed || v.Status == StatusOK {
		v.Status = StatusBlocked // StatusFailed is only for errors that do not block
	}
	return v
}

// FailOpen returns the verdict of a failed hook that does not block.
func (v Verdict) FailOpen(c *Call) Verdict {
	warning := v.Problem + "; " + ignoredText(c)
	switch {
	case !v.Answered:
		v.Decision, v.Reason = protocol.Continue, ""
	case v.Status == StatusFailed:
		v.Problem = ""
	default: // the answer counts and nothing else failed
		if v.Cause, v.Problem = "", ""; v.Decision != protocol.Continue || v.Approved {
			v.Cause = protocol.CausePolicy
		}
		return v
	}
	v.FailedOpen, v.Warnings = warning, append(v.Warnings, warning)
	return v
}

// decisionOf returns the decision of the first policy with the cause.
func decisionOf(cause protocol.Cause, policies []FailurePolicy) (protocol.Decision, bool) {
	for _, p := range policies {
		if decision, ok := p[cause]; ok {
			return decision, true
		}
	}
	return protocol.Block, false
}

// unreadableDecision returns the decision about unreadable answers from the policies that are not a client's own.
func unreadableDecision(policies []FailurePolicy) (protocol.Decision, bool) {
	return decisionOf(protocol.CauseOutput, slices.DeleteFunc(slices.Clone(policies),
		func(p FailurePolicy) bool {
			_, own := p[PolicyOfClient]
			return own
		}))
}

// ignoredText returns the end of the warning about a failure that does not block.
func ignoredText(c *Call) string {
	switch {
	case c.Common() != protocol.PostTool:
		return "continuing"
	case c.Blocked:
		return "ignored, the tool did not run"
	}
	return "ignored, the tool already ran"
}

// continuesText returns the end of the warning about a doubtful answer.
func continuesText(c *Call) string {
	if c.Common() == protocol.PostTool {
		return ignoredText(c)
	}
	return "the call goes on"
}
