package droid

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank keeps what the client keeps: the first permissionDecision, the first context and the first new input in file
// order, and every exit 2. A warning names each lost part of another hook's answer.
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

// warnLost warns that a part of a hook's answer does not count.
func warnLost(e protocol.Event, h *dialect.HookVerdict, what, whose string) {
	h.Verdict.Warnings = append(h.Verdict.Warnings, fmt.Sprintf("%s %s, and %s takes %s",
		dialect.MessagePrefix(e, h.Report.Name), what, clientName, whose))
}

// oneContext keeps the first context only.
func oneContext(e protocol.Event, verdicts []*dialect.HookVerdict) {
	has := false
	for _, h := range verdicts {
		if h.Verdict.Context != "" && has {
			h.Verdict.Context = ""
			warnLost(e, h, "answered with additionalContext", "that of the first hook alone")
		}
		has = has || h.Verdict.Context != ""
	}
}

// oneInput keeps one new input: the input of the hook with the counting word, and only if the word is "allow". If this
// hook changed no input, the first new input in the file counts.
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
			changed := "changed " + dialect.InputOf(protocol.Outcome{Event: e})
			warnLost(e, h, changed, "the change of another hook, or none beside this answer")
		}
	}
}

// outrankWord removes a hook's decision, because another hook's word counts. An exit 2 remains a block.
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
		warnLost(e, h, fmt.Sprintf("answered with %q", wordOf(v)),
			"the first answer in the file, which is that of hook '"+word.Report.Name+"'")
	}
}

// wordOf returns the client's word for a hook's decision, or "".
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

// silenceExits releases blocks by exit 2 at Stop. There a block without a reason does not count, and it also voids the
// exit 2 of other hooks.
func silenceExits(e protocol.Event, verdicts []*dialect.HookVerdict) {
	for _, h := range verdicts {
		if v := &h.Verdict; v.Decision == protocol.Block && wordOf(v) == "" {
			release(h)
			warnLost(e, h, "exited with 2", "the block without a reason of an earlier hook, which is none")
		}
	}
}

// Merge takes the reason from the hook that ends the run, by its answer before its exit code. After that a deny counts,
// then an exit code.
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
