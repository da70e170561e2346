package hookfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

func TestFindProject(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for path, isFolder := range map[string]bool{
		"outer/.tenex-hooks.json": false, "outer/repo/.git": true,
		"outer/repo/a/.tenex-hooks.json": false, "outer/repo/a/b/c": true,
		"outer/repo/a/b/.tenex-hooks.json/x": true, // whatever it is, it is there
		"outer/repo/module/.git":             false, "outer/repo/module/deep": true,
		"bare/.git": true, "bare/sub": true,
		"plain/.tenex-hooks.json": false, "plain/sub": true,
		"disk/data": true,
		// Without a .git the folders must be safe, up to the home folder.
		"far/.tenex-hooks.json": false, "far/home/a/b/c": true, "far/home/p/.tenex-hooks.json": false,
		"far/home/p/q/r":           true,
		"shared/.tenex-hooks.json": false, "shared/open/a/b": true, "shared/open/.tenex-hooks.json": false,
		"shared/open/git/.git": true, "shared/open/git/a": true, "shared/open/git/.tenex-hooks.json": false,
		"own/.tenex-hooks.json": false, "own/open": true,
	} {
		path = filepath.Join(root, path)
		if isFolder {
			require.NoError(t, os.MkdirAll(path, 0o700))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(`{}`), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "outer/repo/module/.git"),
		[]byte("gitdir: ../.git/modules/module\n"), 0o600))
	t.Setenv("HOME", filepath.Join(root, "far", "home"))
	t.Setenv("USERPROFILE", filepath.Join(root, "far", "home"))
	unix := runtime.GOOS != "windows" // where access lists count, which os.Chmod does not set
	if unix {
		require.NoError(t, os.Chmod(filepath.Join(root, "shared/open"), 0o777|os.ModeSticky))
		require.NoError(t, os.Chmod(filepath.Join(root, "own/open"), 0o777))
	}
	in := func(path string) string {
		if path == "" {
			return ""
		}
		return filepath.Join(root, path)
	}
	finds := func(t *testing.T, dir string, want hookfile.Project) {
		p, err := hookfile.FindProject(in(dir))
		require.NoError(t, err, dir)
		require.Equal(t, hookfile.Project{Workspace: in(want.Workspace), File: in(want.File),
			PassedOver: in(want.PassedOver), Repository: in(want.Repository), Why: p.Why}, p, dir)
		require.Equal(t, want.PassedOver != "", p.Why != "", dir)
		require.Contains(t, p.Why, filepath.FromSlash(want.Why), dir)
	}

	for dir, want := range map[string]hookfile.Project{
		"outer":            {Workspace: "outer", File: "outer/.tenex-hooks.json"},
		"outer/repo":       {Workspace: "outer/repo", Repository: "outer/repo", PassedOver: "outer/.tenex-hooks.json"},
		"outer/repo/a":     {Workspace: "outer/repo/a", File: "outer/repo/a/.tenex-hooks.json"},
		"outer/repo/a/b/c": {Workspace: "outer/repo/a/b", File: "outer/repo/a/b/.tenex-hooks.json"},
		"outer/repo/module/deep": {Workspace: "outer/repo/module/deep", Repository: "outer/repo/module",
			PassedOver: "outer/.tenex-hooks.json"},
		"bare/sub":     {Workspace: "bare/sub", Repository: "bare"},
		"plain":        {Workspace: "plain", File: "plain/.tenex-hooks.json"},
		"plain/sub":    {Workspace: "plain", File: "plain/.tenex-hooks.json"},
		"disk/data":    {Workspace: "disk/data"},
		"far":          {Workspace: "far", File: "far/.tenex-hooks.json"},
		"far/home/p/q": {Workspace: "far/home/p", File: "far/home/p/.tenex-hooks.json"},
		"far/home": {Workspace: "far/home", PassedOver: "far/.tenex-hooks.json",
			Why: "it lies above the home folder " + in("far/home")},
		"far/home/a/b/c": {Workspace: "far/home/a/b/c", PassedOver: "far/.tenex-hooks.json",
			Why: "it lies above the home folder "},
		"shared/open": {Workspace: "shared/open", File: "shared/open/.tenex-hooks.json"},
		// In a repository whoever can write to its folders is no matter.
		"shared/open/git/a": {Workspace: "shared/open/git", File: "shared/open/git/.tenex-hooks.json"},
		"own/open":          {Workspace: "own", File: "own/.tenex-hooks.json"}, // nobody else writes to that one
	} {
		t.Run(dir, func(t *testing.T) { finds(t, dir, want) })
	}
	if unix {
		finds(t, "shared/open/a/b", hookfile.Project{Workspace: "shared/open/a/b",
			PassedOver: "shared/open/.tenex-hooks.json",
			Why:        "the folder " + in("shared/open") + " can be written to by other users"})
		require.NoError(t, os.Remove(in("shared/open/.tenex-hooks.json")))
		finds(t, "shared/open/a/b", hookfile.Project{Workspace: "shared/open/a/b",
			PassedOver: "shared/.tenex-hooks.json", Why: "the folder " + in("shared/open") + " can be written to"})
	}
	t.Run("the home folder counts itself", func(t *testing.T) {
		require.NoError(t, os.WriteFile(in("far/home/.tenex-hooks.json"), []byte(`{}`), 0o600))
		finds(t, "far/home/a/b/c", hookfile.Project{Workspace: "far/home", File: "far/home/.tenex-hooks.json"})
	})
	t.Run("through links", func(t *testing.T) {
		symlink(t, in("outer/repo/a/b"), in("to-b"))
		symlink(t, in("disk/data"), in("outer/repo/a/data"))
		finds(t, "to-b", hookfile.Project{Workspace: "to-b", File: "to-b/.tenex-hooks.json"})
		finds(t, "to-b/c", hookfile.Project{Workspace: "outer/repo/a/b", File: "outer/repo/a/b/.tenex-hooks.json"})
		finds(t, "outer/repo/a/data",
			hookfile.Project{Workspace: "outer/repo/a", File: "outer/repo/a/.tenex-hooks.json"})
	})
	t.Run("a path of the caller's stays as it is", func(t *testing.T) {
		t.Chdir(in("plain"))
		p, err := hookfile.FindProject(".")
		require.NoError(t, err)
		require.Equal(t, hookfile.Project{Workspace: ".", File: ".tenex-hooks.json"}, p)
	})
}

// TestProjectInClientFolder: a project's own file stays strict in a folder of a client that drops a faulty file.
func TestProjectInClientFolder(t *testing.T) {
	for _, folder := range []string{".qwen", ".factory", ".kimi-code", ".claude", ".github/hooks"} {
		dir := filepath.Join(t.TempDir(), filepath.FromSlash(folder))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		load := func(doc string) (*hookfile.Config, error) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(doc), 0o600))
			return hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir, NoUser: true, AsClient: true})
		}
		const hook = `{"name":"h","command":["a"],"events":["pre-tool"]}`
		cfg, err := load(`{"hooks":[` + hook + `]}`)
		require.NoError(t, err, folder)
		require.Len(t, cfg.Hooks, 1, folder)
		for _, doc := range []string{`{"hooks":[` + hook + `,]}`, `{"hooks":[` + hook + `,{"nmae":"g"}]}`} {
			_, err = load(doc)
			require.Error(t, err, folder)
		}
	}
}
