package dialect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is what differs between clients: how a call is put on stdin, how a process result is read as a verdict,
// and a handful of policy values. Everything else is the same for all hooks.
type Dialect struct {
	Name   string
	Events func() []protocol.Event // all its names for moments, in the order of a turn

	Timeout   time.Duration                      // of a hook that sets none
	TimeoutAt func(protocol.Event) time.Duration // the same, at events where it is another; nil, or 0 from it: Timeout

	// Causes are the kinds of failure that a hook can have, and on_failure can name.
	Causes []protocol.Cause
	// Failure says what a hook without an answer amounts to, by its event and cause. A cause that is none of Causes blocks.
	Failure func(protocol.Event, protocol.Cause) protocol.Decision

	// Passes reports whether no failure can hold anything up at an event, whatever policies say; nil: there is no such event.
	Passes func(protocol.Event) bool

	// HTTPFailure is Failure for hooks that post, for which AlwaysBlocks does not hold then; nil: they are like all others.
	HTTPFailure func(protocol.Event, protocol.Cause) protocol.Decision
	// AlwaysBlocks reports whether a cause blocks at an event, whatever policies say; nil: none does.
	AlwaysBlocks func(protocol.Event, protocol.Cause) bool

	// Parallel: all hooks of a call start at once and see the same call, and all are waited for. Else they run in the order
	// of the file, and each sees what earlier ones rewrote.
	Parallel bool
	// StopsAtBlock: the first block ends the call, later hooks are skipped; nil: all hooks are asked.
	StopsAtBlock func(protocol.Event) bool
	// FirstOfSame: of equal hooks the first runs, not the last (Gemini CLI).
	FirstOfSame bool
	// MaxContext is how many characters of context one hook may add, 0 for as many as it likes. What is longer is put
	// into a file that the context names.
	MaxContext int

	// FollowsDir: hooks run in the session's current directory instead of the workspace.
	FollowsDir bool
	// Environment are variables that hooks get whatever their files say; of a process that stays, without those of one call.
	// HiddenVariables are the starts of names of those that they do not get. OwnEnvironmentWins: what a hook's file sets counts
	// before Environment (Gemini CLI).
	Environment        func(*protocol.Call) []string
	HiddenVariables    []string
	OwnEnvironmentWins bool

	// SubjectField is the field of the hook input that an event's matchers are held against; "": there they mean nothing.
	SubjectField func(protocol.Event) string

	// Event names the call's moment as the dialect's hooks subscribe to it; nil: as it was fired.
	Event func(*protocol.Call) protocol.Event
	// Payload encodes a call for stdin.
	Payload func(*protocol.Call) (Payload, []string, error)
	// Judge reads the result of the named hook's process. Where Verdict.Problem is set, Settle has the last word.
	Judge func(c *protocol.Call, hook string, r *HookResult) Verdict
	// Merge changes what the dialect's hooks amount to from what all dialects agree on; nil: nothing.
	Merge func(*Merging)
	// Chain changes the call as the next hook of the dialect sees it, where hooks run in turn, and reports whether it did; nil:
	// that one sees what the tool would be given. Hooks of other dialects always do.
	Chain func(*protocol.Call, *Verdict) bool
	// Detaches reports whether a hook's first line on stdout says that nobody is to wait for it; nil: no line does.
	Detaches func(line []byte) bool

	// ProjectTools: hooks know the tools of clients by the project's names as well as by their own. Matchers and rules are held
	// against all of them (tenex: a file of the project's is for every client).
	ProjectTools bool

	// Answer tells an outcome to the client in its own hook output, with the exit that goes with it; nil: there is no client that
	// would call hookrun as its hook. What it has no word for is never lost where it would let something pass.
	Answer func(protocol.Outcome) (stdout []byte, exit int, err error)
	// Sign reports whether a hook input is this client's, at events that another one has too; nil: it is whose input no other
	// client knows for its own.
	Sign func(*protocol.Call) bool
	// Project is the variable in which the client tells its hooks the folder of the project; "": it starts them there (Codex).
	Project string
	// FitResult makes sure, after the tool, of what the client shows its model of the tool's result, by what one hook of any
	// dialect says; nil: it takes any.
	FitResult func(c *protocol.Call, hook string, v *Verdict)
	// ReadResult reads from the client's hook input how the tool ended, where that says it in a way of its own; nil: it does not.
	ReadResult func(c *protocol.Call, response gjson.Result)
	// ToolName is a project's name for the client's tool at the call, where no table can say it; "" or nil: the table does.
	ToolName func(*protocol.Call) string
}

// EventOf names the call's moment as the dialect's hooks subscribe to it.
func (d *Dialect) EventOf(c *protocol.Call) protocol.Event {
	if d.Event == nil {
		return c.Event
	}
	return d.Event(c)
}

// Subject returns what a matcher is held against at the call, and whether matchers mean anything there.
func (d *Dialect) Subject(c *protocol.Call) (subject string, ok bool) {
	field := d.SubjectField(d.EventOf(c))
	if field == "tool_name" {
		return c.Tool, true
	}
	return c.Field(field), field != ""
}

// FailureMeans returns what a hook without an answer amounts to: by the first of the policies that names the cause,
// else by the dialect.
func (d *Dialect) FailureMeans(c *protocol.Call, cause protocol.Cause, policies ...protocol.FailurePolicy) protocol.Decision {
	if d.Passes != nil && d.Passes(d.EventOf(c)) {
		return protocol.Continue
	}
	if d.AlwaysBlocks != nil && d.AlwaysBlocks(d.EventOf(c), cause) {
		return protocol.Block
	}
	if decision, ok := policyOf(cause, policies); ok {
		return decision
	}
	if d.Failure == nil || !slices.Contains(d.Causes, cause) {
		return protocol.Block
	}
	return d.Failure(d.EventOf(c), cause)
}

// ForHTTP is the dialect by whose FailureMeans and Settle failures of HTTP hooks count.
func (d *Dialect) ForHTTP() *Dialect {
	if d.HTTPFailure == nil {
		return d
	}
	other := *d
	other.Failure, other.AlwaysBlocks = d.HTTPFailure, nil
	return &other
}

// Settle decides by FailureMeans for a hook that gave no answer, and for one whose answer is in doubt. Other verdicts are returned
// as they are.
func (d *Dialect) Settle(c *protocol.Call, v Verdict, policies ...protocol.FailurePolicy) Verdict {
	return d.settleDoubt(c, d.settleProblem(c, v, policies), policies)
}

// settleDoubt blocks for a doubt where a policy that was given names unreadable answers. A dialect does not by itself: its client
// takes what is in doubt for nothing. A warning there always is.
func (d *Dialect) settleDoubt(c *protocol.Call, v Verdict, policies []protocol.FailurePolicy) Verdict {
	doubt := v.Doubt
	if v.Doubt = ""; doubt == "" {
		return v
	}
	decision, named := policyOf(protocol.CauseOutput, slices.DeleteFunc(slices.Clone(policies), func(p protocol.FailurePolicy) bool {
		_, own := p[protocol.PolicyOfClient]
		return own
	}))
	if v.Decision != protocol.Continue || !named || decision == protocol.Continue || d.Passes != nil && d.Passes(d.EventOf(c)) {
		if v.Decision == protocol.Continue && !v.Stop {
			doubt += "; " + wentOn(d.EventOf(c))
		}
		v.Warnings = append(v.Warnings, doubt)
		return v
	}
	v.Decision, v.Cause, v.Status, v.Reason = protocol.Block, protocol.CauseOutput, protocol.StatusBlocked, doubt
	v.Approved, v.UpdatedInput, v.Problem = false, nil, doubt
	return v
}

func (d *Dialect) settleProblem(c *protocol.Call, v Verdict, policies []protocol.FailurePolicy) Verdict {
	if v.Problem == "" {
		return v
	}
	if d.FailureMeans(c, v.Cause, policies...) == protocol.Continue {
		return v.passed(d.EventOf(c))
	}
	if v.Answered {
		v.Reason = ""
	}
	v.Decision, v.Approved, v.Answered, v.UpdatedInput = protocol.Block, false, false, nil
	if v.Reason == "" {
		v.Reason = v.Problem
	}
	if v.Status == protocol.StatusFailed || v.Status == protocol.StatusOK {
		v.Status = protocol.StatusBlocked // failed is for errors that let the call pass
	}
	return v
}

// passed is the verdict of a hook without an answer whose failure does not count.
func (v Verdict) passed(e protocol.Event) Verdict {
	if v.Answered { // so its answer does
		if v.Status == protocol.StatusFailed {
			v.Warnings = append(v.Warnings, v.Problem+"; "+ignored(e))
		} else if v.Cause = ""; v.Decision != protocol.Continue || v.Approved {
			v.Cause = protocol.CausePolicy
		}
		v.Problem = ""
		return v
	}
	v.Decision = protocol.Continue
	v.Warnings = append(v.Warnings, v.Problem+"; "+ignored(e))
	v.Reason = ""
	return v
}

// failure is the warning of a failure that was let pass, "" if there is none.
func (v *Verdict) failure() string {
	for _, w := range v.Warnings {
		ends := strings.HasSuffix(w, "; "+ignored(protocol.PreTool)) || strings.HasSuffix(w, "; "+ignored(protocol.PostTool))
		if ends && (v.Status == protocol.StatusFailed || v.Problem != "" && strings.HasPrefix(w, v.Problem)) {
			return w
		}
	}
	return ""
}

// Who opens every message about a hook.
func Who(e protocol.Event, hook string) string {
	return fmt.Sprintf("%s hook '%s'", e, printable.Escape(hook))
}
