package tenex

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

// Decode checks, in this order: the start, the timeout, the signal or exit code, the output.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(c.Common(), hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	if r.HTTP != nil && r.HTTP.Failure != "" {
		return httpFailure(who, r.HTTP)
	}
	text, cut := r.Stdout.All(), r.Stdout.LeftOut() > 0
	a, answered, err := parseAnswer(text, cut)
	if r.Signal != "" || r.ExitCode != 0 {
		return failure(c, hook, r, a, a.report || answered && (err == nil || errors.As(err, new(doubtful))))
	}
	if a.report && r.Line && err == nil { // a line has a key for text, so no other program wrote this
		err = errors.New("it has a reason beside keys that no answer has; " + nearmiss.ValidWords)
	}
	var v dialect.Verdict
	switch {
	case err != nil: // a stop in an unreadable answer counts
		v = dialect.Unreadable(who, err.Error())
		v.Stop, v.StopReason = a.stop, a.stopReason
		return v
	case !answered && (r.HTTP != nil || r.LineObject) && strings.TrimSpace(text) != "":
		return dialect.Unreadable(who, nearmiss.NoAnswerKey)
	case !answered:
		v = dialect.OK()
		v.Context, v.Truncated, v.Warnings = strings.TrimSpace(text), cut, a.warnings(who)
		for _, d := range a.doubts { // at most one
			v.Doubt = who + " " + d
		}
	default:
		v = a.verdict(c, hook)
	}
	if r.LineNote {
		v = nearmiss.WarnOfStderr(r, who, v)
	}
	return v
}

// httpFailure returns the verdict of a request without a good answer.
func httpFailure(who string, r *dialect.HTTPResult) dialect.Verdict {
	if r.Failure == protocol.CauseUnstarted {
		return dialect.Unstarted(who + " could not run: " + r.Why)
	}
	return dialect.Failed(r.Failure, who+" got no answer: "+r.Why)
}

// failure returns the verdict after an exit code other than 0 or a signal. a counts only if read is true.
func failure(c *dialect.Call, hook string, r *dialect.HookResult, a answer, read bool) dialect.Verdict {
	who := dialect.MessagePrefix(c.Common(), hook)
	stderr := r.Stderr.Text()
	denied := read && a.decision != protocol.Continue
	if r.NotRunByShell() && !(denied && c.Common() == protocol.PreTool) {
		problem := who + " could not run: " + cmp.Or(stderr, "nothing on stderr")
		if exit := " (exit " + strconv.Itoa(r.ExitCode); r.Fault != "" {
			problem += exit + "); " + r.Fault
		} else {
			problem += exit + " of its shell)"
		}
		return dialect.Unstarted(problem)
	}
	if c.Common() != protocol.PreTool {
		v := dialect.Failed(r.Ended(who))
		if stderr != "" { // the reason if a policy blocks
			v.Reason = v.Problem + "\n" + stderr
		} else if r.Signal == "" {
			v.Problem += ", nothing on stderr"
		}
		return v
	}
	v := dialect.Verdict{Cause: protocol.CausePolicy, Status: dialect.StatusBlocked}
	if read { // the exit code blocks despite the JSON, and the other parts of the JSON count
		v = a.verdict(c, hook)
		v.Decide(protocol.Block, "")
		v.Approved, v.UpdatedInput = false, nil
	}
	if r.Signal != "" && !denied { // a deny counts, however the process ended
		v.Status = dialect.StatusFailed
		v.Cause, v.Problem = r.Ended(who)
	}
	v.Reason = stderr
	// the reason of an approval does not explain a block
	if read && !(a.decided && a.decision == protocol.Continue) && !dialect.Blank(a.reason) {
		v.Reason = a.reason
	}
	switch silent := v.Reason == ""; {
	case silent && v.Cause == protocol.CauseSignal:
		v.Reason = fmt.Sprintf("%s (killed by %s, nothing on stderr)", blockedBy(hook), r.Signal)
	case v.Cause == protocol.CauseSignal: // a crash, and the text may not say so
		v.Reason += fmt.Sprintf("\n(project hook '%s' was killed by %s)", hook, r.Signal)
	case silent && !denied && r.ExitCode > 0 && r.ExitCode != 2: // 2 is the exit code for a no, another may be a fault
		v.Reason = fmt.Sprintf("%s (exit %d, nothing on stderr)", blockedBy(hook), r.ExitCode)
	case silent:
		v.Reason = blockedBy(hook)
	}
	return v
}

// verdict returns the verdict of a readable answer, for a hook that exited with 0.
func (a *answer) verdict(c *dialect.Call, hook string) dialect.Verdict {
	v := dialect.Verdict{
		Decision:      a.decision,
		Status:        dialect.StatusOK,
		Reason:        a.reason,
		Stop:          a.stop,
		StopReason:    strings.TrimSpace(a.stopReason),
		SystemMessage: a.systemMessage,
		UpdatedInput:  a.updatedInput,
		UpdatedOutput: a.updatedOutput,
	}
	if !dialect.Blank(a.context) {
		v.Context = a.context
	}
	v.Warnings = a.warnings(dialect.MessagePrefix(c.Common(), hook))
	event := c.Common()
	if a.decided {
		v.Cause = protocol.CausePolicy
	}
	v.Approved = a.decided && a.decision == protocol.Continue && event == protocol.PreTool
	if a.stop && dialect.Blank(a.stopReason) && !a.decided { // many guards have the reason there
		v.StopReason = a.reason
	}
	switch {
	case a.decision == protocol.Continue:
		if !v.Approved {
			v.Reason = ""
		}
	case dialect.Blank(a.reason) && !dialect.Blank(a.systemMessage):
		v.Reason = a.systemMessage // many guards have the reason there
	case dialect.Blank(a.reason):
		v.Reason = map[protocol.Decision]string{
			protocol.Block: blockedBy(hook),
			protocol.Ask:   "Project hook '" + hook + "' asks for confirmation of this tool call",
			protocol.Defer: "Project hook '" + hook + "' defers this tool call",
		}[a.decision]
	}
	if a.decision != protocol.Continue {
		v.Status = dialect.StatusBlocked
	}
	if v.UpdatedInput != nil && event != protocol.PreTool {
		v.UpdatedInput = nil
		v.Warnings = append(v.Warnings, dialect.MessagePrefix(c.Common(),
			hook)+" answered with updatedInput, which means something at pre-tool only; ignored")
	}
	if v.UpdatedOutput != nil && event != protocol.PostTool {
		v.UpdatedOutput = nil
		v.Warnings = append(v.Warnings, dialect.MessagePrefix(c.Common(),
			hook)+" answered with updatedToolOutput, which means something at post-tool only; ignored")
	}
	return v
}

func blockedBy(hook string) string { return "Tool call blocked by project hook '" + hook + "'" }
