package hookfile_test

import (
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// runs and why are for tests of one hook, where a context is not worth its line.
func runs(h *hook.Hook, c *dialect.Call) bool {
	return matchContext(c).Runs(h)
}

func why(h *hook.Hook, c *dialect.Call) string {
	return matchContext(c).Why(h)
}

func matchContext(c *dialect.Call) *hook.MatchContext {
	call := dialect.NewCall(*c)
	call.Reader = parts.All().Rules
	return hook.NewMatchContext(call)
}
