package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

// TestZeroBlocks: whoever has no Runner or Plan that New or Plan made, or no Config, knows of no gate. Calls block.
func TestZeroBlocks(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(rules))
	require.NoError(t, err)
	call := dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"}
	r, err := engine.New(nil, engine.Options{})
	require.Error(t, err)
	require.Nil(t, r)
	unset := newRunner(t, cfg, engine.Options{})
	before := newPlan(t, unset, call)
	require.Error(t, unset.Reload(nil))
	closed := newRunner(t, cfg, engine.Options{})
	require.NoError(t, closed.Close())
	require.ErrorIs(t, closed.Reload(cfg), engine.ErrClosed)
	require.ErrorIs(t, new(engine.Runner).Reload(cfg), engine.ErrClosed)
	by := func(r *engine.Runner, call dialect.Call) func(context.Context) (engine.Fired, error) {
		return func(ctx context.Context) (engine.Fired, error) { return r.Fire(ctx, call) }
	}
	for name, fire := range map[string]func(context.Context) (engine.Fired, error){
		"nil Runner":         by(r, call),
		"zero Runner":        by(new(engine.Runner), call),
		"nil Plan":           (*engine.Plan)(nil).Fire,
		"zero Plan":          new(engine.Plan).Fire,
		"no Config":          by(unset, call),
		"no Config any more": before.Fire,
		"closed Runner":      by(closed, call),
		"an unknown event":   by(unset, dialect.Call{}),
		"a policy of no cause": func(ctx context.Context) (engine.Fired, error) {
			_, err := unset.Plan(&call, engine.CallSettings{OnFailure: dialect.FailurePolicy{"x": protocol.Block}})
			return engine.Fired{}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			fired, err := fire(context.Background())
			require.Error(t, err)
			require.Equal(t, protocol.Block, fired.Decision)
		})
	}
	require.NoError(t, r.Close())
	for _, p := range []*engine.Plan{nil, {}} {
		require.True(t, p.HasHooks(), "so that it is fired")
		require.False(t, p.Empty() || p.NeedsNoProcess())
		require.Empty(t, p.Hooks())
		require.Empty(t, p.Warnings())
	}
}

// TestCloseInOnInput: Close waits for the calls, and the call for OnInput.
func TestCloseInOnInput(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"h","command":["true"],"events":["pre-tool"]}]}`))
	require.NoError(t, err)
	var r *engine.Runner
	r = newRunner(t, cfg, engine.Options{OnInput: func(string, string, []byte) { r.Close() }})
	done := make(chan error, 1)
	go func() {
		_, err := r.Fire(context.Background(), dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, engine.ErrClosed)
	case <-time.After(time.Minute):
		t.Fatal("Close in OnInput hangs")
	}
}
