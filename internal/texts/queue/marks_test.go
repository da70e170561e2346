package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// files lists the files of one of the session's folders.
func files(t *testing.T, q queue.Queue, elem ...string) (names []string) {
	entries, err := os.ReadDir(filepath.Join(append([]string{q.Dir, "queue", session}, elem...)...))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// What an agent has read has one mark, however much it is, and stands in nobody's way.
func TestReadBroadcasts(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	var all []string
	for i := range 20 {
		put(t, q, queue.Entry{Content: fmt.Sprint(i)})
		all = append(all, fmt.Sprint(i))
	}
	put(t, q, queue.Entry{Content: "both", Agents: []string{"a", "b"}})
	require.Equal(t, append(slices.Clip(all), "both"), deliver(t, q, "a", "shell"))
	require.Len(t, files(t, q, "entries"), 1, "the one that b waits for")
	require.Equal(t, []string{"a"}, files(t, q, "marks"))
	require.Empty(t, files(t, q, "seen"))
	waiting, err := q.Waiting(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"both"}, contents(waiting))
	require.Nil(t, deliver(t, q, "a", "shell"))

	put(t, q, queue.Entry{Content: "new"})
	require.Equal(t, slices.Concat(all, []string{"both", "new"}), deliver(t, q, "b", "shell"), "also what a had before")
	require.Empty(t, files(t, q, "entries"))
	require.Equal(t, []string{"new"}, deliver(t, q, "a", "shell"))
	require.Equal(t, append(slices.Clip(all), "new"), deliver(t, q, "late", "shell"))
	require.Equal(t, []string{"a", "b", "late"}, files(t, q, "marks"))
	for _, agent := range []string{"a", "b", "late"} {
		require.Nil(t, deliver(t, q, agent, "shell"))
	}
	gone(t, q)
}

// What was not due to an agent when later ones were waits on, wherever it is by then.
func TestBroadcastsOutOfTurn(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "write", Matcher: "fs_write"})
	put(t, q, queue.Entry{Content: "any"})
	require.Equal(t, []string{"any"}, deliver(t, q, "a", "shell"))
	require.Equal(t, []string{"write", "any"}, deliver(t, q, "b", "fs_write"))
	require.Equal(t, []string{"any"}, deliver(t, q, "c", "shell"))
	put(t, q, queue.Entry{Content: "last"})
	for _, agent := range []string{"a", "c"} {
		require.Equal(t, []string{"last"}, deliver(t, q, agent, "shell"))
		require.Equal(t, []string{"write"}, deliver(t, q, agent, "fs_write"))
		require.Nil(t, deliver(t, q, agent, "fs_write"))
	}
	gone(t, q)
}

// What comes back from a claim is new to those who were given later ones meanwhile.
func TestBroadcastThatComesBack(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1"})
	all, err := q.DrainAll(ctx, session)
	require.NoError(t, err)
	put(t, q, queue.Entry{Content: "2"})
	require.Equal(t, []string{"2"}, deliver(t, q, "a", "shell"))
	require.NoError(t, all.Release(ctx))
	require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"))
	popped, err := q.TakeBackLatest(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, contents(popped.Entries), "though a has it")
	require.NoError(t, popped.Release(ctx))
	require.Nil(t, deliver(t, q, "a", "shell"))
	require.Equal(t, []string{"1", "2"}, deliver(t, q, "b", "shell"))
	gone(t, q)
}

// Of read broadcasts the last thousand are kept for agents that come later, and those that a known agent has not read.
func TestReadBroadcastsAreThinnedOut(t *testing.T) {
	testall.Only(t, "it queues thousands of entries, each of which is synced to the disk")
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "first"})
	deliver(t, q, "idle", "shell")
	for i := range 3000 {
		put(t, q, queue.Entry{Content: fmt.Sprint(i)})
		if i%500 == 499 {
			deliver(t, q, "a", "shell")
		}
	}
	require.Len(t, files(t, q, "read"), 3000, "the one that all have is gone")
	require.Len(t, deliver(t, q, "idle", "shell"), 3000)
	for i := range 1000 {
		put(t, q, queue.Entry{Content: fmt.Sprint("more ", i)})
	}
	deliver(t, q, "a", "shell")
	deliver(t, q, "idle", "shell")
	put(t, q, queue.Entry{Content: "last"})
	deliver(t, q, "a", "shell")
	require.LessOrEqual(t, len(files(t, q, "read")), 2001)
}

// oldMarks makes a queue of what older versions of hookrun left: a file in seen for each entry that an agent has.
func oldMarks(t *testing.T, q queue.Queue, agent string, entries ...queue.Entry) {
	folder := filepath.Join(q.Dir, "queue", session, "seen", agent)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for _, e := range entries {
		require.NoError(t, os.WriteFile(filepath.Join(folder, e.ID), nil, 0o600))
	}
}

func TestMarksOfOlderVersions(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	one := put(t, q, queue.Entry{Content: "1"})
	put(t, q, queue.Entry{Content: "2", Matcher: "fs_write"})
	three := put(t, q, queue.Entry{Content: "3", Agents: []string{"a", "b"}})
	four := put(t, q, queue.Entry{Content: "4"})
	oldMarks(t, q, "a", one, three)
	oldMarks(t, q, "b", four)
	put(t, q, queue.Entry{Content: "5"})
	waiting, err := q.Waiting(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"2", "3", "5"}, contents(waiting))
	require.Equal(t, []string{"b"}, waiting[1].Agents)
	require.Empty(t, files(t, q, "seen"))
	require.Equal(t, []string{"4", "5"}, deliver(t, q, "a", "shell"))
	require.Equal(t, []string{"1", "3", "5"}, deliver(t, q, "b", "shell"))
	require.Equal(t, []string{"1", "4", "5"}, deliver(t, q, "c", "shell"))
	for _, agent := range []string{"a", "b", "c"} {
		require.Equal(t, []string{"2"}, deliver(t, q, agent, "fs_write"))
	}
	gone(t, q)
}

// A mark that somebody has broken is said, and holds up its agent's shares alone.
func TestDamagedMark(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1"})
	deliver(t, q, "a", "shell")
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "queue", session, "marks", "a"), []byte("?"), 0o600))
	put(t, q, queue.Entry{Content: "2"})
	put(t, q, queue.Entry{Content: "3", Agents: []string{"a"}})
	c, err := q.Claim(ctx, session, "a", "shell")
	require.ErrorContains(t, err, "does not say what its agent has read: remove it, and the agent gets all of it again")
	require.Equal(t, []string{"3"}, contents(c.Entries))
	require.NoError(t, c.Done(ctx))
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "queue", session, "marks", "a"), nil, 0o600))
	require.Equal(t, []string{"1", "2"}, deliver(t, q, "a", "shell"), "as after a crash of the system")
	gone(t, q)
}

// An order that was lost with the lock file is not taken for one that everybody has read.
func TestOrderAfterALostLock(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1"})
	deliver(t, q, "a", "shell")
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "queue", session, "lock"), nil, 0o600))
	defer queue.SetNow(func() time.Time { return time.Now().Add(-time.Hour) })()
	put(t, q, queue.Entry{Content: "2"})
	require.Equal(t, []string{"2"}, deliver(t, q, "a", "shell"))
}
