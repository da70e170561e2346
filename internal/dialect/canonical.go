package dialect

import "github.com/hookrun/hookrun/protocol"

// canonical returns the common name of an event that clients name differently. For TENEX's events, the common name is
// TENEX's. Claude Code's names are also those of Codex and MassGen; other clients use other names in addition or
// instead. TENEX and Gemini CLI have one event for tools that ran and tools that failed.
func canonical(e protocol.Event) (name protocol.Event, ok bool) {
	switch e {
	case "UserPromptSubmit", "BeforeAgent",
		"chat.message",        // OpenCode
		"userPromptSubmitted", // Copilot CLI
		"beforeSubmitPrompt":  // Cursor
		return protocol.PreExecute, true
	case "PreToolUse", "BeforeTool",
		"PreSkillShellCommand",                                         // Claude Code
		"tool.execute.before",                                          // OpenCode
		"preToolUse",                                                   // Copilot CLI and Cursor
		"beforeShellExecution", "beforeMCPExecution", "beforeReadFile": // Cursor
		return protocol.PreTool, true
	case "PostToolUse", "PostToolUseFailure", "AfterTool",
		"tool.execute.after",                // OpenCode
		"postToolUse", "postToolUseFailure", // Copilot CLI and Cursor
		"afterShellExecution", "afterMCPExecution", "afterFileEdit": // Cursor
		return protocol.PostTool, true
	case "permissionRequest": // Copilot CLI
		return "PermissionRequest", true
	}
	return "", false
}

// Canonical returns the common name of an event: TENEX's name if TENEX has the event.
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

// CanonicalEvents returns TENEX's events in the order of a turn. All other events have only their client's name.
func CanonicalEvents() []protocol.Event {
	return []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool}
}
