package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// TestFolderOfTheProject is about a program that was started in a folder of the project, or in a linked worktree: what
// a person has allowed for the project holds, and paths of a call in the worktree are there.
func TestFolderOfTheProject(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, side := filepath.Join(root, "project"), filepath.Join(root, "side")
	sub := filepath.Join(project, "sub")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	git := func(args ...string) {
		as := []string{"-C", project, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}
		out, err := exec.Command("git", append(as, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "--detach", side)
	require.NoError(t, os.WriteFile(filepath.Join(project, hookfile.FileName), []byte(`{"hooks": [
		{"name": "n", "block": "no", "events": ["pre-tool"], "if": "fs_write(secrets/**)"}]}`), 0o600))

	state := filepath.Join(root, "state")
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, NoUser: true})
	require.NoError(t, err)
	now, err := trust.Take(cfg, trust.Options{Workspace: project, Environ: func(*model.Hook) []string { return nil }})
	require.NoError(t, err)
	store, err := trust.Open(state, "")
	require.NoError(t, err)
	require.NoError(t, store.Allow(now))

	for _, dir := range []string{project, sub, side} {
		cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
		require.NoError(t, err)
		require.Empty(t, cfg.Warnings())
		r, err := runner.New(cfg, runner.Options{Trust: runner.TrustBlock, StateDir: state})
		require.NoError(t, err)
		defer r.Close()
		at := dir
		if dir == sub {
			at = project
		}
		for path, decision := range map[string]protocol.Decision{
			"a":         protocol.Continue,
			"secrets/a": protocol.Block, filepath.Join(at, "secrets", "a"): protocol.Block,
			filepath.Join(project, "secrets", "a"): protocol.Block, filepath.Join(root, "secrets"): protocol.Continue,
		} {
			args := `{"path": "` + filepath.ToSlash(path) + `"}`
			o, err := r.Before(t.Context(), protocol.Call{Tool: "fs_write", Args: args})
			require.NoError(t, err)
			require.Equal(t, decision, o.Decision, "%s in %s: %s", path, dir, o.Reason)
		}
		require.Empty(t, cfg.Changed())
		if dir == side {
			own := filepath.Join(side, hookfile.FileName)
			require.NoError(t, os.WriteFile(own, []byte(`{"hooks": []}`), 0o600))
			require.Equal(t, []string{own + " was not there before"}, cfg.Changed())
		}
	}
}

// A file that is away when Load looks is an editor's work, as a rule: a Reload must not take its hooks away.
func TestReloadWithoutTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	write := func(hooks string) *projecthooks.Config {
		if require.NoError(t, os.RemoveAll(path)); hooks != "" {
			require.NoError(t, os.WriteFile(path, []byte(hooks), 0o600))
		}
		cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
		require.NoError(t, err)
		return cfg
	}
	const gate = `{"hooks": [{"name": "gate", "block": "no", "events": ["pre-tool"]}]}`
	r, err := runner.New(write(gate), runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	decides := func(want protocol.Decision) {
		t.Helper()
		o, err := r.Before(t.Context(), protocol.Call{Tool: "shell", Args: "{}"})
		require.NoError(t, err)
		require.Equal(t, want, o.Decision)
	}
	const gone = "is gone, and its hooks (1) stay; put it back, or Reload projecthooks.Empty first if it is gone on " +
		"purpose"
	for range 2 {
		require.EqualError(t, r.Reload(write("")), path+": "+gone)
		decides(protocol.Block)
	}
	require.Error(t, r.Reload(nil)) // blocks all calls, and forgets no file
	require.ErrorContains(t, r.Reload(write("")), gone)
	require.NoError(t, r.Reload(write(gate)))
	decides(protocol.Block)
	require.NoError(t, r.Reload(projecthooks.Empty))
	require.NoError(t, r.Reload(write("")))
	decides(protocol.Continue)
}
