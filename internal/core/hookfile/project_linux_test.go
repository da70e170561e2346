package hookfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// TestFindProjectBelowAFolderThatMayNotBeSearched is about a current folder that another user can work in, below one
// that this user may not search: the hooks file above is there, and no path from / leads to it.
func TestFindProjectBelowAFolderThatMayNotBeSearched(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody else")
	}
	const nobody = 65534
	root := t.TempDir()
	project := filepath.Join(root, "closed", "p")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(project, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, hookfile.FileName), []byte(`{"hooks":[]}`), 0o644))
	require.NoError(t, os.Chmod(filepath.Join(root, "closed"), 0o700))

	asNobody := func(t *testing.T, dir string) (p hookfile.Project, err error) {
		t.Chdir(dir)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, syscall.Setfsuid(nobody))
		defer func() { require.NoError(t, syscall.Setfsuid(0)) }()
		return hookfile.FindProject(".")
	}
	t.Run("below", func(t *testing.T) {
		p, err := asNobody(t, filepath.Join(project, "sub"))
		require.ErrorContains(t, err, "permission denied", "%+v", p)
		require.ErrorContains(t, err, "give -C")
	})
	t.Run("in it", func(t *testing.T) {
		p, err := asNobody(t, project)
		require.NoError(t, err)
		require.Equal(t, hookfile.FileName, p.File)
	})
}

// TestFindProjectInFoldersOfOthers is about folders without a .git. A hooks file that another user may have put there
// runs commands as this one, so it is passed over; root could do anything anyway.
func TestFindProjectInFoldersOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make folders of other users")
	}
	const nobody, group = 65534, 1234
	for name, c := range map[string]struct {
		owner, group int
		mode         os.FileMode
		why          string // "": it counts
	}{
		"mine":                {0, 0, 0o700, ""},
		"mine, my own group":  {0, 0, 0o775, ""},
		"mine, another group": {0, group, 0o775, "can be written to by other users"},
		"mine, for everybody": {0, 0, 0o777, "can be written to by other users"},
		"another user's":      {nobody, 0, 0o755, "belongs to user 65534"},
	} {
		t.Run(name, func(t *testing.T) {
			project := filepath.Join(t.TempDir(), "p")
			sub := filepath.Join(project, "a", "b")
			require.NoError(t, os.MkdirAll(sub, 0o755))
			file := filepath.Join(project, hookfile.FileName)
			require.NoError(t, os.WriteFile(file, []byte(`{"hooks":[]}`), 0o644))
			require.NoError(t, os.Chown(sub, nobody, group)) // where the search begins, the owner makes no difference
			require.NoError(t, os.Chown(project, c.owner, c.group))
			require.NoError(t, os.Chmod(project, c.mode))
			p, err := hookfile.FindProject(sub)
			require.NoError(t, err)
			if c.why == "" {
				require.Equal(t, hookfile.Project{Workspace: project, File: file}, p)
				return
			}
			require.Equal(t, hookfile.Project{Workspace: sub, PassedOver: file,
				Why: "the folder " + project + " " + c.why}, p)
		})
	}
}
