//go:build unix

package docs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// hookOfReadme returns the block of the README that makes a hook.
func hookOfReadme(t *testing.T) *block {
	for _, b := range blocksOf(t, "README.md") {
		if strings.Contains(b.text, "mkdir hookrun-demo") {
			return b
		}
	}
	require.Fail(t, "README.md makes no hook")
	return nil
}

// TestReadmeExamples: the rules that hookrun init takes do what the table of the README says.
func TestReadmeExamples(t *testing.T) {
	u := binary.NewUser(t)
	u.Runs(0, "git init -q -b topic && hookrun init")
	page, err := os.ReadFile(filepath.Join(binary.Repository(t), "README.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "| blocked | goes on |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := regexp.MustCompile("(?m)^\\| `(.+)` \\| `(.+)` \\|$").FindAllStringSubmatch(table, -1)
	require.Len(t, rows, 3)
	for _, row := range rows {
		for i, code := range []int{2, 0} {
			line := strings.ReplaceAll(row[i+1], `\|`, "|")
			args := binary.JSON(t, map[string]string{"command": line})
			got := binary.Run(t, u.Project, args, u.Env, binary.Path, "pre-tool", "--tool", "shell", "--args", "-")
			require.Equal(t, code, got.Code, "%s\n%s", line, got.Stderr)
		}
	}
}

// TestReadmeHookInGo: the hook of the README also works for the calls of a Go program, which is not hookrun itself.
func TestReadmeHookInGo(t *testing.T) {
	dir := t.TempDir()
	made := binary.Run(t, dir, "", []string{"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH")}, "sh", "-c",
		hookOfReadme(t).text)
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
		o := fire("npm publish", env...)
		require.Equal(t, protocol.Block, o.Decision, name)
		require.Equal(t, "A person publishes. Open a pull request.", o.Reason, name)
		require.Empty(t, o.Warnings, name)
		require.Equal(t, protocol.Continue, fire("npm test", env...).Decision, name)
	}
	o := fire("npm publish", path)
	require.Equal(t, protocol.Block, o.Decision, "no hookrun is found, so the guard cannot read the call")
	require.Len(t, o.Warnings, 1)
	require.Contains(t, o.Warnings[0], "hook 'no-publish' uses $HOOKRUN, which is not set")
}
