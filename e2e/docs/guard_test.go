//go:build unix

package docs

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// TestReadmeGuardInGo: the guard of the README also guards the calls of a Go program, which is not hookrun itself.
func TestReadmeGuardInGo(t *testing.T) {
	dir := t.TempDir()
	made := binary.Run(t, dir, "", []string{"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH")}, "sh", "-c",
		blocksOf(t, "README.md")[0].text)
	require.Equal(t, 0, made.Code, made.Stderr)
	workspace := filepath.Join(dir, "hookrun-demo")
	cfg, err := projecthooks.Load(workspace, projecthooks.LoadOptions{})
	require.NoError(t, err)
	fire := func(command string, env ...string) *protocol.Outcome {
		r, err := runner.New(cfg, runner.Options{Env: env})
		require.NoError(t, err)
		defer r.Close()
		o, err := r.Before(context.Background(), protocol.Call{Workspace: workspace, Tool: "shell",
			Args: binary.JSON(t, map[string]string{"command": command})})
		require.NoError(t, err)
		return o
	}
	const path = "PATH=/usr/bin:/bin"
	for name, env := range map[string][]string{
		"HOOKRUN is inherited": {path, "HOOKRUN=" + binary.Path},
		"hookrun is in PATH":   {path + ":" + filepath.Dir(binary.Path)},
	} {
		o := fire("git push --force", env...)
		require.Equal(t, protocol.Block, o.Decision, name)
		require.Equal(t, "Do not force-push. Ask first.", o.Reason, name)
		require.Empty(t, o.Warnings, name)
		require.Equal(t, protocol.Continue, fire("git status", env...).Decision, name)
	}
	o := fire("git push --force", path)
	require.Equal(t, protocol.Block, o.Decision, "no hookrun is found, so the guard cannot read the call")
	require.Len(t, o.Warnings, 1)
	require.Contains(t, o.Warnings[0], "hook 'guard' uses $HOOKRUN, which is not set")
}
