package protocol

// Event names a moment in an agent loop. TENEX and the clients have their own names for the same moments; all are
// Events, and Canonical tells that they are the same.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; Claude Code: UserPromptSubmit, Gemini CLI: BeforeAgent
	PreTool    Event = "pre-tool"    // before a tool runs; PreToolUse, BeforeTool
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; PostToolUse, AfterTool
)

type moment struct{ tenex, claude, gemini Event }

// moments has the names of each moment that has several; Codex has Claude Code's. TENEX and Gemini CLI have one moment for a
// tool that ran and one that failed.
var moments = []moment{
	{PreExecute, "UserPromptSubmit", "BeforeAgent"},
	{PreTool, "PreToolUse", "BeforeTool"},
	{PostTool, "PostToolUse", "AfterTool"},
	{PostTool, "PostToolUseFailure", "AfterTool"},
}

// Events returns the canonical events that TENEX has, in the order of a turn. All others have only their client's name.
func Events() []Event {
	return []Event{PreExecute, PreTool, PostTool}
}

// moment has the names of an event's moment; where it has one alone, that.
func (e Event) moment() *moment {
	for i := range moments {
		if m := &moments[i]; e == m.tenex || e == m.claude || e == m.gemini {
			return m
		}
	}
	return &moment{e, e, e}
}

// Canonical returns the one name for the event's moment: TENEX's where it has one.
func (e Event) Canonical() Event { return e.moment().tenex }

// Claude returns Claude Code's name for the event's moment.
func (e Event) Claude() Event { return e.moment().claude }

// Gemini returns Gemini CLI's name for the event's moment.
func (e Event) Gemini() Event { return e.moment().gemini }

// HasTool reports whether a tool call stands at the event.
func (e Event) HasTool() bool {
	switch e.Canonical() {
	case PreTool, PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}
