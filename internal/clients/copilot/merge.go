package copilot

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// allow is the Verdict.Own of an answer that allows the call and overrides earlier hooks.
const allow = "allow"

// Outrank drops what later hooks overwrite: the client merges the answers of all hooks, and later fields win.
func (hooks) Outrank(c *dialect.Call, verdicts []*dialect.HookVerdict) {
	m := ruleOf(eventOf(c))
	blocked := slices.ContainsFunc(verdicts, func(h *dialect.HookVerdict) bool {
		return h.Verdict.Decision == protocol.Block
	})
	for i, h := range verdicts {
		v := &h.Verdict
		later := func(is func(*dialect.Verdict) bool) *dialect.HookVerdict {
			for _, other := range verdicts[i+1:] {
				if is(&other.Verdict) {
					return other
				}
			}
			return nil
		}
		switch {
		case m.Name == "PostToolUse" && blocked && !v.Withholds(c):
			v.UpdatedOutput = nil // the reason replaces the result
		case m.Name == "UserPromptSubmit":
			if blocked || later(func(v *dialect.Verdict) bool { return v.Context != "" }) != nil {
				v.Context = ""
			}
		}
		if m.Can&lastWord == 0 && m.Name != "UserPromptSubmit" || v.Decision != protocol.Block ||
			v.Cause != protocol.CausePolicy {
			continue
		}
		by := later(func(v *dialect.Verdict) bool {
			return v.Decision == protocol.Block || v.Own == allow && m.Can&lastWord != 0
		})
		if by == nil {
			continue
		}
		v.Decision, v.Stop = protocol.Continue, false
		if by.Verdict.Own == allow {
			v.Warnings = append(v.Warnings, fmt.Sprintf("the block of hook '%s' does not count at %s: %s goes by the "+
				"last answer, which is that of hook '%s'", printable.Escape(h.Report.Name), m.Name, clientName,
				printable.Escape(by.Report.Name)))
		}
	}
}
