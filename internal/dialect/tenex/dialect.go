package tenex

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of `.tenex-hooks.json` in its own form. Hooks run one after the other; before a tool any exit
// but 0 blocks, after it nothing but a JSON answer does. It departs from TENEX, which takes stdout for text always:
// here Claude Code's JSON answers count, so that a guard written for that client guards here.
var Dialect = &dialect.Dialect{
	Name:    "tenex",
	Events:  protocol.Events,
	Timeout: 30 * time.Second,
	Causes:  dialect.ProcessCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		switch {
		case e == protocol.PostTool, e == protocol.PreExecute: // the tool ran already, or there is none
			return protocol.Continue
		case e == protocol.PreTool && cause == protocol.CauseTimeout: // TENEX: a slow hook must not hold up the agent
			return protocol.Continue
		}
		return protocol.Block // a gate that is not there, too: that is a mistake, not an approval
	},
	// A server is not a program of the project's: before a tool its silence is never an approval.
	HTTPFailure: func(e protocol.Event, _ protocol.Cause) protocol.Decision {
		if e == protocol.PreTool {
			return protocol.Block
		}
		return protocol.Continue
	},
	// Before a tool an exit code is no failure but the verdict.
	AlwaysBlocks: func(e protocol.Event, cause protocol.Cause) bool {
		return e == protocol.PreTool && cause == protocol.CauseExit
	},
	StopsAtBlock: func(protocol.Event) bool { return true },
	SubjectField: subject,
	Event:        func(c *protocol.Call) protocol.Event { return c.Event.Canonical() },
	ProjectTools: true,
	EncodeInput:  payload,
	Decode:       decode,
	Merge:        merge,
}

func subject(e protocol.Event) string {
	if e.HasTool() {
		return "tool_name"
	}
	return ""
}
