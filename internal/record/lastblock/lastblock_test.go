package lastblock

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/state"
)

// TestWriteAndRead: each workspace has its last line, and old lines of others go.
func TestWriteAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	line, err := Read(dir, "/a")
	require.NoError(t, err)
	require.Nil(t, line)
	require.NoError(t, Write(dir, "/a", []byte("first\n")))
	require.NoError(t, Write(dir, "/old", []byte("old\n")))
	before := time.Now().Add(-age - time.Hour)
	require.NoError(t, os.Chtimes(path(dir, "/old"), before, before))
	require.NoError(t, Write(dir, "/a", []byte("second\n")))
	require.NoError(t, Write(dir, "/b", []byte("other\n")))
	for workspace, want := range map[string]string{"/a": "second\n", "/b": "other\n", "/old": ""} {
		line, err := Read(dir, workspace)
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	info, err := os.Stat(path(dir, "/a"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
	require.Equal(t, state.Hashed("/a"), filepath.Base(path(dir, "/a")))
}
