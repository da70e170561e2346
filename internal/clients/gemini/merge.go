package gemini

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// noReason is the client's reason if no hook gave one.
const noReason = "No reason provided"

// Merge joins the reasons of all hooks, even of hooks that let the call go on, and also joins the stop reasons. A
// block's reason replaces the text to which context would be added, so a block has no context.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Block {
		m.Contexts = nil
	}
	m.NoApproval = m.Any(client.IsUnsupported)
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
