//go:build unix

package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestReadmeGuard runs the first guard that people copy: a call whose command it cannot see is blocked.
func TestReadmeGuard(t *testing.T) {
	binary.Needs(t, "sh")
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	guard := regexp.MustCompile(`(?s)cat > guard\.sh <<'END'\n(.*?)END\n`).FindSubmatch(readme)
	require.NotNil(t, guard)
	require.LessOrEqual(t, strings.Count(string(guard[1]), "\n"), 6, "a guard of six lines")
	dir := t.TempDir()
	path := filepath.Join(dir, "guard.sh")
	require.NoError(t, os.WriteFile(path, guard[1], 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(
		`{"hooks": [{"name": "guard", "command": ["sh", "guard.sh"], "events": ["pre-tool"], "matcher": "shell"}]}`),
		0o644))
	const unseen = "cannot see the command of this call"
	for args, reason := range map[string]string{
		`{"command":"git push --force"}`:           "Do not force-push.",
		`{"cmd":"git push --force"}`:               "Do not force-push.",
		`{"input":"git push --force{enter}"}`:      "Do not force-push.",
		`{"command":["git","push --force"]}`:       "Do not force-push.",
		`{"input":{"command":"git push --force"}}`: "Do not force-push.",
		`git push --force`:                         "Do not force-push.",
		`git status`:                               "",
		`{"command":["git",{}]}`:                   unseen,
		`{"command":"git push --force`:             unseen,
		`{"command":7}`:                            unseen,
		`{}`:                                       unseen,
		`{"command":"git status"}`:                 "",
		`{"cmd":"git status"}`:                     "",
	} {
		cmd := exec.Command(binary.Path, "pre-tool", "--tool", "shell", "--args", args)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if reason == "" {
			require.NoError(t, err, "%s: %s", args, out)
			continue
		}
		require.Error(t, err, args)
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), "%s: %s", args, out)
		require.Contains(t, string(out), reason, args)
	}
	for _, hookrun := range []string{"", "/nowhere/hookrun"} { // no hookrun for the guard
		cmd := exec.Command("sh", path)
		cmd.Env = append(os.Environ(), "HOOKRUN="+hookrun)
		cmd.Stdin = strings.NewReader(`{"args":{"command":"git push --force"}}`)
		require.Error(t, cmd.Run())
		require.Equal(t, 2, cmd.ProcessState.ExitCode())
	}
}

// goesOn matches forms of a guard in sh that go on if get fails: what get prints is used, and its exit code is not.
var goesOn = regexp.MustCompile(`(?m)^[^#\n]*(` +
	`\bcase\s+"?\$\([^)]*\bget\s+\S*(?:command|args|tool_input)\b[^)]*\)|` +
	`\bget\s+\S*(?:command|args|tool_input)\S*\s*(?:2>\S+\s*)?\|\s*grep|` +
	`=\$\([^)]*\bget\s+\S*command\S*\)\s*(?:\|\|\s*(?:exit 0|true|:)|;|$)` + `)`)

// TestGuardsDoNotGoOn: no guard that people copy approves a call because it could not read it.
func TestGuardsDoNotGoOn(t *testing.T) {
	for _, form := range []string{`case $("$HOOKRUN" get args.command) in`, `command=$("$HOOKRUN" get args.command)`,
		`hookrun get tool_input.command | grep -q x`, `c=$(get command) || exit 0`} {
		require.Regexp(t, goesOn, form)
	}
	require.NotRegexp(t, goesOn, `command=$("$HOOKRUN" get command) || exit 2`)
	// It runs after the tool, and blocks nothing.
	reminders := map[string]bool{"scripts/examples/remind-after-tool.sh": true}
	looked := 0
	for _, root := range []string{"README.md", "docs", "scripts", "internal/doors/cli"} {
		read := func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if err != nil || d.IsDir() || d.Name() == "node_modules" || reminders[name] {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			looked++
			require.NotRegexp(t, goesOn, string(text), name)
			return nil
		}
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), read))
	}
	require.Greater(t, looked, 100)
}
