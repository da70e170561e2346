package docs

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestFirstHourWithAClient does what the page says, in order, by somebody who has Claude Code: the lines for a client
// too, at a terminal. Between the blocks the client makes calls, and what the page says of them must be so.
func TestFirstHourWithAClient(t *testing.T) {
	binary.Needs(t, "git")
	u := binary.NewUser(t)
	connected, edited := false, false
	allowed := 0 // times that a person said yes
	for _, b := range blocksOf(t, "docs/start/first-hour.md") {
		if b.lang != "text" {
			u.Project = b.try(t, u.Project, u.Home)
			edited = edited || b.name == ".tenex-hooks.json"
		} else {
			for line := range strings.Lines(b.text) {
				cmd := exec.Command("sh", "-c", line)
				var out bytes.Buffer
				cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = u.Project, u.Env, &out, &out
				code, screen := binary.AtTerminal(t, cmd, "y\n")
				require.Zero(t, code, "%s: %s%s", line, screen, &out)
				connected = connected || strings.HasPrefix(line, "hookrun install")
				if strings.HasPrefix(line, "hookrun doctor") {
					require.Contains(t, out.String(), "the entry blocks the test call")
					require.NotContains(t, out.String(), "\n  error ")
				}
				if line == "hookrun allow\n" {
					edited = false
					allowed++
				}
			}
		}
		if !connected {
			continue
		}
		if edited {
			require.Contains(t, u.Bash("git status"), "hookrun allow", b.at)
			require.Contains(t, u.Read("README.md"), "hookrun allow", b.at)
		} else {
			require.Empty(t, u.Bash("git status"), b.at)
			require.Empty(t, u.Read("README.md"), b.at)
			require.Contains(t, u.Bash("git push --force"), "overwrites commits", b.at)
		}
	}
	require.Equal(t, 1, allowed)
	require.Equal(t, "Dependencies are added by a person.", u.Bash("pip install x"))
	require.Empty(t, u.Claude("UserPromptSubmit", map[string]any{"prompt": "go on"}))
}
