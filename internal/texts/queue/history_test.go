package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// told is the history in short: for each entry its beginning, its status, and what happened to it.
func told(t *testing.T, q queue.Queue) (all []string) {
	t.Helper()
	records, err := q.History(ctx, session)
	require.NoError(t, err)
	for _, r := range records {
		text := r.Content + " " + string(r.Status)
		if r.Waiting {
			text += " waiting"
		}
		for _, e := range r.Events[1:] {
			text += fmt.Sprintf(", %s", e.Status)
			if e.Agent != nil {
				text += " " + *e.Agent
			}
			text += strings.TrimRight(" "+e.Tool+" "+e.ToolUseID, " ")
			require.False(t, e.At.IsZero())
		}
		require.Equal(t, queue.Queued, r.Events[0].Status)
		require.Equal(t, r.Created, r.Events[0].At)
		all = append(all, text)
	}
	return all
}

func TestHistory(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	require.Empty(t, told(t, q))
	everyKind(t, q)
	require.Equal(t, []string{"one queued waiting", "late queued waiting", "all delivered, delivered b shell",
		"two queued waiting", "both queued waiting, delivered b shell"}, told(t, q))

	c, err := q.Claim(ctx, session, "a", "fs_read")
	require.NoError(t, err)
	require.NoError(t, c.Release(ctx))
	c, err = q.Claim(ctx, session, "a", "fs_read")
	require.NoError(t, err)
	c.ToolUseID = "toolu_1"
	require.NoError(t, c.Done(ctx))
	require.NoError(t, c.Done(ctx))
	require.NoError(t, c.Release(ctx))
	require.Equal(t, []string{"one delivered, delivered a fs_read toolu_1",
		"late delivered, delivered a fs_read toolu_1",
		"all delivered, delivered b shell, delivered a fs_read toolu_1",
		"two delivered, delivered a fs_read toolu_1",
		"both delivered, delivered b shell, delivered a fs_read toolu_1"}, told(t, q))

	put(t, q, queue.Entry{Content: "taken back", Agents: []string{"a"}})
	c, err = q.TakeBackLatest(ctx, session)
	require.NoError(t, err)
	require.NoError(t, c.Done(ctx))
	put(t, q, queue.Entry{Content: strings.Repeat("é", 500), Agents: []string{"a"}, Source: "Human"})
	put(t, q, queue.Entry{Content: "by file", Agents: []string{"c"}})
	c, err = q.Drain(ctx, session, "a")
	require.NoError(t, err)
	require.NoError(t, c.Done(ctx))
	c, err = q.Drain(ctx, session, "c")
	require.NoError(t, err)
	c.Deferred = true
	require.NoError(t, c.Done(ctx))
	records, err := q.History(ctx, session)
	require.NoError(t, err)
	require.Len(t, records, 8)
	for i, status := range []queue.Status{queue.Popped, queue.Drained, queue.Deferred} {
		require.Equal(t, status, records[5+i].Status)
	}
	require.Equal(t, 1000, records[6].Bytes)
	require.Less(t, len(records[6].Content), 210)
	require.Equal(t, "human", records[6].Source)

	_, err = q.Clear(ctx, session)
	require.NoError(t, err)
	require.Empty(t, told(t, q))
	gone(t, q)
}

// The history outlives the folder of a session, which goes with its last entry, and goes on when there is another.
func TestHistoryOfASessionThatIsDone(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	for n := 1; n <= 3; n++ {
		put(t, q, queue.Entry{Content: fmt.Sprint(n), Agents: []string{"a"}, Expires: time.Now().Add(time.Hour)})
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		require.NoError(t, c.Done(ctx))
		if queue.Removable {
			require.NoDirExists(t, filepath.Join(q.Dir, "queue", session))
		}
	}
	require.Equal(t, []string{"1 drained, drained a", "2 drained, drained a", "3 drained, drained a"}, told(t, q))
	put(t, q, queue.Entry{Content: "late", Expires: time.Now().Add(time.Hour)})
	later(t)
	require.Equal(t, "late expired, expired", told(t, q)[3], "before anybody has looked")
	c, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Equal(t, []string{"late"}, contents(c.Expired))
	require.NoError(t, c.Done(ctx))
	require.Equal(t, "late expired, expired", told(t, q)[3])
	gone(t, q)
}

func TestTakeBackLatest(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	pop := func() []string {
		c, err := q.TakeBackLatest(ctx, session)
		require.NoError(t, err)
		if c == nil {
			return nil
		}
		require.NoError(t, c.Done(ctx))
		return contents(c.Entries)
	}
	require.Nil(t, pop())
	everyKind(t, q)
	c, err := q.TakeBackLatest(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, c.Entries[0].Agents, "b has it")
	require.NoError(t, c.Release(ctx))
	require.Equal(t, []string{"both"}, pop())
	require.Equal(t, []string{"two"}, pop())
	require.Equal(t, []string{"all"}, pop(), "though b has seen it")
	require.Equal(t, []string{"one", "late"}, deliver(t, q, "a", "shell"))
	require.Nil(t, pop())
	gone(t, q)
}

// However often its end is begun again after a death, a delivery is in the history once; and a history that cannot be
// written holds none up.
func TestHistoryAfterDeath(t *testing.T) {
	dieAtEach(t, "done", everyKind, func(t *testing.T, q queue.Queue) {
		again, _ := claimed(t, q, "a")
		events := map[string]int{}
		records, err := q.History(ctx, session)
		require.NoError(t, err)
		for _, r := range records {
			for _, e := range r.Events {
				if e.Agent != nil && *e.Agent == "a" {
					events[r.Content]++
				}
			}
		}
		for _, content := range []string{"one", "all", "two", "both"} {
			require.Equal(t, 1, events[content], "%s; again: %v", content, again)
		}
		gone(t, q)
	})
	t.Run("drain all", func(t *testing.T) {
		dieAtEach(t, "drain all", func(t *testing.T, q queue.Queue) {
			put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
			put(t, q, queue.Entry{Content: "two", Agents: []string{"a", "b"}})
		}, func(t *testing.T, q queue.Queue) {
			c, err := q.DrainAll(ctx, session)
			require.NoError(t, err)
			require.NoError(t, c.Done(ctx))
			for i, content := range []string{"one", "two"} {
				require.Equal(t, content+" drained, drained", told(t, q)[i])
			}
			gone(t, q)
		})
	})
	t.Run("a file that is none", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
		put(t, q, queue.Entry{Content: "two", Agents: []string{"a"}, Matcher: "later"})
		require.NoError(t, os.MkdirAll(filepath.Join(q.Dir, "history", session, "x"), 0o700))
		require.Equal(t, []string{"one"}, deliver(t, q, "a", "shell"))
		require.Equal(t, []string{"two"}, deliver(t, q, "a", "later"))
		require.Empty(t, deliver(t, q, "a", "shell"))
	})
	t.Run("a line that was cut", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
		put(t, q, queue.Entry{Content: "stays", Agents: []string{"b"}})
		history := filepath.Join(q.Dir, "history", session)
		require.NoError(t, os.MkdirAll(filepath.Dir(history), 0o700))
		require.NoError(t, os.WriteFile(history, []byte(`{"claim":"x","entry":{"id":"1"`), 0o600))
		deliver(t, q, "a", "shell")
		require.Equal(t, []string{"one delivered, delivered a shell", "stays queued waiting"}, told(t, q))
	})
}

// A session that runs for ever has a history of bounded size.
func TestHistoryIsBounded(t *testing.T) {
	testall.Only(t, "it writes thousands of entries")
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "stays", Agents: []string{"b"}})
	last := ""
	for n := range 19 {
		for range 40 {
			last = fmt.Sprint(n)
			put(t, q, queue.Entry{Content: last + strings.Repeat(" x", 700), Agents: []string{"a"}})
		}
		require.Len(t, deliver(t, q, "a", "shell"), 40)
	}
	size := int64(0)
	for _, name := range []string{session, session + ".1"} {
		info, err := os.Stat(filepath.Join(q.Dir, "history", name))
		require.NoError(t, err)
		size += info.Size()
	}
	require.LessOrEqual(t, size, int64(2*(256<<10)+1))
	records, err := q.History(ctx, session)
	require.NoError(t, err)
	require.Greater(t, len(records), 80)
	require.True(t, strings.HasPrefix(records[len(records)-1].Content, last+" "))
	gone(t, q)
}
