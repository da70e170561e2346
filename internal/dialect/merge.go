package dialect

import (
	"cmp"
	"slices"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Merging is how the hooks of one dialect amount to an outcome. It starts as what the dialects agree on: the strictest
// decision of the call counts, the first hook in the file that made it gives reason and cause, and of rewrites and stop
// reasons the last counts. A dialect's Merge changes what its client does in another way.
type Merging struct {
	protocol.Outcome
	Hooks []*HookVerdict // of this dialect, in the order of the file

	// Decision of the Outcome is that of all hooks of the call. Decider is the hook of this dialect that gives the
	// reason, nil if none of them made that decision.
	Decider *HookVerdict
	// Contexts are the hooks whose texts reach the model.
	Contexts []*HookVerdict
	// Unanswered: a gate was silent, so nobody who allows the call can speak for it.
	Unanswered bool

	stopper *HookVerdict
}

// DecideBy takes reason and cause of the outcome from a hook.
func (m *Merging) DecideBy(h *HookVerdict) {
	m.Decider = h
	m.Reason, m.Cause, m.Hook, m.Approved = h.Verdict.Reason, h.Verdict.Cause, h.Report.Name, h.Verdict.Approved
}

// KeepContextsOfBlocks drops the context of hooks that let a tool call pass which is blocked. Elsewhere a block holds
// no tool up, and what other hooks say is still worth reading.
func (m *Merging) KeepContextsOfBlocks() {
	if m.Decision == protocol.Block && Canonical(m.Event) == protocol.PreTool {
		m.Contexts = slices.DeleteFunc(m.Contexts,
			func(h *HookVerdict) bool { return h.Verdict.Decision != protocol.Block })
	}
}

// Any reports whether a verdict of the dialect's hooks is such.
func (m *Merging) Any(is func(*Verdict) bool) bool {
	return slices.ContainsFunc(m.Hooks, func(h *HookVerdict) bool { return is(&h.Verdict) })
}

// NotRun reports whether hookrun left out a hook that its client would have run.
func NotRun(v *Verdict) bool { return v.Problem != "" && v.Cause == protocol.CauseUnsupported }

// MergeNotRun merges for a client with hooks of kinds that hookrun cannot run: a hook that
// only the client itself can run may have been a gate.
func MergeNotRun(m *Merging) { m.Unanswered = m.Any(NotRun) }

// Merge makes one outcome of what the hooks of a call said, given in file order: each dialect decides by its own rules
// what its hooks amount to, and the strictest of that counts. No hooks at all is a plain continue.
func Merge(c *Call, judged []HookVerdict) protocol.Outcome {
	all := make([]*HookVerdict, len(judged))
	for i := range judged {
		all[i] = &judged[i]
	}
	outrank(c, all)
	decision := protocol.Continue
	for _, h := range all {
		decision = min(decision, h.Verdict.Decision)
	}
	agreed := newMerging(c, all, decision)
	m := agreed
	m.Contexts = nil
	for rest := all; len(rest) > 0; {
		d := rest[0].Dialect
		var own []*HookVerdict
		own, rest = partition(rest, func(h *HookVerdict) bool { return h.Dialect.Name == d.Name })
		part := agreed
		if len(own) < len(all) {
			part = newMerging(c, own, decision)
		}
		stopReason := part.StopReason
		d.Hooks.Merge(&part)
		if m.Decider != nil && m.Decider.Dialect.Name == d.Name {
			m.DecideBy(part.Decider)
			m.Reason = part.Reason
		}
		if m.stopper != nil && m.stopper.Dialect.Name == d.Name && part.StopReason != stopReason {
			m.StopReason = part.StopReason
		}
		m.Contexts = append(m.Contexts, part.Contexts...)
		m.Unanswered = m.Unanswered || part.Unanswered
	}
	if m.Approved && m.Unanswered {
		m.Approved, m.Reason, m.Cause, m.Hook = false, "", "", ""
	}
	for _, h := range all {
		if v := &h.Verdict; slices.Contains(m.Contexts, h) {
			m.Texts = append(m.Texts, protocol.Text{Hook: h.Report.Name, Content: v.Context, Truncated: v.Truncated,
				File:     v.File,
				Strategy: v.Strategy})
		}
	}
	return m.Outcome
}

// outrank has each dialect that does so take what does not count from the verdicts of its hooks.
func outrank(c *Call, all []*HookVerdict) {
	for rest := all; len(rest) > 0; {
		d := rest[0].Dialect
		var own []*HookVerdict
		own, rest = partition(rest, func(h *HookVerdict) bool { return h.Dialect.Name == d.Name })
		if o, ok := d.Hooks.(Outranker); ok {
			o.Outrank(c, own)
		}
	}
}

// partition returns the hooks that are such, and the others.
func partition(hooks []*HookVerdict, is func(*HookVerdict) bool) (such, others []*HookVerdict) {
	for _, h := range hooks {
		if is(h) {
			such = append(such, h)
		} else {
			others = append(others, h)
		}
	}
	return such, others
}

// newMerging gathers what hooks said, as all dialects do.
func newMerging(c *Call, hooks []*HookVerdict, decision protocol.Decision) Merging {
	m := Merging{Hooks: hooks, Outcome: protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: decision,
		Hooks: []protocol.Report{}}}
	m.Failed = c.Failed
	var other strictjson.Fields
	ran := Canonical(c.Event) == protocol.PostTool // then its result can change, and until then its input
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
		case withheld: // whatever later hooks answered
		case v.Withholds(c.Event):
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
