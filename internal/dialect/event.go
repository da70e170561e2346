package dialect

import "github.com/hookrun/hookrun/protocol"

// EventNamed returns a client's name for an event: one of the three that it calls otherwise, or the name itself.
func EventNamed(e, preExecute, preTool, postTool protocol.Event) protocol.Event {
	switch e.Canonical() {
	case protocol.PreExecute:
		return preExecute
	case protocol.PreTool:
		return preTool
	case protocol.PostTool:
		return postTool
	}
	return e
}

// ClaudeEvent returns Claude Code's name for an event, which Codex and MassGen took over, and hooks of TENEX get beside
// its own.
func ClaudeEvent(e protocol.Event) protocol.Event {
	switch e { // TENEX has one event for a tool that ran and one that failed
	case "PostToolUseFailure", "postToolUseFailure":
		return "PostToolUseFailure"
	}
	return EventNamed(e, "UserPromptSubmit", "PreToolUse", "PostToolUse")
}

// ClaudeEventOf returns the same of a call, for clients with an event of its own for a tool that failed.
func ClaudeEventOf(c *protocol.Call) protocol.Event {
	if e := ClaudeEvent(c.Event); e != "PostToolUse" || !c.Failed {
		return e
	}
	return "PostToolUseFailure"
}
