package hook_test

import (
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
)

// runsAt and whyAt are for tests of one hook, where a context is not worth its line.
func runsAt(h *hook.Hook, c *dialect.Call) bool {
	return hook.NewMatchContext(dialect.NewCall(*c)).Runs(h)
}

func whyAt(h *hook.Hook, c *dialect.Call) string {
	return hook.NewMatchContext(dialect.NewCall(*c)).Why(h)
}
