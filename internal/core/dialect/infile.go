package dialect

import (
	"slices"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// ForProjectFile returns the dialect of hooks in a project's file that has the form of another dialect, file, but
// follow this client's rules. The hooks run like that file's hooks, but read and answer as in their client. names
// returns the client's names for the tool of another client's call.
func (d *Dialect) ForProjectFile(file *Dialect, names func(*Call) []string) *Dialect {
	entry := *d
	entry.Own = d
	entry.Run.Parallel, entry.Run.FirstOfEqual = file.Run.Parallel, file.Run.FirstOfEqual
	entry.Hooks = entryHooks{d.Hooks, d, file.Hooks, names}
	return &entry
}

// entryHooks are a client's Hooks that run like the Hooks of file. They neither propagate nor override other answers.
type entryHooks struct {
	Hooks
	client *Dialect
	file   Hooks
	names  func(*Call) []string
}

func (h entryHooks) Encode(c *Call) (Payload, []string, error) {
	return h.Hooks.Encode(h.clientCall(c))
}

// clientCall returns the call with the client's name for the tool, as the client's hooks know such calls.
func (h entryHooks) clientCall(c *Call) *Call {
	names := h.names(c)
	if len(names) == 0 {
		return c
	}
	seen := *c
	seen.Tool = names[0]
	SetField(&seen, "tool_name", strictjson.Quote(seen.Tool))
	return &seen
}

// ToolNames returns a client's names for the tool of a call from another client, or from the project's own loop, for
// hooks in a project's file that follow the client's rules. It returns nil if the tool is the client's own, or if the
// client has no such tool.
func (d *Dialect) ToolNames(c *Call) []string {
	if h, is := d.Hooks.(entryHooks); is {
		return h.names(c)
	}
	return nil
}

func (h entryHooks) Ends(e protocol.Event, v *Verdict) bool {
	return h.file.Ends(h.client.Common(e), v)
}

func (entryHooks) Outrank(*Call, []*HookVerdict) {}

// Merge merges like the file's hooks. Two effects of the client's own Merge on a single hook count too: the wording of
// a reason for the client's model, and dropped contexts.
func (h entryHooks) Merge(m *Merging) {
	h.file.Merge(m)
	alone := func(v *HookVerdict) (before, after *Merging) {
		before = newMerging(&Call{Event: m.Event, row: m.row}, []*HookVerdict{v}, v.Verdict.Decision)
		merged := *before
		h.Hooks.Merge(&merged)
		return before, &merged
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
