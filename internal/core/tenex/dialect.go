// Package tenex is hookrun's own dialect, that of .tenex-hooks.json: TENEX's events, and the answers of TENEX and of
// Claude Code.
package tenex

import (
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of `.tenex-hooks.json` in its own form. Hooks run one after the other. Before a tool any exit
// code but 0 blocks; after a tool only a JSON answer does. TENEX itself takes stdout for text always. Here Claude
// Code's JSON answers count, so a guard written for Claude Code works here.
var Dialect = &dialect.Dialect{
	Name: "tenex",
	Events: dialect.Events{
		{Name: protocol.PreExecute, OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: protocol.PreTool, Subject: "tool_name", Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
			Can: dialect.Block | dialect.Stop | dialect.Inject},
	},
	Run:   dialect.Schedule{Timeout: 30 * time.Second},
	Hooks: hooks{},
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return c.Common() }

// OnFailure returns the policy for a failure. Before a tool a missing gate is a mistake, not an approval. An exit code
// is a verdict there, and not a failure. A timeout fails open, because a slow program must not hold up the agent
// (TENEX). A server is no program of the project: its silence is never an approval.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if e.Name != protocol.PreTool || f.HTTP {
		return e.OnFailure
	}
	switch f.Cause {
	case protocol.CauseExit:
		return dialect.AlwaysClosed
	case protocol.CauseTimeout:
		return dialect.Open
	}
	return e.OnFailure
}

// Ends reports whether a verdict ends the call, as the first block does. After a tool a block is feedback and does not
// end the call, because a later hook may remove a secret from the result.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	return v.Decision == protocol.Block && e != protocol.PostTool
}
