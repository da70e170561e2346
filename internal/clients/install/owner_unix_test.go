//go:build unix

package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckManaged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of root")
	}
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		require.NoError(t, os.Chmod(at, 0o755))
	}
	folder := filepath.Join(dir, "folder")
	file := filepath.Join(folder, "file")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, CheckManaged(file, 0o4), "a missing file is fine")
	require.NoError(t, os.WriteFile(file, nil, 0o755))
	require.NoError(t, CheckManaged(file, 0o5))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("folder/file", link))
	require.NoError(t, CheckManaged(link, 0o5))
	for _, test := range []struct {
		path string
		mode os.FileMode
		want string
	}{
		{file, 0o757, file + " can be written to by others than root; chmod go-w"},
		{file, 0o754, file + " is not for all users"},
		{folder, 0o777, folder + " can be written to by others"},
		{folder, 0o700, folder + " is not for all users"},
	} {
		info, err := os.Stat(test.path)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(test.path, test.mode))
		require.ErrorContains(t, CheckManaged(file, 0o5), test.want)
		require.ErrorContains(t, CheckManaged(link, 0o5), test.want)
		require.NoError(t, os.Chmod(test.path, info.Mode()))
	}
	require.NoError(t, os.Chmod(folder, 0o777|os.ModeSticky))
	require.NoError(t, CheckManaged(file, 0o5), "nobody else can replace it there")
	require.NoError(t, os.Lchown(link, 1, 1))
	require.ErrorContains(t, CheckManaged(link, 0o5), "does not belong to root")
	require.NoError(t, os.Lchown(link, 0, 0))
	require.NoError(t, os.Chown(folder, 1, 1))
	require.ErrorContains(t, CheckManaged(file, 0o5), folder+" does not belong to root")
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	require.ErrorContains(t, CheckManaged(filepath.Join(dir, "loop"), 0o4), "too many links")
}
