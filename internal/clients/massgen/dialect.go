// Package massgen is the dialect of MassGen's hooks, and reads them from its configuration in YAML.
package massgen

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of MassGen's hook framework: a HookEvent on stdin, a HookResult on stdout. Hooks run one after
// the other, and each sees the arguments that earlier hooks left. A deny ends the call. A failed hook fails open unless
// its file says fail_closed; before a tool, a hook that is not found always fails closed. If MassGen's documents and
// code differ, the documents count: conformance/README.md has the differences.
var Dialect = &dialect.Dialect{
	Name:   "massgen",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Files:  files,
}

var events = dialect.Events{
	{Name: preTool, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: postTool, Subject: "tool_name", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// OnFailure fails closed before a tool if the hook is not found: in MassGen that is a configuration error.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if e.Name == preTool && f.Cause == protocol.CauseUnstarted {
		return dialect.Closed
	}
	return e.OnFailure
}

// Ends reports whether the verdict is a deny before a tool, which ends the call.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	return e == preTool && v.Decision == protocol.Block
}

func (hooks) RunFunction() []string { return []string{"python3", "-c", call} }

const preTool, postTool protocol.Event = "PreToolUse", "PostToolUse"

// eventOf returns MassGen's event for a call. PostToolUse is for tools that ran and did not fail.
func eventOf(c *dialect.Call) protocol.Event {
	return client.ClaudeEventAfter(c, "PostToolUseFailure", "")
}

func (hooks) Environment(c *dialect.Call) []string {
	if c.Event == "" { // a process for many calls
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
