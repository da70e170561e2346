package protocol

// Event names a moment in an agent loop. TENEX and Claude Code have their own names for the same moments; both are
// Events, and Canonical tells that they are the same.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; Claude Code: UserPromptSubmit
	PreTool    Event = "pre-tool"    // before a tool runs; Claude Code: PreToolUse
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; Claude Code: PostToolUse
)

// moments pairs the two names of each moment that has two.
var moments = []struct{ tenex, claude Event }{
	{PreExecute, "UserPromptSubmit"},
	{PreTool, "PreToolUse"},
	{PostTool, "PostToolUse"},
}

// Events returns the canonical events, in the order of a turn.
func Events() []Event {
	return []Event{PreExecute, PreTool, PostTool}
}

// ParseEvent reads either name of an event, case-sensitively.
func ParseEvent(name string) (Event, bool) {
	for _, m := range moments {
		if name == string(m.tenex) || name == string(m.claude) {
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

// HasTool reports whether a tool call stands at the event: whether matchers mean anything there.
func (e Event) HasTool() bool {
	c := e.Canonical()
	return c == PreTool || c == PostTool
}
