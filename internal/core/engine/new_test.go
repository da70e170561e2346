package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// newRunner returns a runner for the hooks of a config, nil: none.
func newRunner(tb testing.TB, cfg *hookfile.Config, o engine.Options) *engine.Runner {
	tb.Helper()
	if cfg == nil {
		cfg = parts.All().Empty()
	}
	r, err := engine.New(cfg, o)
	require.NoError(tb, err)
	return r
}

// function is a function that gives a verdict before each tool.
func function(name string, v dialect.Verdict) model.Hook {
	return engine.NewFunction(name, protocol.PreTool,
		func(context.Context, *dialect.Call, time.Duration) dialect.Verdict { return v })
}

func newPlan(tb testing.TB, r *engine.Runner, c dialect.Call) *engine.Plan {
	tb.Helper()
	plan, err := r.Plan(&c, engine.CallSettings{})
	require.NoError(tb, err)
	return plan
}

// selected are the names of the hooks that run.
func selected(plan *engine.Plan) (names []string) {
	for _, h := range plan.Hooks() {
		if h.Runs {
			names = append(names, h.Name)
		}
	}
	return names
}
