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
	Name: "tenex",
	Events: dialect.Events{
		{Name: protocol.PreExecute, OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: protocol.PreTool, Subject: "tool_name", Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
			Can: dialect.Block | dialect.Stop | dialect.Inject},
	},
	Causes: dialect.ProcessCauses,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return dialect.Canonical(c.Event) }

// OnFailure: before a tool a gate that is not there is a mistake, and no approval. An exit code is no failure there but
// the verdict, and a slow program must not hold up the agent (TENEX). A server is not a program of the project's: its
// silence is never an approval.
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

// Ends reports a block: the first one ends the call. After a tool it is feedback, and ends nothing, because a later
// hook may be the one that takes a secret out of the result.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	return v.Decision == protocol.Block && dialect.Canonical(e) != protocol.PostTool
}
