package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Not in parallel: it sets PATH.
func TestInstallNamesHookrun(t *testing.T) {
	if !install.HasShell {
		t.Skip("the entry has a path everywhere")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	path := filepath.Join(bin, "hookrun")
	for name, c := range map[string]struct {
		put  func()
		note string
	}{
		"not in PATH": {func() {}, "note: there is no hookrun in PATH, where the entry looks for it, so every call " +
			"is blocked until there is one: put " + filepath.Dir(self) + " on PATH\n"},
		"another one": {func() { require.NoError(t, os.WriteFile(path, nil, 0o755)) },
			"note: the entry runs the hookrun in PATH, which is " + path + ", and not this one\n"},
		"this one": {func() { require.NoError(t, os.Symlink(self, path)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", bin)
			c.put()
			defer os.Remove(path)
			dir := workspace(t, rules)
			shared := run("", "install", "claude", "-v", "-C", dir)
			const unseen = "note: every tool call is blocked until somebody looks at the project's hooks and runs " +
				"hookrun allow "
			require.Equal(t, ran{0, shared.out, c.note + unseen + dir + "\n"}, shared)
			const command = "$(hookrun fire --output claude --trust required --pin --before-allow block --entry mark)"
			require.Contains(t, shared.out, command)
			require.NotContains(t, shared.out, "/hookrun fire")
		})
	}
}

func TestInstallLocal(t *testing.T) {
	testall.NotOnWindows(t, "the entry has the program in quotes, and blocks in another way")
	t.Parallel()
	dir := workspace(t, rules)
	local := filepath.Join(dir, ".claude", "settings.local.json")
	require.Equal(t, 0, run("", "install", "claude", "--local", "-C", dir).exit)
	text, err := os.ReadFile(local)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	require.Contains(t, string(text), "$("+self+" fire --output claude --trust required --pin --before-allow block ")
	twice := run("", "install", "claude", "--dry-run", "-C", dir)
	require.Contains(t, twice.err, "note: "+local+" has an entry of hookrun's, too, so every hook runs twice")
	require.Equal(t, 0, run("", "uninstall", "claude", "--local", "-C", dir).exit)
	require.NoFileExists(t, local)

	for _, args := range [][]string{{"codex", "--local"}, {"gemini", "--local"}} {
		for _, command := range []string{"install", "uninstall"} {
			require.Regexp(t, "^hookrun "+command+": --local: .* has no file in a project for one person alone; ",
				run("", append([]string{command, "-C", dir}, args...)...).err)
		}
	}
	require.Contains(t, run("", "install", "claude", "--local", "--project").err, "give one of them")
}
