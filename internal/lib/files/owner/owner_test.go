//go:build unix

package owner_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// nobody is a user that is not this one.
const nobody = 65534

func asRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can make files of other users")
	}
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "relative")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "a"), filepath.Join(dir, "absolute")))
	require.NoError(t, os.Symlink("../../relative/b", filepath.Join(dir, "a", "b", "up")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for path, want := range map[string]string{
		"a/b": "a/b", "relative/b": "a/b", "absolute/b": "a/b", "a/b/up": "a/b", "a/b/up/new": "a/b/new",
		"new/b": "new/b", "a/../a/./b": "a/b",
	} {
		real, err := owner.Resolve(filepath.Join(dir, path))
		require.NoError(t, err, path)
		require.Equal(t, filepath.Join(dir, want), real, path)
	}
	_, err = owner.Resolve(filepath.Join(dir, "loop"))
	require.ErrorContains(t, err, "leads through more than 40 links")
}

func TestLinkOfAnotherUser(t *testing.T) {
	asRoot(t)
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(".", link))
	require.NoError(t, os.Lchown(link, nobody, nobody))
	for _, path := range []string{link, filepath.Join(link, "file"), filepath.Join(link, "link", "file")} {
		_, err := owner.Resolve(path)
		require.EqualError(t, err, link+" is a link of another user; name what it should lead to", path)
	}
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	check := func() error {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return owner.Check(path, info)
	}
	require.NoError(t, check())
	require.NoError(t, os.Chmod(path, 0o662))
	require.ErrorContains(t, check(), "can be written to by everybody")
	require.NoError(t, os.Chmod(path, 0o600))
	asRoot(t)
	require.NoError(t, os.Chown(path, nobody, nobody))
	require.ErrorContains(t, check(), "belongs to another user")
}
