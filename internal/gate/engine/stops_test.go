//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// stopping is a project whose hook sends the agent back to work twice in a row at most.
func stopping(t *testing.T, o engine.Options) (r *engine.Runner, fire func(event, session string) engine.Fired,
	write func(reason string)) {
	dir := t.TempDir()
	write = func(reason string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(`{"max_stop_blocks": 2,
			"hooks": [{"name": "tests", "command": "echo `+reason+` >&2; exit 2", "events": ["Stop"],
			"dialect": "claude"}]}`), 0o600))
	}
	write("fail")
	cfg, err := hookfile.Load(hookfile.Options{Workspace: dir})
	require.NoError(t, err)
	o.StateDir = filepath.Join(t.TempDir(), "state")
	r, err = engine.New(cfg, o)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	fire = func(event, session string) engine.Fired {
		t.Helper()
		call, _, err := registry.ParseInput(`{"hook_event_name":"` + event + `","session_id":"` + session +
			`","tool_name":"Bash","tool_input":{},"prompt":"p"}`)
		require.NoError(t, err)
		call.Workspace = dir
		outcome, err := r.Fire(t.Context(), call)
		require.NoError(t, err)
		return outcome
	}
	return r, fire, write
}

// A Runner that stays up counts as well as one for a single call does.
func TestTurnsEnd(t *testing.T) {
	for name, o := range map[string]engine.Options{"stays up": {}, "one shot": {OneShot: true}} {
		t.Run(name, func(t *testing.T) {
			_, fire, _ := stopping(t, o)
			for range 2 {
				for range 2 {
					require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
				}
				ends := fire("Stop", "s")
				require.Equal(t, protocol.Continue, ends.Decision)
				require.Empty(t, ends.Reason+string(ends.Cause)+ends.Hook)
				require.Contains(t, ends.SystemMessages[0], "2 times in a row (max_stop_blocks), so the turn ends")
			}
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
			require.Equal(t, protocol.Block, fire("Stop", "another").Decision)
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
			fire("UserPromptSubmit", "s")
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
		})
	}
}

// The agent can do nothing about trust, so at the end of a turn it is a message.
func TestTrustAtTheEndOfATurn(t *testing.T) {
	_, fire, write := stopping(t, engine.Options{Pin: true})
	require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
	write("others")
	changed := fire("Stop", "s")
	require.Equal(t, protocol.Continue, changed.Decision)
	require.Contains(t, changed.SystemMessages[0], hookfile.FileName+" was changed, so every tool call is blocked; ")
	require.Equal(t, protocol.CauseChanged, fire("PreToolUse", "s").Cause)
}

func TestBlockUntilAllowed(t *testing.T) {
	_, fire, _ := stopping(t, engine.Options{Trust: engine.TrustRequired, BlockUntilAllowed: true})
	for _, event := range []string{"PreToolUse", "PostToolUse"} {
		o := fire(event, "s")
		require.Equal(t, protocol.Block, o.Decision, event)
		require.Equal(t, protocol.CauseUntrusted, o.Cause)
		require.Contains(t, o.Reason, "hookrun allow ")
	}
	o := fire("UserPromptSubmit", "s")
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.SystemMessages[0], "every tool call is blocked until a person has allowed")
	o = fire("Stop", "s")
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.SystemMessages[0], "nobody has allowed them")
	require.Empty(t, fire("Notification", "s").SystemMessages)
}
