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
	Name:   "massgen",
	Events: events,
	Causes: dialect.ProcessCauses,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Files:  files,
}

var events = dialect.Events{
	{Name: preTool, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: postTool, Subject: "tool_name", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// OnFailure: a hook that is not there is a configuration error in MassGen, so before a tool it blocks.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if e.Name == preTool && f.Cause == protocol.CauseUnstarted {
		return dialect.Closed
	}
	return e.OnFailure
}

// Ends: a deny ends the call.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	return e == preTool && v.Decision == protocol.Block
}

func (hooks) RunFunction() []string { return []string{"python3", "-c", call} }

const preTool, postTool protocol.Event = "PreToolUse", "PostToolUse"

// eventOf: hooks of PostToolUse are for tools that ran and did not fail.
func eventOf(c *dialect.Call) protocol.Event {
	switch {
	case dialect.Canonical(c.Event) != protocol.PostTool:
	case c.Blocked:
		return "" // an event that MassGen does not have
	case c.Failed, c.Event == "PostToolUseFailure":
		return "PostToolUseFailure"
	}
	return dialect.ClaudeEvent(c.Event)
}

func (hooks) Environment(c *dialect.Call) []string {
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
