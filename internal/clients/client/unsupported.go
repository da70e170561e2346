package client

import (
	"github.com/hookrun/hookrun/protocol"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// IsUnsupported reports whether hookrun skipped a hook that the client would have run.
func IsUnsupported(v *dialect.Verdict) bool {
	return v.Problem != "" && v.Cause == protocol.CauseUnsupported
}

// MergeUnsupported is the Merge of a client with hooks that only the client can run: such a hook may have been a gate.
func MergeUnsupported(m *dialect.Merging) { m.NoApproval = m.Any(IsUnsupported) }
