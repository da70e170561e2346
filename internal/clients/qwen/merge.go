package qwen

import (
	"cmp"
	"fmt"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank merges several answers as the client does: a later permissionDecision overrides an earlier one, and any
// permissionDecision overrides exit 2 and "decision". A warning names each overridden block. Outrank skips a hook that
// blocks because of a failure, and keeps the block of a hook with a policy for unreadable answers (Strict).
func (hooks) Outrank(c *dialect.Call, verdicts []*dialect.HookVerdict) {
	var answered []*dialect.HookVerdict
	var answers []*answer
	for _, h := range verdicts {
		a, ok := h.Verdict.Own.(*answer)
		if failed := h.Verdict.Decision == protocol.Block && h.Verdict.Problem != ""; ok && !failed {
			answered, answers = append(answered, h), append(answers, a)
		}
	}
	if len(answered) < 2 {
		return
	}
	m := ruleAt(c)
	all := mergeAnswers(answers)
	if m.Can&requests != 0 {
		all.specific["decision"] = mergeRequests(answers)
	}
	decision, why := m.decide(all)
	var decider *dialect.HookVerdict
	for i, h := range answered {
		v := &h.Verdict
		switch {
		case v.Decision == decision && decider == nil:
			decider = h
		case v.Decision < decision && !v.Strict:
			v.Warnings = append(v.Warnings,
				fmt.Sprintf("%s said %s, and another hook's answer undoes that, as %s has it: %s",
					dialect.MessagePrefix(m.Name, h.Report.Name), v.Decision, clientName, printable.Escape(v.Reason)))
			v.Decision, v.Cause, v.Reason = protocol.Continue, "", ""
		}
		if decider == nil && (answers[i].denies() || answers[i].stop) { // only the merged answer blocks
			decider = h
		}
	}
	if decision != protocol.Continue {
		cmp.Or(decider, answered[0]).Verdict.Decide(decision, why)
	}
}

// Merge drops context beside a block, except after tools. A hook that only the client can run may have been a gate.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Block && m.Common != protocol.PostTool && m.Event != "PostToolBatch" {
		m.Contexts = nil
	}
	m.NoApproval = m.Any(client.IsUnsupported)
}
