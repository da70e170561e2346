// Package acs is the dialect of hooks that are Guardians of the OWASP Agent Control Standard 0.1.0: hookrun asks, by a
// POST or on stdin, and reads the decision. An answer that is not a decision on this very request, whole and without
// doubt, counts as no answer, and blocks.
//
// Not supported: signatures, and steps other than prompts and tool calls. Package serve/guardian is a Guardian itself.
package acs

import (
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of hooks that are Guardians. Events, matchers and the other keys of their entries are the
// project's own. Each failure fails closed, at all events.
var Dialect = &dialect.Dialect{
	Name: "acs",
	Events: dialect.Events{
		{Name: protocol.PreExecute, Can: dialect.Block},
		{Name: protocol.PreTool, Subject: "tool_name", Can: dialect.Block},
		{Name: protocol.PostTool, Subject: "tool_name", Can: dialect.Block},
	},
	Run:   dialect.Schedule{Timeout: 30 * time.Second},
	Hooks: hooks{},
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return c.Common() }

// Ends reports whether a verdict ends the call, as in the project's own entries.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	return v.Decision == protocol.Block && e != protocol.PostTool
}

// Merge treats Guardians like the project's own hooks.
func (hooks) Merge(m *dialect.Merging) {
	m.KeepContextsOfBlocks()
	m.NoApproval = m.Any(func(v *dialect.Verdict) bool { return v.Problem != "" })
}
