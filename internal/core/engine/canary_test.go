//go:build linux

package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

// The canary of doctor is blocked whatever the hooks file has, and no hook runs for it.
func TestCanary(t *testing.T) {
	b := newBench(t)
	approves := sh(`touch ran; printf '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`,
		hook{"events": []string{"pre-tool"}})
	for _, hooks := range [][]hook{{}, {approves}, {rule("inject", "remember")}} {
		r := b.runner(engine.Options{}, hooks...)
		c := b.pre()
		c.Tool = canary.Tool
		o, err := r.Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, protocol.CausePolicy, o.Cause)
		require.Equal(t, canary.Reason, o.Reason)
		require.False(t, o.Approved)
		require.Empty(t, o.Hooks)
		require.NoFileExists(t, b.Dir+"/ran")

		c.Event, c.Result = protocol.PostTool, "done" // there is nothing to hold up
		o, err = r.Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision)
	}
	call := dialect.Call{Event: "PreToolUse", Tool: canary.Tool}
	o, err := newRunner(t, nil, engine.Options{}).Fire(context.Background(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
}
