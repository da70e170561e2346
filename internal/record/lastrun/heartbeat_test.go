package lastrun_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/lastrun"
)

func TestBeatDue(t *testing.T) {
	dir := t.TempDir()
	require.True(t, lastrun.BeatDue(dir, "facts"))
	require.False(t, lastrun.BeatDue(dir, "facts"))
	require.True(t, lastrun.BeatDue(dir, "other facts"))
	files, err := filepath.Glob(filepath.Join(dir, "heartbeat", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, ago := range []time.Duration{61 * time.Minute, -2 * time.Hour} { // the clock was set back
		for _, f := range files {
			require.NoError(t, os.Chtimes(f, time.Now().Add(-ago), time.Now().Add(-ago)))
		}
		var due atomic.Int32
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if lastrun.BeatDue(dir, "facts") {
					due.Add(1)
				}
			})
		}
		all.Wait()
		require.Equal(t, int32(1), due.Load())
	}
	lastrun.ForgetBeats(dir)
	require.True(t, lastrun.BeatDue(dir, "facts"))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.False(t, lastrun.BeatDue(file, "facts"), "no state, no heartbeat")
}

func TestCanary(t *testing.T) {
	dir := t.TempDir()
	require.Nil(t, lastrun.LastCanary(dir, "claude", "/w"))
	c := lastrun.Canary{Time: time.Now().UTC(), OK: true, What: "blocks"}
	require.NoError(t, lastrun.RecordCanary(dir, "claude", "/w", c))
	require.Equal(t, &c, lastrun.LastCanary(dir, "claude", "/w"))
	require.Nil(t, lastrun.LastCanary(dir, "claude", "/other"))
	require.Nil(t, lastrun.LastCanary(dir, "codex", "/w"))
	files, err := filepath.Glob(filepath.Join(dir, "last-run", "*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], []byte(`{"time":1`), 0o600))
	require.Nil(t, lastrun.LastCanary(dir, "claude", "/w"))
}
