package dialect

import "github.com/hookrun/hookrun/protocol"

// ClaudeEvent returns Claude Code's name for an event, which Codex and MassGen took over, and hooks of TENEX get beside
// its own.
func ClaudeEvent(e protocol.Event) protocol.Event {
	switch e { // TENEX has one event for a tool that ran and one that failed
	case "PostToolUseFailure", "postToolUseFailure":
		return "PostToolUseFailure"
	}
	switch e.Canonical() {
	case protocol.PreExecute:
		return "UserPromptSubmit"
	case protocol.PreTool:
		return "PreToolUse"
	case protocol.PostTool:
		return "PostToolUse"
	}
	return e
}
