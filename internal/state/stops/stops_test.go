package stops

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	add := func(key string) int {
		n, err := Add(state, key)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1, add("a"))
	require.Equal(t, 2, add("a"))
	require.Equal(t, 1, add("b"))
	old := time.Now().Add(-2 * month)
	require.NoError(t, os.Chtimes(path(state, "b"), old, old))
	Clear(state, "a")
	require.Equal(t, 1, add("a"), "and what is old is gone")
	require.NoFileExists(t, path(state, "b"))
	Clear(state, "never added")

	require.NoError(t, os.WriteFile(filepath.Join(state, "file"), nil, 0o600))
	_, err := Add(filepath.Join(state, "file"), "a")
	require.Error(t, err)
}
