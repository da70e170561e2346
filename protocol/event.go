package protocol

import "slices"

// Event names a moment in an agent loop. TENEX and the clients have their own names for the same moments; all are
// Events, and Canonical tells that they are the same.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; Claude Code: UserPromptSubmit
	PreTool    Event = "pre-tool"    // before a tool runs; Claude Code: PreToolUse
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; Claude Code: PostToolUse
)

// moments pairs the names of each moment that has two. TENEX has one moment for a tool that ran and one that failed.
var moments = []struct{ tenex, claude Event }{
	{PreExecute, "UserPromptSubmit"},
	{PreTool, "PreToolUse"},
	{PostTool, "PostToolUse"},
	{PostTool, "PostToolUseFailure"},
}

// Events returns the canonical events that TENEX has, in the order of a turn. All others have only their client's name.
func Events() []Event {
	return []Event{PreExecute, PreTool, PostTool}
}

// ParseEvent reads a name of an event, case-sensitively: TENEX's or that of any client.
func ParseEvent(name string) (Event, bool) {
	for _, m := range moments {
		if name == string(m.tenex) || name == string(m.claude) {
			return Event(name), true
		}
	}
	for _, d := range Dialects() {
		if slices.Contains(d.Events(), Event(name)) {
			return Event(name), true
		}
	}
	return "", false
}

// Canonical returns the one name for the event's moment: TENEX's where it has one.
func (e Event) Canonical() Event {
	for _, m := range moments {
		if e == m.claude {
			return m.tenex
		}
	}
	return e
}

// Claude returns Claude Code's name for the event's moment.
func (e Event) Claude() Event {
	for _, m := range moments {
		if e == m.tenex {
			return m.claude
		}
	}
	return e
}

// HasTool reports whether a tool call stands at the event.
func (e Event) HasTool() bool {
	switch e.Canonical() {
	case PreTool, PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}
