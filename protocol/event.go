package protocol

// Event names an event in an agent loop. TENEX and the clients have their own names for the same events; all are
// Events, and Canonical tells that they are the same.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; UserPromptSubmit, BeforeAgent
	PreTool    Event = "pre-tool"    // before a tool runs; PreToolUse, BeforeTool
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; PostToolUse, AfterTool
)

// canonical are the names that clients have for TENEX's events: Claude Code's, which Codex and MassGen have too, and
// those that other clients have beside or instead. TENEX and Gemini CLI have one event for a tool that ran and one that
// failed.
var canonical = map[Event]Event{
	"UserPromptSubmit": PreExecute, "BeforeAgent": PreExecute,
	"PreToolUse": PreTool, "BeforeTool": PreTool,
	"PostToolUse": PostTool, "PostToolUseFailure": PostTool, "AfterTool": PostTool,
	"chat.message": PreExecute, "tool.execute.before": PreTool, "tool.execute.after": PostTool, // OpenCode's
	"preToolUse": PreTool, "postToolUse": PostTool, "postToolUseFailure": PostTool, // Copilot CLI's and Cursor's
	"userPromptSubmitted": PreExecute, "permissionRequest": "PermissionRequest", // Copilot CLI's
	"beforeSubmitPrompt": PreExecute, "beforeShellExecution": PreTool, "beforeMCPExecution": PreTool, // Cursor's
	"beforeReadFile": PreTool, "afterShellExecution": PostTool, "afterMCPExecution": PostTool,
	"afterFileEdit": PostTool,
}

// Events returns the canonical events that TENEX has, in the order of a turn. All others have only their client's name.
func Events() []Event {
	return []Event{PreExecute, PreTool, PostTool}
}

// Canonical returns the one name for the event: TENEX's where it has one.
func (e Event) Canonical() Event {
	if name, ok := canonical[e]; ok {
		return name
	}
	return e
}

// HasTool reports whether the event is about a tool call.
func (e Event) HasTool() bool {
	switch e.Canonical() {
	case PreTool, PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}
