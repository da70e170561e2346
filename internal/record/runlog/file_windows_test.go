package runlog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// Who reads a log may hold it open in the usual way, which keeps it from being renamed. It grows over its size then,
// and nothing is lost; it is rotated as soon as the reader is gone.
func TestReaderOfTheLog(t *testing.T) {
	l := newLog(t, Options{Path: filepath.Join(t.TempDir(), "run.log")})
	l.maxSize = 1
	require.NoError(t, l.Append(numbered("1")))
	reader, err := os.Open(l.path)
	require.NoError(t, err)
	require.ErrorContains(t, l.Append(numbered("2")), "it grows over its size: ")
	require.Equal(t, []string{"1", "2"}, ids(t, l.path))
	require.NoError(t, reader.Close())
	require.NoError(t, l.Append(numbered("3")))
	require.Equal(t, []string{"3"}, ids(t, l.path))
	require.Equal(t, []string{"1", "2"}, ids(t, l.part(1)))
	for _, path := range []string{l.path, l.part(1)} {
		require.NoError(t, owner.CheckPrivate(path), "another user can read it")
	}
}
