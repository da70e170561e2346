package qwen

import (
	"cmp"
	"fmt"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank makes one answer of several as the client does: there a later permissionDecision undoes an earlier one, and
// any undoes exit 2 and "decision". What is undone is said in a warning. A hook that blocks since it failed gave no
// answer, and one with a policy for unreadable answers (Strict) stands.
func (hooks) Outrank(c *dialect.Call, verdicts []*dialect.HookVerdict) {
	var said []*dialect.HookVerdict
	var answers []*answer
	for _, h := range verdicts {
		a, ok := h.Verdict.Own.(*answer)
		if failed := h.Verdict.Decision == protocol.Block && h.Verdict.Problem != ""; ok && !failed {
			said, answers = append(said, h), append(answers, a)
		}
	}
	if len(said) < 2 {
		return
	}
	m := ruleAt(c)
	all := joined(answers)
	if m.Can&requests != 0 {
		all.specific["decision"] = requested(answers)
	}
	decision, why := m.decide(all)
	var decider *dialect.HookVerdict
	for i, h := range said {
		v := &h.Verdict
		switch {
		case v.Decision == decision && decider == nil:
			decider = h
		case v.Decision < decision && !v.Strict:
			v.Warnings = append(v.Warnings,
				fmt.Sprintf("%s said %s, and another hook's answer undoes that, as %s has it: %s",
					dialect.Who(m.Name, h.Report.Name), v.Decision, client, printable.Escape(v.Reason)))
			v.Decision, v.Cause, v.Reason = protocol.Continue, "", ""
		}
		if decider == nil && (answers[i].denies() || answers[i].stop) { // no answer blocks alone
			decider = h
		}
	}
	if decision != protocol.Continue {
		cmp.Or(decider, said[0]).Verdict.Decide(decision, why)
	}
}

// Merge: a prompt that is blocked has no context, and a hook that only the client itself can run may have been a gate.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Block && dialect.Canonical(m.Event) != protocol.PostTool && m.Event != "PostToolBatch" {
		m.Contexts = nil
	}
	m.Unanswered = m.Any(dialect.NotRun)
}
