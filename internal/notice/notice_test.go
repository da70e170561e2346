package notice_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/notice"
)

func TestFirst(t *testing.T) {
	state := t.TempDir()
	require.True(t, notice.First(state, "s", "a\nb"))
	require.False(t, notice.First(state, "s", "a\nb"))
	require.True(t, notice.First(state, "s", "b"))
	require.False(t, notice.First(state, "s", "a\nb"))
	require.True(t, notice.First(state, "", "a"))
	require.True(t, notice.First(state, "", "a"))

	files, err := filepath.Glob(filepath.Join(state, notice.Folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	old := time.Now().Add(-31 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(files[0], old, old))
	require.True(t, notice.First(state, "other", "a"))
	require.NoFileExists(t, files[0])
	require.True(t, notice.First(filepath.Join(files[0], "x"), "s", "a"), "nothing can be written: it is said")
}
