package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func init() {
	roles["put file"] = func(r role) error {
		steps := queue.DieAtStep(r.Step)
		if _, err := r.queue().PutFile(ctx, staged(r.Dir)); err != nil {
			return err
		}
		fmt.Println("lived", steps())
		return nil
	}
}

func staged(dir string) string { return filepath.Join(dir, "staged") }

// stage writes the file of an entry.
func stage(t *testing.T, q queue.Queue, e queue.Entry) {
	text, err := queue.Encode(e)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(staged(q.Dir), text, 0o600))
}

// TestPutFile: the entry is that of Put, and the file is gone.
func TestPutFile(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	created := time.Unix(1_700_000_000, 123).UTC()
	want := queue.Entry{Session: session, Content: "new", Agents: []string{"a"}, Source: "me", Created: created}
	stage(t, q, want)
	got, err := q.PutFile(ctx, staged(q.Dir))
	require.NoError(t, err)
	want.Strategy, want.ID = "tool_result", got.ID
	require.Equal(t, want, got)
	waiting, err := q.Waiting(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []queue.Entry{want}, waiting)
	require.NoFileExists(t, staged(q.Dir))

	_, err = queue.Encode(queue.Entry{Session: session})
	require.ErrorContains(t, err, "the content is empty")
	_, err = q.PutFile(ctx, staged(q.Dir))
	require.ErrorIs(t, err, os.ErrNotExist)
	stage(t, q, want)
	text, err := os.ReadFile(staged(q.Dir))
	require.NoError(t, err)
	text[20] ^= 1
	require.NoError(t, os.WriteFile(staged(q.Dir), text, 0o600))
	_, err = q.PutFile(ctx, staged(q.Dir))
	require.ErrorContains(t, err, "its checksum is that of another text")
}

// TestPutFileDeath: after a death at any step the entry is in the queue if the file is gone, and else it is not.
func TestPutFileDeath(t *testing.T) {
	dieAtEach(t, "put file", func(t *testing.T, q queue.Queue) {
		stage(t, q, queue.Entry{Session: session, Content: "new"})
	}, func(t *testing.T, q queue.Queue) {
		if _, err := os.Lstat(staged(q.Dir)); err == nil {
			_, err := q.PutFile(ctx, staged(q.Dir))
			require.NoError(t, err)
		}
		require.Equal(t, []string{"new"}, deliver(t, q, "a", "shell"))
		require.Empty(t, deliver(t, q, "a", "shell"))
	})
}

// TestEnded: entries that were taken, and only if the history is newer than the caller's last look.
func TestEnded(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	none, err := q.Ended(session, time.Time{})
	require.NoError(t, err)
	require.Empty(t, none)
	put(t, q, queue.Entry{Content: "one"})
	require.Equal(t, []string{"one"}, deliver(t, q, "a", "shell"))
	put(t, q, queue.Entry{Content: "two"})
	ended, err := q.Ended(session, time.Time{})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Equal(t, "one", ended[0].Content)
	require.Equal(t, queue.Delivered, ended[0].Events[1].Status)
	none, err = q.Ended(session, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, none)
}
