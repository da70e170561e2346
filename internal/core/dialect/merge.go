package dialect

import (
	"cmp"
	"slices"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Merging is the merge of one dialect's hooks into an outcome. It starts with the common rules: the call's strictest
// decision counts, the first hook in the file with that decision gives reason and cause, and of rewrites and stop
// reasons the last counts. A dialect's Merge changes this where its client differs.
type Merging struct {
	protocol.Outcome
	Hooks []*HookVerdict // of this dialect, in file order

	// The Outcome's Decision is that of all hooks of the call. Decider is this dialect's hook that gives the reason, or
	// nil if no hook of this dialect made the decision.
	Decider *HookVerdict
	// Contexts are the hooks whose texts reach the model.
	Contexts []*HookVerdict
	// NoApproval: a gate gave no answer, so other hooks cannot approve the call.
	NoApproval bool

	Common protocol.Event // of the call

	stopper *HookVerdict
	row     *Event
}

// DecideBy takes the outcome's reason and cause from a hook.
func (m *Merging) DecideBy(h *HookVerdict) {
	m.Decider = h
	m.Reason, m.Cause, m.Hook, m.Approved = h.Verdict.Reason, h.Verdict.Cause, h.Report.Name, h.Verdict.Approved
}

// KeepContextsOfBlocks drops, from a blocked tool call, the contexts of hooks that did not block. At other events a
// block stops no tool, and the model still reads the contexts of the other hooks.
func (m *Merging) KeepContextsOfBlocks() {
	if m.Decision == protocol.Block && m.Common == protocol.PreTool {
		m.Contexts = slices.DeleteFunc(m.Contexts,
			func(h *HookVerdict) bool { return h.Verdict.Decision != protocol.Block })
	}
}

// Any reports whether is holds for a verdict of the dialect's hooks.
func (m *Merging) Any(is func(*Verdict) bool) bool {
	return slices.ContainsFunc(m.Hooks, func(h *HookVerdict) bool { return is(&h.Verdict) })
}

// Merge merges the hooks of a call, given in file order, into one outcome. Each dialect merges its own hooks, and the
// strictest decision counts. The outcome of no hooks is continue.
func Merge(c *Call, verdicts []HookVerdict) protocol.Outcome {
	hooks := make([]*HookVerdict, len(verdicts))
	for i := range verdicts {
		hooks[i] = &verdicts[i]
	}
	outrank(c, hooks)
	decision := protocol.Continue
	for _, h := range hooks {
		decision = min(decision, h.Verdict.Decision)
	}
	agreed := newMerging(c, hooks, decision)
	m := *agreed
	m.Contexts = nil
	for rest := hooks; len(rest) > 0; {
		d := rest[0].Dialect
		var own []*HookVerdict
		own, rest = partition(rest, func(h *HookVerdict) bool { return h.Dialect.Name == d.Name })
		part := agreed
		if len(own) < len(hooks) {
			part = newMerging(c, own, decision)
		}
		stopReason := part.StopReason
		d.Hooks.Merge(part)
		if m.Decider != nil && m.Decider.Dialect.Name == d.Name {
			m.DecideBy(part.Decider)
			m.Reason = part.Reason
		}
		if m.stopper != nil && m.stopper.Dialect.Name == d.Name && part.StopReason != stopReason {
			m.StopReason = part.StopReason
		}
		m.Contexts = append(m.Contexts, part.Contexts...)
		m.NoApproval = m.NoApproval || part.NoApproval
	}
	if m.Approved && m.NoApproval {
		m.Approved, m.Reason, m.Cause, m.Hook = false, "", "", ""
	}
	for _, h := range hooks {
		if v := &h.Verdict; slices.Contains(m.Contexts, h) {
			m.Texts = append(m.Texts, WithDisplay(protocol.Text{Hook: h.Report.Name, Content: v.Context,
				Truncated: v.Truncated, File: v.File, Strategy: v.Strategy}))
		}
	}
	return m.Outcome
}

// outrank calls Outrank of each dialect.
func outrank(c *Call, hooks []*HookVerdict) {
	for rest := hooks; len(rest) > 0; {
		d := rest[0].Dialect
		var own []*HookVerdict
		own, rest = partition(rest, func(h *HookVerdict) bool { return h.Dialect.Name == d.Name })
		d.Hooks.Outrank(c, own)
	}
}

// partition splits hooks by is.
func partition(hooks []*HookVerdict, is func(*HookVerdict) bool) (matching, others []*HookVerdict) {
	for _, h := range hooks {
		if is(h) {
			matching = append(matching, h)
		} else {
			others = append(others, h)
		}
	}
	return matching, others
}

// newMerging merges the hooks' verdicts by the common rules.
func newMerging(c *Call, hooks []*HookVerdict, decision protocol.Decision) *Merging {
	m := &Merging{Hooks: hooks, Outcome: protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: decision,
		Hooks: []protocol.Report{}}}
	m.Failed, m.Common, m.row = c.Failed, c.Common(), c.row
	var other strictjson.Fields
	ran := c.Common() == protocol.PostTool // a result can change only after the tool ran, an input only before
	withheld := false
	for _, h := range hooks {
		v, name := &h.Verdict, h.Report.Name
		m.Outcome.Hooks = append(m.Outcome.Hooks, h.Report)
		m.Warnings = append(m.Warnings, v.Warnings...)
		if m.Decider == nil && v.Decision == decision && (decision != protocol.Continue || v.Approved) {
			m.DecideBy(h)
		}
		if v.Stop {
			m.Stop, m.stopper = true, h
			m.StopReason = cmp.Or(v.StopReason, m.StopReason, "Stopped by project hook '"+printable.Escape(name)+"'")
		}
		if v.SystemMessage != "" {
			m.SystemMessages = append(m.SystemMessages, v.SystemMessage)
		}
		for _, f := range v.Other {
			other.Set(f.Key, f.Value)
		}
		if v.UpdatedInput != nil && decision != protocol.Block && !ran {
			m.UpdatedInput, m.UpdatedBy = v.UpdatedInput, name
		}
		switch {
		case withheld: // later answers do not count
		case v.Withholds(c):
			m.UpdatedOutput, m.UpdatedBy, withheld = InPlaceOfResult(v.UpdatedOutput), name, true
		case v.UpdatedOutput != nil && ran:
			m.UpdatedOutput, m.UpdatedBy = v.UpdatedOutput, name
		}
		if v.Context != "" {
			m.Contexts = append(m.Contexts, h)
		}
	}
	if len(other) > 0 {
		m.Other = ObjectOf(other)
	}
	return m
}
