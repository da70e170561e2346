package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// newRunner returns a runner for the hooks of a config, nil: none.
func newRunner(tb testing.TB, cfg *hookfile.Config, o runner.Options) *runner.Runner {
	tb.Helper()
	r, err := runner.New(public(cfg), o)
	require.NoError(tb, err)
	return r
}

// public is a config as users of the module have it.
func public(cfg *hookfile.Config) *projecthooks.Config {
	if cfg == nil {
		return projecthooks.Empty()
	}
	return hookfile.Behind(projecthooks.Empty(), cfg)
}

func newPlan(tb testing.TB, r *runner.Runner, c protocol.Call) *runner.Plan {
	tb.Helper()
	plan, err := r.Plan(c)
	require.NoError(tb, err)
	return plan
}

// selected are the names of the hooks that run.
func selected(plan *runner.Plan) (names []string) {
	for _, h := range plan.Hooks() {
		if h.Runs {
			names = append(names, h.Name)
		}
	}
	return names
}
