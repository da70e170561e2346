package crush

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Outrank: each hook changes some keys of the tool's input, over what hooks before it in the file changed.
func (hooks) Outrank(_ *dialect.Call, verdicts []*dialect.HookVerdict) {
	var input []byte
	for _, h := range verdicts {
		v := &h.Verdict
		own, _ := v.Own.(said)
		if v.UpdatedInput == nil || own.patch == nil {
			continue
		}
		if input != nil {
			v.UpdatedInput = dialect.MergedJSON(input, own.patch)
		}
		input = v.UpdatedInput
	}
}

// Merge: all who hold the call up give their reasons, one a line, in the order of the file. Beside them no context
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
		if own, is := v.Own.(said); is && v.Cause == protocol.CausePolicy {
			reason = own.reason
		}
		if v.Decision == protocol.Block && reason != "" {
			reasons = append(reasons, reason)
		}
	}
	if joined := strings.Join(reasons, "\n"); m.Decider != nil {
		m.Reason = cmp.Or(joined, silentBlock)
		if m.Stop {
			m.StopReason = cmp.Or(joined, m.StopReason)
		}
	}
}
