package dialect

import (
	"slices"

	"github.com/hookrun/hookrun/protocol"
)

// InFile is the dialect of hooks that stand in a project's file in the form of another dialect and keep this client's
// rules. They run as that file's hooks do, and each reads and answers as in its client. see is the call as the client
// sees it.
func (d *Dialect) InFile(file *Dialect, see func(*Call) *Call) *Dialect {
	entry := *d
	entry.Own = d
	entry.Run.Parallel, entry.Run.FirstOfSame = file.Run.Parallel, file.Run.FirstOfSame
	entry.Hooks = entryHooks{d.Hooks, file.Hooks, see}
	return &entry
}

// entryHooks are a client's Hooks that run as those of file do. They propagate nothing, and undo no other answer.
type entryHooks struct {
	Hooks
	file Hooks
	see  func(*Call) *Call
}

func (h entryHooks) Encode(c *Call) (Payload, []string, error) { return h.Hooks.Encode(h.see(c)) }

func (h entryHooks) Ends(e protocol.Event, v *Verdict) bool {
	ender, ok := h.file.(Ender)
	return ok && ender.Ends(e, v)
}

// Merge merges as the file's hooks do. What the client's own Merge changes about one hook alone counts too: how it
// words a reason for its model, and what it drops.
func (h entryHooks) Merge(m *Merging) {
	h.file.Merge(m)
	alone := func(v *HookVerdict) (before, after Merging) {
		before = newMerging(&Call{Event: m.Event}, []*HookVerdict{v}, v.Verdict.Decision)
		after = before
		h.Hooks.Merge(&after)
		return before, after
	}
	if m.Decider != nil {
		if before, after := alone(m.Decider); after.Reason != before.Reason {
			m.Reason = after.Reason
		}
	}
	if m.stopper != nil {
		if before, after := alone(m.stopper); after.StopReason != before.StopReason {
			m.StopReason = after.StopReason
		}
	}
	m.Contexts = slices.DeleteFunc(m.Contexts, func(v *HookVerdict) bool {
		_, after := alone(v)
		return len(after.Contexts) == 0
	})
}
