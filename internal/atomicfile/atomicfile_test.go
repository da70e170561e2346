package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, Replace(path, nil, "a"))
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o644} {
		require.NoError(t, os.Chmod(path, mode))
		old, err := os.Lstat(path)
		require.NoError(t, err)
		require.NoError(t, Replace(path, old, "b"))
		now, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, old.Mode(), now.Mode())
		require.False(t, os.SameFile(old, now), "a reader of the old file goes on with the old text")
	}
	requireAlone(t, path, "b")
	require.Error(t, Replace(filepath.Join(filepath.Dir(path), "none", "f"), nil, "a"))
}

func TestReplaceWhatCannotBeReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Error(t, Replace(path, nil, "a"), "a folder is in the way of the rename")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, nil, 0o444))
	if os.Getuid() != 0 {
		old, err := os.Lstat(path)
		require.NoError(t, err)
		require.ErrorIs(t, Replace(path, old, "a"), fs.ErrPermission)
	}
	requireAlone(t, path, "")
}

// However many write at once, and whatever was left by one that was killed, there is one whole text in the end.
func TestReplaceAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() { _ = Replace(path, nil, "whole") })
	}
	wait.Wait()
	requireAlone(t, path, "whole")
}

func requireAlone(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, list, 1, "nothing is left beside it")
}
