package gemini

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// noReason are the client's words where no hook gave a reason.
const noReason = "No reason provided"

// Merge: the client joins the reasons of all hooks, also of those that let pass, and so the reasons to stop. The reason
// of a block stands in the place of what context would have been added to, so there is no context beside one.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Block {
		m.Contexts = nil
	}
	m.Unanswered = m.Any(dialect.NotRun)
	var reasons, stops []string
	for _, h := range m.Hooks {
		if h.Verdict.Reason != "" {
			reasons = append(reasons, h.Verdict.Reason)
		}
		if h.Verdict.StopReason != "" {
			stops = append(stops, h.Verdict.StopReason)
		}
	}
	why, stop := strings.Join(reasons, "\n"), strings.Join(stops, "\n")
	if m.Decision != protocol.Continue {
		m.Reason = cmp.Or(why, stop, noReason)
	}
	if m.Stop {
		m.StopReason = cmp.Or(stop, why, noReason)
	}
}
