package e2e

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestCallerKeepsStdinOpen: a complete call is made, and an incomplete one ends as an error in the client's form.
func TestCallerKeepsStdinOpen(t *testing.T) {
	t.Parallel()
	const input = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push -f"}}`
	const args = `{"command":"git push -f"}`
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"packs":["git"]}`)
	for name, test := range map[string]struct {
		args           []string
		stdin          string
		exit           int
		stdout, stderr string
	}{
		"fire":         {[]string{"fire"}, input, 0, `"permissionDecision":"deny"`, ""},
		"get":          {[]string{"get", "command"}, input, 0, "git push -f\n", ""},
		"args":         {[]string{"pre-tool", "--tool", "shell", "--args", "-"}, args, 2, "", "This is a push that"},
		"fire, half":   {[]string{"fire"}, input[:40], 2, "", "the caller did not close stdin"},
		"fire, codex":  {[]string{"fire", "-o", "codex"}, "", 2, "", "the caller did not close stdin"},
		"get, nothing": {[]string{"get", "command"}, "", 1, "", "the caller did not close stdin"},
		"args, half":   {[]string{"pre-tool", "--tool", "x", "--args", "-"}, args[:9], 1, "", "did not close stdin"},
		"result":       {[]string{"post-tool", "--tool", "x", "--result", "-"}, "ok", 1, "", "did not close stdin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(binary.Path, test.args...)
			cmd.Dir = dir
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = stdin.Write([]byte(test.stdin))
			require.NoError(t, err)
			_ = cmd.Wait() // closes stdin behind it
			require.Equal(t, test.exit, cmd.ProcessState.ExitCode(), stderr.String())
			require.Contains(t, stdout.String(), test.stdout)
			require.Equal(t, test.stdout == "", stdout.Len() == 0, stdout.String())
			require.Contains(t, stderr.String(), test.stderr)
		})
	}
}
