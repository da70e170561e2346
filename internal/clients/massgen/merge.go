package massgen

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Merge takes the reason of an ask from the last hook that asks. If a tool call is denied, only the hooks that deny the
// call give texts to the model.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision == protocol.Ask {
		for _, h := range m.Hooks {
			if h.Verdict.Decision == protocol.Ask {
				m.DecideBy(h)
			}
		}
	}
	m.KeepContextsOfBlocks()
	m.NoApproval = m.Any(client.IsUnsupported)
}
