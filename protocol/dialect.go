package protocol

import (
	"fmt"
	"time"
)

// Dialect is what differs between clients: how a call is put on stdin, how a process result is read as a verdict,
// and a handful of policy values. Everything else is the same for all hooks.
type Dialect struct {
	Name    string
	Timeout time.Duration // of a hook that sets none

	// Causes are the kinds of failure that a hook can have, and on_failure can name.
	Causes []Cause
	// Failure says what a hook without an answer amounts to, by canonical event and cause. What is not in it blocks.
	Failure map[Event]FailurePolicy

	// Chain: each later hook of a call sees what an earlier one rewrote.
	Chain bool
	// StopAtBlock: the first block ends the call, later hooks are skipped.
	StopAtBlock bool
	// DropContextOnBlock: where a tool call is blocked, the context of hooks that let it pass is dropped.
	DropContextOnBlock bool

	// Payload encodes a call for stdin.
	Payload func(*Call) (Payload, []string, error)
	// Judge reads the result of the named hook's process. Where Verdict.Problem is set, Settle has the last word.
	Judge func(c *Call, hook string, r *Result) Verdict
}

// Dialects lists all dialects.
func Dialects() []*Dialect { return []*Dialect{Tenex} }

// DialectNamed finds a dialect by its name.
func DialectNamed(name string) (*Dialect, bool) {
	for _, d := range Dialects() {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// FailureMeans returns what a hook without an answer amounts to: by the first of the policies that names the cause,
// else by the dialect.
func (d *Dialect) FailureMeans(e Event, cause Cause, policies ...FailurePolicy) Decision {
	for _, p := range policies {
		if decision, ok := p[cause]; ok {
			return decision
		}
	}
	return d.Failure[e.Canonical()][cause] // a cause that is nowhere named is Block, the zero value
}

// Settle decides by FailureMeans for a hook that gave no answer. Other verdicts are returned as they are.
func (d *Dialect) Settle(c *Call, v Verdict, policies ...FailurePolicy) Verdict {
	if v.Problem == "" {
		return v
	}
	v.Decision = d.FailureMeans(c.Event, v.Cause, policies...)
	if v.Decision == Continue {
		v.Warnings = append(v.Warnings, v.Problem+"; "+ignored(c.Event))
		v.Reason = ""
		return v
	}
	if v.Reason == "" {
		v.Reason = v.Problem
	}
	if v.Status == StatusFailed {
		v.Status = StatusBlocked // failed is for errors that let the call pass
	}
	return v
}

// ignored says in a warning what comes of a failure that does not block.
func ignored(e Event) string {
	if e.Canonical() == PostTool {
		return "ignored, the tool already ran"
	}
	return "continuing"
}

// said opens every message about a hook.
func said(e Event, hook string) string {
	return fmt.Sprintf("%s hook '%s'", e.Canonical(), hook)
}
