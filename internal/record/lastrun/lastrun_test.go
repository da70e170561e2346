package lastrun_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/lastrun"
)

func TestLastRun(t *testing.T) {
	state := filepath.Join(t.TempDir(), "hookrun")
	at, err := lastrun.Time(state, "claude", "/project")
	require.NoError(t, err)
	require.True(t, at.IsZero())

	require.NoError(t, lastrun.Record(state, "claude", "/project"))
	files, err := os.ReadDir(filepath.Join(state, lastrun.Folder))
	require.NoError(t, err)
	require.Len(t, files, 1)
	old := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(state, lastrun.Folder, files[0].Name()), old, old))
	at, err = lastrun.Time(state, "claude", "/project")
	require.NoError(t, err)
	require.WithinDuration(t, old, at, time.Second)

	require.NoError(t, lastrun.Record(state, "claude", "/project"))
	at, err = lastrun.Time(state, "claude", "/project")
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, time.Minute)
	for client, workspace := range map[string]string{"codex": "/project", "claude": "/other"} {
		at, err = lastrun.Time(state, client, workspace)
		require.NoError(t, err)
		require.True(t, at.IsZero())
	}
}

func TestStateThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, lastrun.Record(file, "claude", "/project"))
}

func BenchmarkRecord(b *testing.B) {
	state := b.TempDir()
	for b.Loop() {
		if err := lastrun.Record(state, "claude", "/project"); err != nil {
			b.Fatal(err)
		}
	}
}
