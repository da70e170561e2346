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
func canonical(e Event) (name Event, ok bool) {
	switch e {
	case "UserPromptSubmit", "BeforeAgent",
		"chat.message",        // OpenCode's
		"userPromptSubmitted", // Copilot CLI's
		"beforeSubmitPrompt":  // Cursor's
		return PreExecute, true
	case "PreToolUse", "BeforeTool",
		"tool.execute.before",                                          // OpenCode's
		"preToolUse",                                                   // Copilot CLI's and Cursor's
		"beforeShellExecution", "beforeMCPExecution", "beforeReadFile": // Cursor's
		return PreTool, true
	case "PostToolUse", "PostToolUseFailure", "AfterTool",
		"tool.execute.after",                // OpenCode's
		"postToolUse", "postToolUseFailure", // Copilot CLI's and Cursor's
		"afterShellExecution", "afterMCPExecution", "afterFileEdit": // Cursor's
		return PostTool, true
	case "permissionRequest": // Copilot CLI's
		return "PermissionRequest", true
	}
	return "", false
}

// Canonical returns the one name for the event: TENEX's where it has one.
func (e Event) Canonical() Event {
	if name, ok := canonical(e); ok {
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
