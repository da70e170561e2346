package protocol

// Event names an event in an agent loop. TENEX and the clients have their own names for the same events; all are
// Events, and Canonical tells that they are the same.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; UserPromptSubmit, BeforeAgent
	PreTool    Event = "pre-tool"    // before a tool runs; PreToolUse, BeforeTool
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; PostToolUse, AfterTool
)

type aliases struct{ tenex, claude, gemini Event }

// events has the names of each event that has several; Codex and MassGen have Claude Code's. TENEX and Gemini CLI have
// one event for a tool that ran and one that failed.
var events = []aliases{
	{PreExecute, "UserPromptSubmit", "BeforeAgent"},
	{PreTool, "PreToolUse", "BeforeTool"},
	{PostTool, "PostToolUse", "AfterTool"},
	{PostTool, "PostToolUseFailure", "AfterTool"},
}

// Events returns the canonical events that TENEX has, in the order of a turn. All others have only their client's name.
func Events() []Event {
	return []Event{PreExecute, PreTool, PostTool}
}

// names are those of the event; where it has one alone, that.
func (e Event) names() *aliases {
	for i := range events {
		if names := &events[i]; e == names.tenex || e == names.claude || e == names.gemini {
			return names
		}
	}
	return &aliases{e, e, e}
}

// Canonical returns the one name for the event: TENEX's where it has one.
func (e Event) Canonical() Event { return e.names().tenex }

// Claude returns Claude Code's name for the event.
func (e Event) Claude() Event { return e.names().claude }

// Gemini returns Gemini CLI's name for the event.
func (e Event) Gemini() Event { return e.names().gemini }

// HasTool reports whether the event is about a tool call.
func (e Event) HasTool() bool {
	switch e.Canonical() {
	case PreTool, PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}
