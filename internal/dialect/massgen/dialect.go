package massgen

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of MassGen's hook framework: a HookEvent on stdin, a HookResult on stdout. Hooks run one after
// the other, and each sees the arguments that earlier ones left. A deny ends the call; a hook that fails lets pass,
// unless its file says fail_closed, and one that cannot be found never does. Where MassGen's documents and its code
// differ, the documents count; the README has the places.
var Dialect = &dialect.Dialect{
	Name:    "massgen",
	Events:  events,
	Timeout: 30 * time.Second,
	Causes:  dialect.ProcessCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		if e == preTool && cause == protocol.CauseUnstarted {
			return protocol.Block // MassGen: a configuration error
		}
		return protocol.Continue
	},
	CannotBlock:  func(e protocol.Event) bool { return e != preTool },
	StopsAtBlock: func(e protocol.Event) bool { return e == preTool },
	SubjectField: func(protocol.Event) string { return "tool_name" },
	Environment:  environment,
	Event:        eventOf,
	EncodeInput:  payload,
	Decode:       decode,
	Merge:        merge,
	Format:       format,
	RunFunction:  func() []string { return []string{"python3", "-c", call} },
}

const preTool, postTool protocol.Event = "PreToolUse", "PostToolUse"

func events() []protocol.Event { return []protocol.Event{preTool, postTool} }

// eventOf: hooks of PostToolUse are for tools that ran and did not fail.
func eventOf(c *protocol.Call) protocol.Event {
	switch {
	case c.Event.Canonical() != protocol.PostTool:
	case c.Blocked:
		return "" // an event that MassGen does not have
	case c.Failed, c.Event == "PostToolUseFailure":
		return "PostToolUseFailure"
	}
	return dialect.ClaudeEvent(c.Event)
}

func environment(c *protocol.Call) []string {
	if c.Event == "" { // of a process that sees many calls
		return nil
	}
	return []string{
		"MASSGEN_HOOK_TYPE=" + string(eventOf(c)),
		"MASSGEN_TOOL_NAME=" + c.Tool,
		"MASSGEN_SESSION_ID=" + c.SessionID,
		"MASSGEN_AGENT_ID=" + c.AgentID,
		"MASSGEN_ORCHESTRATOR_ID=" + c.OrchestratorID,
	}
}
