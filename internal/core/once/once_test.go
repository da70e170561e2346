package once_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/once"
)

func TestFirst(t *testing.T) {
	state := t.TempDir()
	require.True(t, once.First(state, "s", "a\nb"))
	require.False(t, once.First(state, "s", "a\nb"))
	require.True(t, once.First(state, "s", "b"))
	require.False(t, once.First(state, "s", "a\nb"))
	require.True(t, once.First(state, "", "a"))
	require.True(t, once.First(state, "", "a"))

	files, err := filepath.Glob(filepath.Join(state, once.Folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	old := time.Now().Add(-31 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(files[0], old, old))
	require.True(t, once.First(state, "other", "a"))
	require.NoFileExists(t, files[0])
	require.True(t, once.First(filepath.Join(files[0], "x"), "s", "a"), "nothing can be written: it is said")
}
