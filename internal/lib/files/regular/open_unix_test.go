//go:build unix

package regular

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestOpenOfANamedPipe: a pipe that is put at the path after the look at it must not be waited for.
func TestOpenOfANamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	opened := make(chan error, 1)
	go func() {
		file, err := Open(path)
		if err == nil {
			err = file.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it waits for a writer")
	}
}
