package tenex

import (
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Merge keeps only the texts of the hooks that block, if a tool call is blocked. A hook without an answer takes back
// the approval of another hook.
func (hooks) Merge(m *dialect.Merging) {
	m.KeepContextsOfBlocks()
	m.NoApproval = m.Any(func(v *dialect.Verdict) bool { return v.Problem != "" })
}
