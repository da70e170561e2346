package dialect

import (
	"slices"

	"github.com/hookrun/hookrun/protocol"
)

// InFile is the dialect of an entry that keeps a client's rules in a file of another dialect. What the hook gets, what
// its result means and what its matcher is held against are the client's; in which order hooks run, which block ends
// the call and what all of them amount to are the file's. see shows the hook a call that comes from somewhere else as
// its client would.
func (d *Dialect) InFile(file *Dialect, see func(*Call) *Call) *Dialect {
	entry := *d
	entry.Client = d
	entry.Parallel, entry.FirstOfSame, entry.StopsAtBlock = file.Parallel, file.FirstOfSame, file.StopsAtBlock
	entry.Propagate, entry.Ends, entry.Outrank = file.Propagate, file.Ends, file.Outrank
	entry.EncodeInput = func(c *Call) (Payload, []string, error) { return d.EncodeInput(see(c)) }
	entry.Merge = func(m *Merging) {
		file.Merge(m)
		if d.Merge != nil {
			d.mergeEach(m)
		}
	}
	return &entry
}

// mergeEach has the client merge each hook alone, for what it says there in words of its own, and what it drops.
func (d *Dialect) mergeEach(m *Merging) {
	alone := func(h *HookVerdict) Merging {
		one := newMerging(&protocol.Call{Event: m.Event}, []*HookVerdict{h}, h.Verdict.Decision)
		d.Merge(&one)
		return one
	}
	if m.Decider != nil {
		m.Reason = alone(m.Decider).Reason
	}
	if m.stopper != nil {
		m.StopReason = alone(m.stopper).StopReason
	}
	m.Contexts = slices.DeleteFunc(m.Contexts, func(h *HookVerdict) bool { return len(alone(h).Contexts) == 0 })
}
