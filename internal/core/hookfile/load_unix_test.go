//go:build unix

package hookfile_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// These would be read for ever, or be what only this user cannot read.
func TestFilesThatAreNone(t *testing.T) {
	t.Run("a named pipe", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "hooks.json")
		require.NoError(t, syscall.Mkfifo(path, 0o666))
		_, err := parts.All().LoadFile(path, nil)
		require.EqualError(t, err, path+": reading the hooks file: not a regular file but a named pipe")
	})
	t.Run("a device", func(t *testing.T) {
		_, err := parts.All().LoadFile("/dev/zero", nil)
		require.EqualError(t, err, "/dev/zero: reading the hooks file: not a regular file but a device")
	})
	t.Run("a socket", func(t *testing.T) {
		t.Chdir(t.TempDir()) // the name of a socket must be short
		l, err := net.Listen("unix", "s")
		require.NoError(t, err)
		defer l.Close()
		_, err = parts.All().LoadFile("s", nil)
		require.EqualError(t, err, "s: reading the hooks file: not a regular file but a socket")
	})
	t.Run("unreadable", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		path := filepath.Join(t.TempDir(), "hooks.json")
		require.NoError(t, os.WriteFile(path, []byte("{}"), 0o000))
		_, err := parts.All().LoadFile(path, nil)
		require.EqualError(t, err, path+": reading the hooks file: permission denied")
	})
	t.Run("in an unreadable folder", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o000))
		defer os.Chmod(dir, 0o700)
		_, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		path := filepath.Join(dir, hookfile.FileName)
		require.EqualError(t, err, path+": reading the hooks file: permission denied", "it may be there")
	})
}

// TestNewsOfAnUnreadableFile: a file that can be read again has the times that it had.
func TestNewsOfAnUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	files := hookfile.NewSnapshot(cfg)
	require.NoError(t, os.WriteFile(path, []byte(`{"hooks":[]}`), 0o000))
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, long, long))
	require.Len(t, files.TakeChanges(), 1)
	require.Empty(t, files.TakeChanges())
	require.NoError(t, os.Chmod(path, 0o600))
	require.Equal(t, []string{path + " was changed"}, files.TakeChanges())
	require.Empty(t, files.TakeChanges())
}
