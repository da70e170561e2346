//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// A program that stays up notices a hooks file that was changed, though it goes on with the hooks that it read.
func TestPinInGo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(`{"hooks": [{"name": "h", "command": "echo `+text+
			`", "events": ["pre-tool"], "on_failure": "continue"}]}`), 0o600))
	}
	load := func() *hookfile.Config {
		cfg, err := hookfile.Load(hookfile.Options{Workspace: dir})
		require.NoError(t, err)
		return cfg
	}
	write("one")
	r, err := engine.New(load(), engine.Options{Pin: true, StateDir: filepath.Join(t.TempDir(), "state"),
		OnFailure: dialect.FailurePolicy{protocol.CauseUnstarted: protocol.Continue}})
	require.NoError(t, err)
	defer r.Close()
	call := dialect.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir, SessionID: "s"}
	fire := func(decision protocol.Decision, cause protocol.Cause) engine.Fired {
		t.Helper()
		o, err := r.Fire(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, decision, o.Decision, o.Reason)
		require.Equal(t, cause, o.Cause)
		return o
	}
	require.Equal(t, "one", fire(protocol.Continue, "").Texts[0].Content)
	write("others")
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, path+" was changed")
	require.NoError(t, r.Reload(load()))
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, hookfile.FileName+" was changed")
	call.SessionID = "another"
	fire(protocol.Continue, "")
	write("one")
	require.NoError(t, r.Reload(load()))
	call.SessionID = "s"
	fire(protocol.Continue, "")

	call.SessionID = ""
	_, err = r.Fire(t.Context(), call)
	require.ErrorContains(t, err, "a pinned call needs the id of its session")
}

// Hooks that are functions are the program's own, and need nobody's leave.
func TestTrustInGo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(
		`{"hooks": [{"name": "h", "command": "exit 1", "events": ["pre-tool"]}]}`), 0o600))
	cfg, err := hookfile.Load(hookfile.Options{Workspace: dir})
	require.NoError(t, err)
	r, err := engine.New(cfg, engine.Options{Trust: engine.TrustRequired, StateDir: filepath.Join(t.TempDir(), "state"),
		Functions: []engine.Function{function("own", dialect.OK())}})
	require.NoError(t, err)
	defer r.Close()
	call := dialect.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir}
	o, err := r.Fire(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.Hooks, 1)
	require.Contains(t, o.SystemMessages[0], "nobody has allowed them")
	plan, err := r.Plan(call, engine.CallSettings{})
	require.NoError(t, err)
	hooks := plan.Hooks()
	require.Len(t, hooks, 2)
	require.True(t, hooks[0].Runs)
	require.False(t, hooks[1].Runs)
	require.True(t, plan.HasHooks())
	require.False(t, plan.NeedsNoProcess())

	_, err = engine.New(cfg, engine.Options{Trust: "always"})
	require.EqualError(t, err, `trust "always" is not one of off, required`)
}
