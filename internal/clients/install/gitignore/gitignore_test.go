package gitignore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/install/gitignore"
)

// Each state is that of git itself.
func TestOf(t *testing.T) {
	if exec.Command("git", "--version").Run() != nil {
		t.Skip("git is missing")
	}
	for name, c := range map[string]struct {
		files map[string]string
		add   bool
		want  gitignore.State
	}{
		"nothing":           {nil, false, gitignore.Open},
		"by its name":       {map[string]string{"p/.gitignore": "a\n.x.json\n"}, false, gitignore.Ignored},
		"by a path":         {map[string]string{"p/.gitignore": "/sub/.x.json\n"}, false, gitignore.Ignored},
		"by a glob":         {map[string]string{"p/.gitignore": "*.json\r\n"}, false, gitignore.Ignored},
		"by its folder":     {map[string]string{"p/.gitignore": "sub/\n"}, false, gitignore.Ignored},
		"beside it":         {map[string]string{"p/sub/.gitignore": ".x.json"}, false, gitignore.Ignored},
		"in the repository": {map[string]string{"p/.git/info/exclude": ".x.json\n"}, false, gitignore.Ignored},
		"by the user":       {map[string]string{"home/.config/git/ignore": ".x.json\n"}, false, gitignore.Ignored},
		"by a file of theirs": {map[string]string{"home/.gitconfig": "[core]\n\texcludesFile = ~/mine\n",
			"home/mine": ".x.json\n"}, false, gitignore.Ignored},
		"a comment":             {map[string]string{"p/.gitignore": "#.x.json\n"}, false, gitignore.Open},
		"taken out again":       {map[string]string{"p/.gitignore": "*.json\n!.x.json\n"}, false, gitignore.Open},
		"another":               {map[string]string{"p/.gitignore": "x.json\n.x\n"}, false, gitignore.Open},
		"tracked":               {nil, true, gitignore.Tracked},
		"tracked, though it is": {map[string]string{"p/.gitignore": ".x.json\n"}, true, gitignore.Tracked},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			git := func(args ...string) error {
				cmd := exec.Command("git", append([]string{"-C", filepath.Join(dir, "p")}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1")
				return cmd.Run()
			}
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "p"), 0o700))
			require.NoError(t, git("init", "-q"))
			write := func(name, text string) {
				path := filepath.Join(dir, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			write("p/sub/.x.json", "{}")
			write("p/sub/other", "")
			for name, text := range c.files {
				write(name, text)
			}
			if c.add {
				require.NoError(t, git("add", "-f", "sub/.x.json"))
			}
			require.NoError(t, git("add", "-f", "sub/other"))
			require.Equal(t, c.want, gitignore.Of(filepath.Join(dir, "p/sub/.x.json")))
			require.Equal(t, c.want == gitignore.Ignored, git("check-ignore", "-q", "sub/.x.json") == nil && !c.add)
			require.Equal(t, c.want == gitignore.Tracked, git("ls-files", "--error-unmatch", "sub/.x.json") == nil)

			require.NoError(t, os.RemoveAll(filepath.Join(dir, "p/.git")))
			require.Equal(t, gitignore.NoRepository, gitignore.Of(filepath.Join(dir, "p/sub/.x.json")))
		})
	}
	t.Run("a worktree", func(t *testing.T) {
		dir := t.TempDir()
		git := func(args ...string) {
			as := []string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}
			cmd := exec.Command("git", append(as, args...)...)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		git("init", "-q", "p")
		dir = filepath.Join(dir, "p")
		git("commit", "-q", "--allow-empty", "-m", "x")
		git("worktree", "add", "-q", "../w")
		file := filepath.Join(dir, "../w/.x.json")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.Equal(t, gitignore.Open, gitignore.Of(file))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte(".x.json"), 0o600))
		require.Equal(t, gitignore.Ignored, gitignore.Of(file))
		git("-C", "../w", "add", "-f", ".x.json")
		require.Equal(t, gitignore.Tracked, gitignore.Of(file))
	})
}
