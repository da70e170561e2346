package claude

import (
	"github.com/hookrun/hookrun/internal/dialect"
)

// merge: a hook that only the client itself can run may have been a gate.
func merge(m *dialect.Merging) { m.Unanswered = m.Any(dialect.NotRun) }
