package client

import (
	"github.com/hookrun/hookrun/protocol"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// ClaudeEventAfter returns Claude Code's name for the call's event, but another one after a tool that failed or was
// blocked. "" is no event of the client.
func ClaudeEventAfter(c *dialect.Call, failed, blocked protocol.Event) protocol.Event {
	switch {
	case c.Common() != protocol.PostTool:
	case c.Blocked:
		return blocked
	case c.Failed:
		return failed
	}
	return dialect.ClaudeEvent(c)
}

// ClaudeEventOf returns Claude Code's name for the call's event, for clients with a separate event for failed tools.
func ClaudeEventOf(c *dialect.Call) protocol.Event {
	if e := dialect.ClaudeEvent(c); e != "PostToolUse" || !c.Failed {
		return e
	}
	return "PostToolUseFailure"
}
