//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestClaudeSkillCommands: the project's rules see the commands in the text of a skill, whether the user types the
// skill's name or the model calls it. The commands that no rule is about run.
func TestClaudeSkillCommands(t *testing.T) {
	t.Setenv("PATH", pathOf(t, "claude"))
	for _, prompt := range []string{"/dep", "go"} {
		t.Run(prompt, func(t *testing.T) {
			c := clientNamed("claude")
			c.args = []string{"-p", prompt, "--allowedTools", "Bash,Skill", "--output-format", "stream-json",
				"--verbose"}
			c.says = func(_ int, calls ...string) string {
				if len(calls) == 0 {
					return claudeText("done")
				}
				return claudeToolUse("toolu_1", "Skill", binary.Hook{"skill": calls[0]})
			}
			r := newClientRun(t, c)
			r.install()
			skill := filepath.Join(r.workspace, ".claude", "skills", "dep", "SKILL.md")
			require.NoError(t, os.MkdirAll(filepath.Dir(skill), 0o755))
			const text = "---\nname: dep\ndescription: deploys\nallowed-tools: Bash(touch:*)\n---\n" +
				"State: !`touch forbidden`, !`touch free`\n"
			require.NoError(t, os.WriteFile(skill, []byte(text), 0o600))
			last := 0
			if prompt == "/dep" {
				r.turn()
			} else {
				r.turn([]string{"dep"})
				last = 1
			}
			require.False(t, r.ran("forbidden"), r.output)
			require.True(t, r.ran("free"), r.output)
			require.Contains(t, r.requests[last], "State: [not run: blocked by hook: not this one], (Bash completed")
		})
	}
}
