//go:build linux

package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

func TestUnsupportedTypes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kinds := []hook{
		{"type": "prompt", "prompt": "is it safe?"},
		{"type": "agent", "prompt": "is it safe?"},
		{"type": "mcp_tool", "server": "s", "tool": "t"},
	}
	allow := command(says(decides("allow", "go")))
	for _, kind := range kinds {
		for _, handlers := range [][]hook{{kind}, {kind, allow}, {allow, kind}, {kind, kind, allow}} {
			o := b.ask(b.claude("PreToolUse", handlers...))
			require.Equal(t, protocol.Continue, o.Decision)
			require.False(t, o.Approved, "nobody can speak for a gate that was not asked")
			require.Empty(t, o.Reason)
			warnings := 0
			for i, h := range handlers {
				if h["type"] == "command" {
					require.Equal(t, dialect.StatusOK, o.Hooks[i].Status)
					continue
				}
				warnings++
				require.Equal(t, dialect.StatusSkipped, o.Hooks[i].Status)
				require.Equal(t, protocol.CauseUnsupported, o.Hooks[i].Cause)
				require.Nil(t, o.Hooks[i].ExitCode)
			}
			require.Len(t, o.Warnings, warnings)
			require.Contains(t, o.Warnings[0], fmt.Sprintf("is of type %q, which hookrun cannot run", kind["type"]))
		}
		// A deny beside it is one all the same.
		o := b.ask(b.claude("PreToolUse", kind, command("echo no >&2; exit 2")))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no\n", o.Reason)

		r := b.with(engine.Options{OnFailure: dialect.FailurePolicy{protocol.CauseUnsupported: protocol.Block}},
			b.claude("PreToolUse", kind, allow))
		o, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
		b.unsupportedBlocks(o)
	}
	b.unsupportedBlocks(b.ask(b.claude("PreToolUse",
		hook{"type": "mcp_tool", "server": "s", "tool": "t", "onFailure": "block"}, allow)))
	o, err := b.with(engine.Options{OnFailure: dialect.FailurePolicy{protocol.CauseUnsupported: protocol.Block}},
		b.claude("PreToolUse", hook{"type": "mcp_tool", "server": "s", "tool": "t",
			"onFailure": "continue"})).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, "what a hook says of itself comes first")
}

// Where a failure cannot block, since the block would keep the turn from ever ending, such a hook does not either.
func TestUnsupportedTypeDoesNotKeepATurnGoing(t *testing.T) {
	b := newBench(t)
	policy := dialect.FailurePolicy{}
	for _, c := range dialect.FailureCauses() {
		policy[c] = protocol.Block
	}
	for _, h := range []hook{command("exit 1"), {"type": "prompt", "prompt": "is it done?"}} {
		c := dialect.Call{Event: "Stop", Workspace: b.Dir}
		o, err := b.with(engine.Options{OnFailure: policy}, b.claude("Stop", h)).Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision, h["type"])
	}
}

func (b *bench) unsupportedBlocks(o engine.Fired) {
	b.Helper()
	require.Equal(b, protocol.Block, o.Decision)
	require.Equal(b, protocol.CauseUnsupported, o.Cause)
	require.Equal(b, protocol.CauseUnsupported, o.Hooks[0].Cause)
	require.Contains(b, o.Reason, "which hookrun cannot run")
	require.False(b, o.Approved)
}

// Benchmarks. Hooks that wait need no processor, so what is above their own time is hookrun's, and the start of
// processes.
