package massgen

import (
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Merge: of several hooks that ask, the last one gives the reason. Where a tool call is denied, only the hooks that
// deny it have a say to the model.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Ask {
		for _, h := range m.Hooks {
			if h.Verdict.Decision == protocol.Ask {
				m.DecideBy(h)
			}
		}
	}
	m.KeepContextsOfBlocks()
	m.Unanswered = m.Any(dialect.NotRun)
}
