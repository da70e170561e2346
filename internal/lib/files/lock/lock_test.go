package lock_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	try := func(f *os.File) bool {
		free, err := lock.Try(f)
		require.NoError(t, err)
		return free
	}
	require.NoError(t, lock.Lock(first))
	require.False(t, try(second))
	require.ErrorContains(t, lock.LockWithin(t.Context(), second, time.Millisecond),
		"another process has locked it for 1ms")
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, lock.LockWithin(ended, second, time.Hour), context.Canceled)
	held, err := lock.Held(path)
	require.NoError(t, err)
	require.True(t, held)
	require.NoError(t, lock.Unlock(first))
	held, err = lock.Held(path)
	require.NoError(t, err)
	require.False(t, held)
	held, err = lock.Held(path + ".none")
	require.NoError(t, err)
	require.False(t, held)
	require.True(t, try(second))
	require.False(t, try(first))
	waited := make(chan error)
	go func() { waited <- lock.Lock(first) }()
	require.NoError(t, second.Close())
	require.NoError(t, <-waited)
	require.False(t, try(open()))
	require.Error(t, lock.Lock(second), "it is closed")
}
