//go:build unix

package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// A program that stays up notices a hooks file that was changed, though it goes on with the hooks that it read.
func TestPinInGo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, projecthooks.FileName)
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(`{"hooks": [{"name": "h", "command": "echo `+text+
			`", "events": ["pre-tool"], "on_failure": "continue"}]}`), 0o600))
	}
	load := func() *projecthooks.Config {
		cfg, err := projecthooks.Load(projecthooks.Options{Workspace: dir})
		require.NoError(t, err)
		return cfg
	}
	write("one")
	r, err := runner.New(load(), runner.Options{Pin: true, StateDir: filepath.Join(t.TempDir(), "state"),
		OnFailure: protocol.FailurePolicy{protocol.CauseUnstarted: protocol.Continue}})
	require.NoError(t, err)
	defer r.Close()
	call := protocol.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir, SessionID: "s"}
	fire := func(decision protocol.Decision, cause protocol.Cause) runner.Fired {
		t.Helper()
		o, err := r.Fire(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, decision, o.Decision, o.Reason)
		require.Equal(t, cause, o.Cause)
		return o
	}
	require.Equal(t, "one", fire(protocol.Continue, "").Inject[0].Content)
	write("others")
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, path+" was changed")
	require.NoError(t, r.Reload(load()))
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, projecthooks.FileName+" was changed")
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
	require.NoError(t, os.WriteFile(filepath.Join(dir, projecthooks.FileName), []byte(
		`{"hooks": [{"name": "h", "command": "exit 1", "events": ["pre-tool"]}]}`), 0o600))
	cfg, err := projecthooks.Load(projecthooks.Options{Workspace: dir})
	require.NoError(t, err)
	ran := func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
		return runner.Answer{}, nil
	}
	r, err := runner.New(cfg, runner.Options{Trust: runner.TrustRequired, StateDir: filepath.Join(t.TempDir(), "state"),
		Hooks: []runner.Hook{{Name: "own", Run: ran}}})
	require.NoError(t, err)
	defer r.Close()
	call := protocol.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir}
	o, err := r.Fire(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.Hooks, 1)
	require.Contains(t, o.SystemMessages[0], "nobody has allowed them")
	plan, err := r.Plan(call)
	require.NoError(t, err)
	hooks := plan.Hooks()
	require.Len(t, hooks, 2)
	require.True(t, hooks[0].Runs)
	require.False(t, hooks[1].Runs)
	require.True(t, plan.HasHooks())
	require.False(t, plan.NeedsNoProcess())

	_, err = runner.New(cfg, runner.Options{Trust: "always"})
	require.EqualError(t, err, `trust "always" is not one of off, required`)
}
