package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

func open(t *testing.T, dir string) *journal {
	t.Helper()
	j, err := openJournal(t.Context(), dir, "planner")
	require.NoError(t, err)
	t.Cleanup(j.close)
	return j
}

// aMessage is a message whose ID and text are the same.
func aMessage(id string) message {
	return message{id: id, published: time.Unix(100, 0), entry: queue.Entry{Session: "s1", Content: id}}
}

// waiting returns the texts in the queue.
func waiting(t *testing.T, dir string) (texts []string) {
	t.Helper()
	entries, err := (&queue.Queue{Dir: dir}).Waiting(t.Context(), "s1")
	require.NoError(t, err)
	for _, e := range entries {
		texts = append(texts, e.Content)
	}
	return texts
}

// TestJournalAfterDeath: whatever step of a text a bridge was killed at, the text is in the queue once.
func TestJournalAfterDeath(t *testing.T) {
	at := time.Unix(100, 1).UnixNano() // of two, as both were published at the same time
	for name, c := range map[string]struct {
		undo  func(t *testing.T, j *journal)
		known bool
	}{
		"before the text's file": {func(t *testing.T, j *journal) {
			require.NoError(t, j.file.Truncate(j.lineStart(t)))
			takeBack(t, j)
		}, false},
		"before the line": {func(t *testing.T, j *journal) {
			require.NoError(t, j.file.Truncate(j.lineStart(t)))
			stage(t, j, at, takeBack(t, j))
		}, false},
		"in the line": {func(t *testing.T, j *journal) {
			require.NoError(t, j.file.Truncate(j.size-5))
			stage(t, j, at, takeBack(t, j))
		}, false},
		"before the queue":           {func(t *testing.T, j *journal) { stage(t, j, at, takeBack(t, j)) }, true},
		"before the acknowledgement": {func(*testing.T, *journal) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := open(t, dir)
			require.NoError(t, j.put(t.Context(), aMessage("one")))
			require.NoError(t, j.put(t.Context(), aMessage("two")))
			c.undo(t, j)
			j.close()

			j = open(t, dir)
			require.True(t, j.has("one"))
			require.Equal(t, c.known, j.has("two"))
			if !c.known { // it comes again
				require.Equal(t, []string{"one"}, waiting(t, dir))
				require.NoError(t, j.put(t.Context(), aMessage("two")))
			}
			require.Equal(t, []string{"one", "two"}, waiting(t, dir))
			files, err := filepath.Glob(filepath.Join(j.folder, "*.text"))
			require.NoError(t, err)
			require.Empty(t, files)
			_, found := j.find("s1", at)
			require.True(t, found)
		})
	}
}

// lineStart returns where the last line begins.
func (j *journal) lineStart(t *testing.T) int64 {
	text, err := os.ReadFile(j.path())
	require.NoError(t, err)
	at := len(text) - 1
	for at > 0 && text[at-1] != '\n' {
		at--
	}
	return int64(at)
}

// takeBack takes the last text out of the queue and returns its entry.
func takeBack(t *testing.T, j *journal) queue.Entry {
	claim, err := j.queue.TakeBackLatest(t.Context(), "s1")
	require.NoError(t, err)
	require.NoError(t, claim.Done(t.Context()))
	return claim.Entries[0]
}

// stage writes the file of a text.
func stage(t *testing.T, j *journal, at int64, e queue.Entry) {
	content, err := queue.Encode(e)
	require.NoError(t, err)
	require.NoError(t, writeSynced(j.textFile(at), content))
}

// TestJournalContinues: a put that failed goes on where it failed.
func TestJournalContinues(t *testing.T) {
	testall.NotOnWindows(t, "it makes a folder that cannot be written to")
	dir := t.TempDir()
	j := open(t, dir)
	blocker := filepath.Join(dir, "queue")
	require.NoError(t, os.WriteFile(blocker, nil, 0o600))
	require.ErrorContains(t, j.put(t.Context(), aMessage("one")), "queueing for session")
	require.True(t, j.has("one"))
	require.NoError(t, os.Remove(blocker))
	require.NoError(t, j.put(t.Context(), aMessage("one")))
	require.Equal(t, []string{"one"}, waiting(t, dir))
	require.NoError(t, j.put(t.Context(), aMessage("two")))
	require.Equal(t, []string{"one", "two"}, waiting(t, dir))
}

// TestJournalForgets: the journal keeps the latest texts and the unreported ones of a month, and its file stays small.
func TestJournalForgets(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	j.remembered = 5
	refused := func(id string, published time.Time) message {
		return message{id: id, published: published, invalid: errors.New("no text")}
	}
	require.NoError(t, j.refuse(refused("old", time.Now().Add(-maxAge-time.Hour)), "rejected"))
	require.NoError(t, j.refuse(refused("unreported", time.Now().Add(-maxAge/2)), "rejected"))
	for i := range 60 {
		require.NoError(t, j.refuse(refused(fmt.Sprint(i), time.Now()), "rejected"))
		require.NoError(t, j.ended(j.texts[len(j.texts)-1].At))
	}
	require.Less(t, j.lines, 30)
	j.close()
	j = open(t, dir)
	for id, known := range map[string]bool{"old": false, "unreported": true, "0": false, "30": false, "55": true,
		"59": true} {
		require.Equal(t, known, j.has(id), id)
	}
	_, list := j.unreported()
	require.Len(t, list, 1)
	require.Equal(t, "unreported", list[0].ID)
}

// TestJournalRefuses: a second bridge, a damaged line, a damaged text, and a folder of others.
func TestJournalRefuses(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	_, err := openJournal(t.Context(), dir, "planner")
	require.EqualError(t, err, "a bridge for the agent planner runs already")
	other, err := openJournal(t.Context(), dir, "Planner")
	require.NoError(t, err)
	other.close()
	j.close()

	require.NoError(t, os.WriteFile(j.path(), []byte("{\"at\":1,\"id\":\"a\"}\nrubbish\n"), 0o600))
	_, err = openJournal(t.Context(), dir, "planner")
	require.ErrorContains(t, err, "has a damaged line at byte 18")
	require.NoError(t, os.WriteFile(j.path(), []byte("{\"at\":1,\"id\":\"a\"}\n"), 0o600))
	require.NoError(t, os.WriteFile(j.textFile(1), []byte("{"), 0o600))
	_, err = openJournal(t.Context(), dir, "planner")
	require.ErrorContains(t, err, "remove the file, and publish a with a new ID")
	require.NoError(t, os.Remove(j.textFile(1)))

	testall.NotOnWindows(t, "its folders have access lists")
	require.NoError(t, os.Chmod(j.folder, 0o777))
	_, err = openJournal(t.Context(), dir, "planner")
	require.ErrorContains(t, err, "others can put files into")
}
