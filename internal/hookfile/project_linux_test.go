package hookfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/hookfile"
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
