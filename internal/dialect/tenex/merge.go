package tenex

import (
	"github.com/hookrun/hookrun/internal/dialect"
)

// Merge: where a tool call is blocked, only the hooks that block it have a say to the model, and a hook that gave no
// answer takes back what another one approved.
func (hooks) Merge(m *dialect.Merging) {
	m.KeepContextsOfBlocks()
	m.Unanswered = m.Any(func(v *dialect.Verdict) bool { return v.Problem != "" })
}
