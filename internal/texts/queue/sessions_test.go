package queue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func TestSessions(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	sessions, err := q.Sessions()
	require.NoError(t, err)
	require.Empty(t, sessions)

	long := strings.Repeat("long ", 100)
	for _, s := range []string{"waits", "A b/ü", long + "waits", "read", long + "read"} {
		_, err := q.Put(t.Context(), queue.Entry{Session: s, Content: "text", Agents: []string{"a"}})
		require.NoError(t, err)
		if strings.HasSuffix(s, "read") { // then the history alone is left
			c, err := q.Drain(t.Context(), s, "a")
			require.NoError(t, err)
			require.NoError(t, c.Done(t.Context()))
		}
	}
	// What is not a session's: of a file manager's, and a folder whose name nobody can read.
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "queue", ".DS_Store"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(q.Dir, "queue", "%%0"), 0o700))
	// A history that was continued in another file is one session.
	history := filepath.Join(q.Dir, "history", "read")
	text, err := os.ReadFile(history)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(history+".1", text, 0o600))

	sessions, err = q.Sessions()
	require.NoError(t, err)
	require.Equal(t, []string{"A b/ü", long + "read", long + "waits", "read", "waits"}, sessions)
}
