package dialect

import "github.com/hookrun/hookrun/protocol"

// canonical are the names that clients have for TENEX's events: Claude Code's, which Codex and MassGen have too, and
// those that other clients have beside or instead. TENEX and Gemini CLI have one event for a tool that ran and one that
// failed.
func canonical(e protocol.Event) (name protocol.Event, ok bool) {
	switch e {
	case "UserPromptSubmit", "BeforeAgent",
		"chat.message",        // OpenCode's
		"userPromptSubmitted", // Copilot CLI's
		"beforeSubmitPrompt":  // Cursor's
		return protocol.PreExecute, true
	case "PreToolUse", "BeforeTool",
		"tool.execute.before",                                          // OpenCode's
		"preToolUse",                                                   // Copilot CLI's and Cursor's
		"beforeShellExecution", "beforeMCPExecution", "beforeReadFile": // Cursor's
		return protocol.PreTool, true
	case "PostToolUse", "PostToolUseFailure", "AfterTool",
		"tool.execute.after",                // OpenCode's
		"postToolUse", "postToolUseFailure", // Copilot CLI's and Cursor's
		"afterShellExecution", "afterMCPExecution", "afterFileEdit": // Cursor's
		return protocol.PostTool, true
	case "permissionRequest": // Copilot CLI's
		return "PermissionRequest", true
	}
	return "", false
}

// Canonical returns the one name for the event: TENEX's where it has one.
func Canonical(e protocol.Event) protocol.Event {
	if name, ok := canonical(e); ok {
		return name
	}
	return e
}

// HasTool reports whether the event is about a tool call.
func HasTool(e protocol.Event) bool {
	switch Canonical(e) {
	case protocol.PreTool, protocol.PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}

// CanonicalEvents returns the canonical events that TENEX has, in the order of a turn. All others have only their
// client's name.
func CanonicalEvents() []protocol.Event {
	return []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool}
}
