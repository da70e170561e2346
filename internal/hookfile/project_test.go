package hookfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/hookfile"
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
	} {
		path = filepath.Join(root, path)
		if isFolder {
			require.NoError(t, os.MkdirAll(path, 0o700))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(`{}`), 0o600))
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
			PassedOver: in(want.PassedOver), Repository: in(want.Repository)}, p, dir)
	}

	for dir, want := range map[string]hookfile.Project{
		"outer":            {Workspace: "outer", File: "outer/.tenex-hooks.json"},
		"outer/repo":       {Workspace: "outer/repo", Repository: "outer/repo", PassedOver: "outer/.tenex-hooks.json"},
		"outer/repo/a":     {Workspace: "outer/repo/a", File: "outer/repo/a/.tenex-hooks.json"},
		"outer/repo/a/b/c": {Workspace: "outer/repo/a/b", File: "outer/repo/a/b/.tenex-hooks.json"},
		"outer/repo/module/deep": {Workspace: "outer/repo/module/deep", Repository: "outer/repo/module",
			PassedOver: "outer/.tenex-hooks.json"},
		"bare/sub":  {Workspace: "bare/sub", Repository: "bare"},
		"plain":     {Workspace: "plain", File: "plain/.tenex-hooks.json"},
		"plain/sub": {Workspace: "plain/sub", PassedOver: "plain/.tenex-hooks.json"},
		"disk/data": {Workspace: "disk/data"},
	} {
		t.Run(dir, func(t *testing.T) { finds(t, dir, want) })
	}
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
			return hookfile.Load(hookfile.Options{Workspace: dir, NoUser: true, AsClient: true})
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
