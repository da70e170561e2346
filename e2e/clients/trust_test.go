//go:build linux

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// read is a model's call of Read, among commands of the shell.
const read = "Read "

// newProjectRun is a real Claude Code, whose model can also read files, in a Node project of its own.
func newProjectRun(t *testing.T) *clientRun {
	c := realClients[slices.IndexFunc(realClients, func(c client) bool { return c.name == "claude" })]
	c.args = slices.Clone(c.args)
	c.args[slices.Index(c.args, "Bash")] = "Bash,Read"
	r := &clientRun{T: t, client: c}
	r.says = func(n int, commands ...string) string {
		if len(commands) == 0 {
			return claudeText("done")
		}
		var blocks []claudeBlock
		for i, command := range commands {
			tool, input := "Bash", binary.Hook{"command": command}
			if name, is := strings.CutPrefix(command, read); is {
				tool, input = "Read", binary.Hook{"file_path": filepath.Join(r.workspace, name)}
			}
			blocks = append(blocks, claudeCall(fmt.Sprintf("toolu_%d_%d", n, i), tool, input))
		}
		return claudeMessage("tool_use", blocks...)
	}
	r.prepare(r)
	r.write("package.json", `{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}`)
	r.write("lib/package.json", `{"name": "left-lib", "version": "1.3.0"}`)
	r.run("git", "init", "-q")
	return r
}

// TestTrustInDailyWork: an agent that installs a package has changed no hook.
func TestTrustInDailyWork(t *testing.T) {
	if alone(t, pathOf(t, "claude")) {
		return
	}
	r := newProjectRun(t)
	r.run(binary.Path, "init")
	r.run(binary.Path, "install", "claude", "--allow")
	r.turn([]string{"npm install ./lib"}, []string{"git status"}, []string{read + "package.json"},
		[]string{"npm pkg set dependencies.left-pad=1.3.0"}, []string{"touch made"})
	require.True(t, r.modelReads("git status", "Untracked files"), r.output)
	require.True(t, r.modelReads(read+"package.json", "file:lib"), r.output)
	require.True(t, r.ran("made"), r.output)
	require.NotRegexp(t, "hookrun: |hookrun allow", r.output)
	r.turn([]string{"touch made"})
	require.True(t, r.ran("made"), r.output)
	require.NotRegexp(t, "hookrun: |hookrun allow", r.output)
	r.run(binary.Path, "status")
}

// TestTrustOfAnEditedGuard: the calls of a guard whose script was edited are blocked, in the session and in the next
// one. Other calls and the prompt go on. If a person allows the script, or puts it back, nothing is blocked.
func TestTrustOfAnEditedGuard(t *testing.T) {
	if alone(t, pathOf(t, "claude")) {
		return
	}
	const guard = "cat >/dev/null\n"
	r := newProjectRun(t)
	r.write(".tenex-hooks.json", `{"hooks": [
  {"name": "guard", "command": ["sh", "guard.sh"], "events": ["pre-tool"], "matcher": "shell"},
  {"name": "reads", "command": "echo seen by the other hook", "events": ["post-tool"], "matcher": "fs_read"}]}`)
	r.write("guard.sh", guard)
	r.run(binary.Path, "install", "claude", "--allow")
	const changed = "guard.sh was changed (hook 'guard'), so calls for hook 'guard' are blocked"
	r.turn([]string{"touch made"}, []string{"echo exit 0 >guard.sh"}, []string{"touch blocked"},
		[]string{read + "package.json"})
	require.True(t, r.ran("made"), r.output)
	require.False(t, r.ran("blocked"), r.output)
	require.True(t, r.modelReads("touch blocked", changed), r.output)
	require.True(t, r.modelReads(read+"package.json", "node --test"), r.output)
	require.True(t, r.modelReads(read+"package.json", "seen by the other hook"), r.output)

	r.turn([]string{read + "package.json"}, []string{"touch blocked"})
	require.True(t, r.modelReads(read+"package.json", "node --test"), r.output)
	require.False(t, r.ran("blocked"), r.output)
	require.True(t, r.userReads(changed), r.output)
	require.True(t, r.userReads("hookrun allow "+r.workspace), r.output)

	r.write("guard.sh", guard)
	r.turn([]string{"touch made"})
	require.True(t, r.ran("made"), r.output)
	require.NotContains(t, r.output, "are not those that were allowed")
	r.write("guard.sh", guard+"exit 0\n")
	r.run(binary.Path, "allow", "--yes")
	r.turn([]string{"touch made"})
	require.True(t, r.ran("made"), r.output)

	// A branch without the hooks file: every tool call is blocked, and the prompt goes on.
	require.NoError(t, os.Remove(filepath.Join(r.workspace, ".tenex-hooks.json")))
	r.turn([]string{read + "package.json"}, []string{"touch blocked"})
	const gone = "are not those that were allowed: .tenex-hooks.json is gone, so every tool call is blocked"
	require.False(t, r.ran("blocked"), r.output)
	require.True(t, r.modelReads(read+"package.json", gone), r.output)
	require.False(t, r.modelReads(read+"package.json", "node --test"), r.output)
	require.True(t, r.userReads(gone), r.output)
}
