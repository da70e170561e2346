package atomic

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client may have its settings open while they are replaced.
func TestReplaceWhileItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("a"), 0o600))
	reader, err := os.Open(path)
	require.NoError(t, err)
	replaced := make(chan error)
	go func() { replaced <- Replace(path, nil, "b") }()
	for tried := 0; tried < 3; { // the temporary file is there while it is tried
		all, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		if len(all) > 1 {
			tried++
		}
	}
	require.NoError(t, reader.Close())
	require.NoError(t, <-replaced)
	requireAlone(t, path, "b")
}
