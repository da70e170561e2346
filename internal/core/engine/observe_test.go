//go:build linux

package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

// A hook that only observes has no effect on the call, whatever it answers and however it fails. The same hook that
// blocks has one.
func TestObserve(t *testing.T) {
	b := newBench(t)
	closed := hook{"on_failure": "block", "timeout": "50ms"}
	claude := hook{"dialect": "claude", "events": []string{"PreToolUse"}}
	for name, test := range map[string]struct {
		hook        hook
		would, says string
		status      string
	}{
		"block": {sh("echo no >&2; exit 2"), "block: no", "blocked this call: no", "observed"},
		"rule":  {rule("block", "no"), "block: no", "blocked this call: no", "observed"},
		"ask": {sh(`echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`),
			"ask: sure?", "asked about this call: sure?", "observed"},
		"stop": {sh(`echo '{"continue":false,"stopReason":"enough"}'`),
			"stop: enough", "ended the turn: enough", "observed"},
		"rewrite": {sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}'`),
			"rewrite", "changed this call", "observed"},
		"claude":      {sh("echo no >&2; exit 2", claude), "block: no", "blocked this call: no", "observed"},
		"killed":      {sh("kill -9 $$", closed), "block: ", "blocked this call: ", "observed"},
		"late":        {sh("sleep 30", closed), "block: ", "blocked this call: ", "timeout"},
		"not started": {sh("", hook{"command": []string{"./none"}}), "block: ", "blocked this call: ", "unstarted"},
		"text":        {sh("echo for the model"), "", "", "ok"},
		"allow":       {sh(`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`), "", "", "ok"},
		"message":     {sh(`echo '{"systemMessage":"hello"}'`), "", "hello", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			o := b.fire(test.hook)
			require.True(t, o.Decision != protocol.Continue || o.Stop || o.UpdatedInput != nil || o.Texts != nil ||
				o.Approved || o.SystemMessages != nil)
			observed := hook{"mode": "observe"}
			for key, value := range test.hook {
				observed[key] = value
			}
			o = b.fire(observed)
			require.Equal(t, protocol.Continue, o.Decision)
			require.False(t, o.Approved || o.Stop)
			require.Empty(t, o.UpdatedInput)
			require.Empty(t, o.Texts)
			require.Empty(t, o.Reason)
			require.Equal(t, test.status, o.Hooks[0].Status)
			require.Contains(t, o.Hooks[0].Would, test.would)
			require.Equal(t, test.would == "", o.Hooks[0].Would == "")
			if test.says != "" {
				require.Len(t, o.SystemMessages, 1)
				require.Contains(t, o.SystemMessages[0], test.says)
			}
		})
	}
}

// A hook that only observes ends nothing: the hooks behind it run on the call as it came, and theirs count.
func TestObserveBeforeOthers(t *testing.T) {
	b := newBench(t)
	o := b.fire(sh("exit 2", hook{"mode": "observe"}),
		sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}'`, hook{"mode": "observe"}),
		sh("grep -q pwd && exit 1; echo seen >&2; exit 2"))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "seen", o.Reason)
	require.Equal(t, "h3", o.Hook)
}

// From the day after its last day on a hook blocks, also in a runner that was made before.
func TestObserveUntil(t *testing.T) {
	b := newBench(t)
	day := func(days int) hook {
		return hook{"mode": "observe", "observe_until": time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly)}
	}
	require.Equal(t, protocol.Continue, b.fire(sh("exit 2", day(1))).Decision)
	o := b.fire(sh("echo no >&2; exit 2", day(-1)))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
	require.Empty(t, o.Hooks[0].Would)
	require.Equal(t, "blocked", o.Hooks[0].Status)
}

// After a tool a hook that only observes keeps no result back.
func TestObserveResult(t *testing.T) {
	b := newBench(t)
	o, err := b.runner(engine.Options{},
		sh(`echo '{"hookSpecificOutput":{"updatedToolOutput":"less"}}'`, hook{"mode": "observe"})).
		Fire(context.Background(), b.post())
	require.NoError(t, err)
	require.Empty(t, o.UpdatedOutput)
	require.Equal(t, "rewrite", o.Hooks[0].Would)
}
