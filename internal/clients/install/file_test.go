package install

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestSymbolicLinks(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	claude, _ := Lookup("claude")
	link := func(t *testing.T, to, from string) {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err) // Windows gives it to some users alone
		}
	}
	outside := t.TempDir()
	const text = "{}\n"
	require.NoError(t, os.WriteFile(filepath.Join(outside, "settings.json"), []byte(text), 0o644))

	for name, prepare := range map[string]func(root string){
		"a file outside": func(root string) {
			link(t, filepath.Join(outside, "settings.json"), filepath.Join(root, ".claude", "settings.json"))
		},
		"a file that is not there": func(root string) {
			link(t, filepath.Join(outside, "none"), filepath.Join(root, ".claude", "settings.json"))
		},
		"a folder outside": func(root string) {
			os.Remove(filepath.Join(root, ".claude"))
			link(t, outside, filepath.Join(root, ".claude"))
		},
		"a folder that is not there": func(root string) {
			os.Remove(filepath.Join(root, ".claude"))
			link(t, "none", filepath.Join(root, ".claude"))
		},
		"itself": func(root string) { link(t, "settings.json", filepath.Join(root, ".claude", "settings.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(root, ".claude"), 0o755))
			prepare(root)
			_, err := claude.Install(claude.Project(root), entry(claude))
			require.Error(t, err)
			_, err = claude.Uninstall(claude.Project(root), "")
			require.Error(t, err)
		})
	}
	require.Len(t, entries(t, outside), 1)
	require.Equal(t, text, content(t, dialect.Place{Path: filepath.Join(outside, "settings.json")}))

	t.Run("inside", func(t *testing.T) {
		root := t.TempDir()
		real := filepath.Join(root, "config", "claude.json")
		require.NoError(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o755))
		require.NoError(t, os.Mkdir(filepath.Dir(real), 0o755))
		require.NoError(t, os.WriteFile(real, []byte(text), 0o644))
		p := claude.Project(root)
		link(t, filepath.Join("..", "config", "claude.json"), p.Path)
		change, err := claude.Install(p, entry(claude))
		do(t, change, err)
		info, err := os.Lstat(p.Path)
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, info.Mode().Type(), "the link stays")
		require.Contains(t, content(t, dialect.Place{Path: real}), "hookrun fire")
		change, err = claude.Uninstall(p, "")
		do(t, change, err)
		require.Equal(t, text, content(t, dialect.Place{Path: real}))
	})
	t.Run("the root itself", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "link")
		link(t, outside, root)
		change, err := claude.Install(claude.Project(root), entry(claude))
		do(t, change, err)
		change, err = claude.Uninstall(claude.Project(root), "")
		do(t, change, err)
		require.Len(t, entries(t, outside), 1)
	})
}

func entries(t *testing.T, dir string) []string {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestNoRegularFile(t *testing.T) {
	claude, _ := Lookup("claude")
	p := claude.Project(t.TempDir())
	require.NoError(t, os.MkdirAll(p.Path, 0o755))
	_, err := claude.Install(p, entry(claude))
	require.ErrorContains(t, err, "is no regular file")
	require.NoError(t, os.Remove(p.Path))
	if err := exec.Command("mkfifo", p.Path).Run(); err != nil {
		t.Skip("no mkfifo")
	}
	_, err = claude.Install(p, entry(claude)) // which would wait for ever
	require.ErrorContains(t, err, "is no regular file")
}

func TestModeStays(t *testing.T) {
	claude, _ := Lookup("claude")
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o644} {
		p := inProject(t, claude, "{}")
		require.NoError(t, os.Chmod(p.Path, mode))
		before, err := os.Stat(p.Path)
		require.NoError(t, err)
		change, err := claude.Install(p, entry(claude))
		do(t, change, err)
		after, err := os.Stat(p.Path)
		require.NoError(t, err)
		require.Equal(t, before.Mode(), after.Mode())
		require.Equal(t, []string{"settings.json"}, entries(t, filepath.Dir(p.Path)), "nothing is left beside it")
	}
	if os.Getuid() > 0 {
		p := inProject(t, claude, "{}")
		require.NoError(t, os.Chmod(p.Path, 0o444))
		change, err := claude.Install(p, entry(claude))
		require.NoError(t, err)
		require.ErrorIs(t, change.Write(), fs.ErrPermission)
		require.Equal(t, []string{"settings.json"}, entries(t, filepath.Dir(p.Path)))
	}
}

func TestChangedMeanwhile(t *testing.T) {
	claude, _ := Lookup("claude")
	p := inProject(t, claude, "{}")
	change, err := claude.Install(p, entry(claude))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(p.Path, []byte(`{"model":"opus"}`), 0o644))
	require.ErrorContains(t, change.Write(), "changed by somebody else meanwhile; try again")
	require.Equal(t, `{"model":"opus"}`, content(t, p))

	p = claude.Project(t.TempDir())
	change, err = claude.Install(p, entry(claude))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Dir(p.Path), 0o755))
	require.NoError(t, os.WriteFile(p.Path, nil, 0o644))
	require.ErrorContains(t, change.Write(), "changed by somebody else meanwhile; try again")
}
