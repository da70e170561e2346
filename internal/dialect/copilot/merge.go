package copilot

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// outrank: what several hooks say at one event is one answer for the client, in which later fields overwrite earlier
// ones.
func outrank(c *protocol.Call, hooks []*dialect.HookVerdict) {
	m := ruleOf(eventOf(c))
	blocked := slices.ContainsFunc(hooks, func(h *dialect.HookVerdict) bool {
		return h.Verdict.Decision == protocol.Block
	})
	for i, h := range hooks {
		v := &h.Verdict
		later := func(is func(*dialect.Verdict) bool) *dialect.HookVerdict {
			for _, other := range hooks[i+1:] {
				if is(&other.Verdict) {
					return other
				}
			}
			return nil
		}
		switch {
		case m.name == "PostToolUse" && blocked && !v.Withholds(c.Event):
			v.UpdatedOutput = nil // the reason takes the place of the result
		case m.name == "UserPromptSubmit":
			if blocked || later(func(v *dialect.Verdict) bool { return v.Context != "" }) != nil {
				v.Context = ""
			}
		}
		if m.does&lastWord == 0 && m.name != "UserPromptSubmit" || v.Decision != protocol.Block ||
			v.Cause != protocol.CausePolicy {
			continue
		}
		by := later(func(v *dialect.Verdict) bool {
			return v.Decision == protocol.Block || v.Releases && m.does&lastWord != 0
		})
		if by == nil {
			continue
		}
		v.Decision, v.Stop = protocol.Continue, false
		if by.Verdict.Releases {
			v.Warnings = append(v.Warnings, fmt.Sprintf("the block of hook '%s' does not count at %s: %s goes by the "+
				"last answer, which is that of hook '%s'", printable.Escape(h.Report.Name), m.name, client,
				printable.Escape(by.Report.Name)))
		}
	}
}
