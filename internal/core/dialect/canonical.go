package dialect

import (
	"cmp"

	"github.com/hookrun/hookrun/protocol"
)

// common returns the common name of an event that has one in the words of TENEX or of Claude Code, whose names are
// those of many clients, or else e. The row of any other client's event says its Common. TENEX has one event for tools
// that ran and for tools that failed.
func common(e protocol.Event) protocol.Event {
	switch e {
	case "UserPromptSubmit":
		return protocol.PreExecute
	case "PreToolUse":
		return protocol.PreTool
	case "PostToolUse", "PostToolUseFailure":
		return protocol.PostTool
	}
	return e
}

// isAboutTool reports whether an event with this common name is about a tool call.
func isAboutTool(common protocol.Event) bool {
	switch common {
	case protocol.PreTool, protocol.PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}

// CommonName returns the name that the event has in every client that has such an event: TENEX's name if TENEX has it.
func (e *Event) CommonName() protocol.Event { return cmp.Or(e.Common, common(e.Name)) }

// IsAboutTool reports whether the event is about a tool call.
func (e *Event) IsAboutTool() bool { return isAboutTool(e.CommonName()) }

// Common returns the CommonName of an event that hooks of the dialect subscribe to.
func (d *Dialect) Common(e protocol.Event) protocol.Event {
	if row := d.Row(e); row != nil {
		return row.CommonName()
	}
	return common(e)
}

// IsAboutTool reports whether an event that hooks of the dialect subscribe to is about a tool call.
func (d *Dialect) IsAboutTool(e protocol.Event) bool { return isAboutTool(d.Common(e)) }

// CallAt returns a call at an event of the table, without anything else.
func (events Events) CallAt(e protocol.Event) *Call { return &Call{Event: e, row: events.row(e)} }

// CallAt returns a call at an event that hooks of the dialect subscribe to, without anything else.
func (d *Dialect) CallAt(e protocol.Event) *Call { return &Call{Event: e, row: d.Row(e)} }

// Common returns the CommonName of the call's event.
func (c *Call) Common() protocol.Event {
	if c.row != nil && c.row.Name == c.Event {
		return c.row.CommonName()
	}
	return common(c.Event)
}

// IsAboutTool reports whether the call's event is about a tool call.
func (c *Call) IsAboutTool() bool { return isAboutTool(c.Common()) }

// CanonicalEvents returns TENEX's events in the order of a turn. All other events have only their client's name.
func CanonicalEvents() []protocol.Event {
	return []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool}
}

// InputOf returns the meaning of the outcome's UpdatedInput.
func InputOf(o protocol.Outcome) string {
	if common := common(o.Event); common == protocol.PreExecute || o.Tool == "" && !isAboutTool(common) {
		return "the prompt"
	}
	return "the tool's input"
}

// IsAfterTool reports whether the outcome is of a call after its tool. No other call has another result.
func IsAfterTool(o protocol.Outcome) bool {
	return common(o.Event) == protocol.PostTool || o.UpdatedOutput != nil
}
