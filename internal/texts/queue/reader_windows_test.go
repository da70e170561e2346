package queue_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

// Somebody may hold the files of a queue open in a way that keeps them from being renamed. What cannot be taken stays,
// and is delivered once when they are closed.
func TestReaderOfTheQueue(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
	files, err := filepath.Glob(filepath.Join(q.Dir, "queue", "*", "entries", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	reader, err := os.Open(files[0])
	require.NoError(t, err)
	c, err := q.Claim(ctx, session, "a", "shell")
	require.Error(t, err)
	require.Nil(t, c)
	put(t, q, queue.Entry{Content: "two", Agents: []string{"a"}}) // writers go on
	require.NoError(t, reader.Close())
	c, err = q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Len(t, c.Entries, 2)

	// The delivery is recorded also while its history is read, and while somebody looks at a file of it.
	taken, err := filepath.Glob(filepath.Join(q.Dir, "queue", "*", "claims", "*", "*-*"))
	require.NoError(t, err)
	require.NotEmpty(t, taken)
	reader, err = os.Open(taken[0])
	require.NoError(t, err)
	require.NoError(t, c.Done(ctx))
	require.NoError(t, reader.Close())
	c, err = q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Nil(t, c)
	records, err := q.History(ctx, session)
	require.NoError(t, err)
	require.Len(t, records, 2)
}
