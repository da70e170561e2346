package crush

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank adds up the changes to the input: each hook changes some keys, over the changes of earlier hooks in the file.
func (hooks) Outrank(_ *dialect.Call, verdicts []*dialect.HookVerdict) {
	var input []byte
	for _, h := range verdicts {
		v := &h.Verdict
		own, _ := v.Own.(ownAnswer)
		if v.UpdatedInput == nil || own.patch == nil {
			continue
		}
		if input != nil {
			v.UpdatedInput = dialect.MergedJSON(input, own.patch)
		}
		input = v.UpdatedInput
	}
}

// Merge joins the reasons of all hooks that block, one a line, in the order of the file. Beside a block no context
// reaches the model.
func (hooks) Merge(m *dialect.Merging) {
	if m.Decision != protocol.Block {
		return
	}
	m.Contexts = nil
	var reasons []string
	for _, h := range m.Hooks {
		v := &h.Verdict
		reason := v.Reason
		if own, is := v.Own.(ownAnswer); is && v.Cause == protocol.CausePolicy {
			reason = own.reason
		}
		if v.Decision == protocol.Block && reason != "" {
			reasons = append(reasons, reason)
		}
	}
	if joined := strings.Join(reasons, "\n"); m.Decider != nil {
		m.Reason = cmp.Or(joined, defaultReason)
		if m.Stop {
			m.StopReason = cmp.Or(joined, m.StopReason)
		}
	}
}
