package droid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank: the first word of permissionDecision in the file counts, and the first context and the first new input. An
// exit 2 counts beside any of them. What another hook said is lost there, and a warning here.
func (hooks) Outrank(c *dialect.Call, verdicts []*dialect.HookVerdict) {
	event := eventOf(c)
	var word *dialect.HookVerdict
	for _, h := range verdicts {
		if wordOf(&h.Verdict) != "" && !h.Verdict.Stop {
			word = h
			break
		}
	}
	if event != "SessionStart" {
		oneContext(event, verdicts)
	}
	oneInput(event, verdicts, word)
	if word == nil {
		return
	}
	for _, h := range verdicts {
		if h != word && wordOf(&h.Verdict) != "" && !h.Verdict.Stop {
			outrankWord(event, h, word)
		}
	}
	if wordOf(&word.Verdict) == wordBlock && word.Verdict.Decision == protocol.Continue {
		silenceExits(event, verdicts)
	}
}

// lost warns that something of a hook's answer does not count.
func lost(e protocol.Event, h *dialect.HookVerdict, what, whose string) {
	h.Verdict.Warnings = append(h.Verdict.Warnings, fmt.Sprintf("%s %s, and %s takes %s",
		dialect.Who(e, h.Report.Name), what, client, whose))
}

// oneContext leaves the first context.
func oneContext(e protocol.Event, verdicts []*dialect.HookVerdict) {
	has := false
	for _, h := range verdicts {
		if h.Verdict.Context != "" && has {
			h.Verdict.Context = ""
			lost(e, h, "answered with additionalContext", "that of the first hook alone")
		}
		has = has || h.Verdict.Context != ""
	}
}

// oneInput leaves the new input of the hook whose word counts, if that word is allow, or without one the first.
func oneInput(e protocol.Event, verdicts []*dialect.HookVerdict, word *dialect.HookVerdict) {
	var input *dialect.HookVerdict
	for _, h := range verdicts {
		if h.Verdict.UpdatedInput != nil && (input == nil || h == word) {
			input = h
		}
	}
	for _, h := range verdicts {
		v := &h.Verdict
		if v.UpdatedInput != nil && (h != input || h == word && wordOf(v) != "allow") {
			v.UpdatedInput = nil
			lost(e, h, "changed "+dialect.InputOf(e), "the change of another hook, or none beside this answer")
		}
	}
}

// outrankWord takes from a hook what it decided, beside the word of another hook that counts. Its exit 2 stays.
func outrankWord(e protocol.Event, h, word *dialect.HookVerdict) {
	v := &h.Verdict
	v.Approved = false
	if wordOf(&word.Verdict) == "deny" || wordOf(v) == wordBlock && word.Verdict.Reason != "" {
		return
	}
	exit2 := h.Report.ExitCode != nil && *h.Report.ExitCode == 2
	switch {
	case v.Decision != protocol.Block || exit2 && wordOf(v) != "deny":
	case exit2:
		v.Reason = cmp.Or(h.Report.Stderr, "Tool execution blocked by hook")
	default:
		release(h)
		lost(e, h, fmt.Sprintf("answered with %q", wordOf(v)), "the first answer in the file, which is that of hook '"+
			word.Report.Name+"'")
	}
}

// wordOf is what a hook decided with, in the client's words, "" if it did not.
func wordOf(v *dialect.Verdict) string {
	word, _ := v.Own.(string)
	return word
}

// release takes a block back.
func release(h *dialect.HookVerdict) {
	v := &h.Verdict
	v.Decision, v.Cause, v.Status, v.Reason = protocol.Continue, "", dialect.StatusOK, ""
	h.Report.Status, h.Report.Cause = v.Status, ""
}

// silenceExits: at Stop a block without a reason is none, and beside it no exit 2 is.
func silenceExits(e protocol.Event, verdicts []*dialect.HookVerdict) {
	for _, h := range verdicts {
		if v := &h.Verdict; v.Decision == protocol.Block && wordOf(v) == "" {
			release(h)
			lost(e, h, "exited with 2", "the block without a reason of an earlier hook, which is none")
		}
	}
}

// Merge: who ends the run gives the reason, by the answer before the exit code; then a deny, then an exit code.
func (hooks) Merge(m *dialect.Merging) {
	by := func(words ...string) (first *dialect.HookVerdict) {
		for _, word := range words {
			i := slices.IndexFunc(m.Hooks, func(h *dialect.HookVerdict) bool { return wordOf(&h.Verdict) == word })
			if i >= 0 {
				return m.Hooks[i]
			}
		}
		return nil
	}
	stopper := by(wordStop, wordAbort)
	if stopper != nil {
		m.StopReason = stopper.Verdict.StopReason
	}
	if m.Decision != protocol.Block || m.Decider == nil {
		return
	}
	if first := cmp.Or(stopper, by("deny", wordBlock)); first != nil && first.Verdict.Decision == protocol.Block {
		m.DecideBy(first)
	}
}
