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
	dir := filepath.Join(t.TempDir(), "state")
	store := &Store{Dir: dir}
	add := func(key, level string) int {
		n, err := store.Blocked(key, level, "why\nso", false)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1, add("a", "user"))
	require.Equal(t, 2, add("a", "user"))
	require.Equal(t, 1, add("a", "project"))
	require.Equal(t, 1, add("b", "user"))
	old := time.Now().Add(-2 * month)
	require.NoError(t, os.Chtimes(store.path("b"), old, old))
	store.Clear("a")
	require.Equal(t, 1, add("a", "user"), "and what is old is gone")
	require.NoFileExists(t, store.path("b"))
	store.Clear("never added")
	store.Prompted("never added", "go")
	require.NoFileExists(t, store.path("never added"))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err := (&Store{Dir: filepath.Join(dir, "file")}).Blocked("a", "user", "", false)
	require.Error(t, err)
}

// The memory is bounded.
func TestMemory(t *testing.T) {
	t.Parallel()
	var store Store
	for i := range maxKeys {
		_, _ = store.Blocked(string(rune(i+0xe000)), "user", "why", false)
	}
	require.Len(t, store.memory, maxKeys)
	n, err := store.Blocked("one more", "user", "why", false)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Len(t, store.memory, 1)
}
