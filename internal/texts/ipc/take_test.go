package ipc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of two payloads that are put back, or that the writer puts there meanwhile, the later one stays, whoever comes first.
func TestPutBackTheLater(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name                  string
		taken, there          time.Time
		takenNumber, inNumber int
		stays                 int
	}{
		{"another reader put back an earlier one", now.Add(time.Second), now, 2, 1, 2},
		{"the writer wrote a later one", now, now.Add(time.Second), 1, 2, 2},
		{"a writer that begins anew", now, now.Add(time.Second), 7, 1, 1},
		{"in one moment, the earlier one is there", now, now, 2, 1, 2},
		{"in one moment, the later one is there", now, now, 1, 2, 2},
		{"nothing is there", now, time.Time{}, 1, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name string, number int, at time.Time) string {
				path := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `{"sequence":%d}`, number), 0o600))
				require.NoError(t, os.Chtimes(path, at, at))
				return path
			}
			path := filepath.Join(dir, FileName)
			if c.inNumber > 0 {
				put(FileName, c.inNumber, c.there)
			}
			putBack(put("x.taken", c.takenNumber, c.taken), path)
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.JSONEq(t, fmt.Sprintf(`{"sequence":%d}`, c.stays), string(left))
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 1, "nothing is left beside it")
		})
	}
}

// A text that was put back is not lost to a later one of hookrun's for the same tools.
func TestPutBackBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	taken, path := filepath.Join(dir, "x.taken"), filepath.Join(dir, FileName)
	require.NoError(t, os.WriteFile(taken, []byte(`{"inject":{"content":"theirs"},"sequence":7}`), 0o600))
	past := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(taken, past, past))
	_, err := (&Writer{Dir: dir}).Write("ours", "", 0)
	require.NoError(t, err)
	putBack(taken, path)
	content, found, warnings := Memory{}.Take(dir, "t")
	require.Empty(t, warnings)
	require.True(t, found)
	require.Equal(t, "theirs\n\nours", content)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}
