package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func TestPutRefuses(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	for name, tt := range map[string]struct {
		entry queue.Entry
		want  string
	}{
		"no session":         {queue.Entry{Content: "x"}, "needs a session"},
		"no content":         {queue.Entry{Session: "s"}, "content is empty"},
		"blank content":      {queue.Entry{Session: "s", Content: " \n\t"}, "content is empty"},
		"long content":       {queue.Entry{Session: "s", Content: strings.Repeat("x", 1<<20+1)}, "1048577 bytes"},
		"unknown strategy":   {queue.Entry{Session: "s", Content: "x", Strategy: "shout"}, `no strategy "shout"`},
		"matcher of no tool": {queue.Entry{Session: "s", Content: "x", Matcher: " | "}, "names no tool"},
		"M90 no targets": {queue.Entry{Session: "s", Content: "x", Agents: []string{}},
			"list of agents is empty"},
		"a nameless agent": {queue.Entry{Session: "s", Content: "x", Agents: []string{"a", ""}}, "has no name"},
		"broken agent":     {queue.Entry{Session: "s", Content: "x", Agents: []string{"\xff"}}, "not valid UTF-8"},
		"broken session":   {queue.Entry{Session: "\xff", Content: "x"}, "not valid UTF-8"},
		"expired when queued": {queue.Entry{Session: "s", Content: "x", Expires: time.Now().Add(-time.Second)},
			"expired"},
		"no year that is JSON": {queue.Entry{Session: "s", Content: "x",
			Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "year"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := q.Put(ctx, tt.entry)
			require.ErrorContains(t, err, tt.want)
		})
	}
	left, err := os.ReadDir(q.Dir)
	require.NoError(t, err)
	require.Empty(t, left, "what is refused leaves nothing")
}

func TestPutCompletes(t *testing.T) {
	q := queue.Queue{Dir: filepath.Join(t.TempDir(), "not", "there", "yet")}
	expires := time.Now().Add(time.Hour)
	e, err := q.Put(ctx, queue.Entry{ID: "mine", Session: "s1", Agents: []string{"b", "a", "b"}, Matcher: "shell",
		Source:  " Human\n",
		Content: "a \xff b", Expires: expires})
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{16}-[0-9a-f]{8}$`, e.ID)
	require.Equal(t, []string{"b", "a"}, e.Agents, "duplicates are folded")
	require.Equal(t, "human", e.Source, "M90 the source is trimmed and in lower case")
	require.Equal(t, "a \uFFFD b", e.Content)
	require.Equal(t, "tool_result", e.Strategy)
	require.WithinDuration(t, time.Now(), e.Created, time.Minute)
	require.True(t, e.Expires.Equal(expires))

	c, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Equal(t, []queue.Entry{e}, c.Entries, "what is delivered is what Put returned")

	whole := put(t, q, queue.Entry{Content: strings.Repeat("\x01", 1<<20), Strategy: "user_message",
		Expires: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)})
	waiting, err := q.Waiting(ctx, session)
	require.NoError(t, err)
	require.Len(t, waiting, 2)
	require.Equal(t, whole, waiting[1])
}

func TestClaim(t *testing.T) {
	for name, tt := range map[string]struct {
		entries     []queue.Entry
		agent, tool string
		want        []string
		left        []string
	}{
		"another tool": {entries: []queue.Entry{{Content: "1", Matcher: "x"}}, tool: "xy",
			left: []string{"1"}},
		"in order": {entries: []queue.Entry{{Content: "1"}, {Content: "2"}, {Content: "3"}},
			want: []string{"1", "2", "3"}},
		"M90 target": {entries: []queue.Entry{{Content: "1", Agents: []string{"a"}},
			{Content: "2", Agents: []string{"b"}}}, agent: "a", want: []string{"1"}, left: []string{"2"}},
		"the only agent": {entries: []queue.Entry{{Content: "1", Agents: []string{"a"}}, {Content: "2"}},
			want: []string{"2"}, left: []string{"1"}},
		"case": {entries: []queue.Entry{{Content: "1", Agents: []string{"A"}}}, agent: "a",
			left: []string{"1"}},
		"matcher": {entries: []queue.Entry{{Content: "1", Agents: []string{"a"},
			Matcher: "Write | mcp__*"}}, agent: "a", tool: "mcp__x", want: []string{"1"}},
		"M75 no match is kept": {entries: []queue.Entry{{Content: "1", Agents: []string{"a"}, Matcher: "write"},
			{Content: "2", Agents: []string{"a"}}}, agent: "a", tool: "Write", want: []string{"2"},
			left: []string{"1"}},
		"broadcast and matcher": {entries: []queue.Entry{{Content: "1", Matcher: "x"}}, agent: "a", tool: "y",
			left: []string{"1"}},
		"several": {entries: []queue.Entry{{Content: "1", Agents: []string{"b", "a"}}}, agent: "a",
			want: []string{"1"}, left: []string{"1"}},
		"long names": {entries: []queue.Entry{
			{Content: "1", Agents: []string{strings.Repeat("Ä", 300), "a"},
				Matcher: strings.Repeat("x|", 500) + "shell"},
			{Content: "2", Agents: []string{strings.Repeat("Ä", 300)}},
			{Content: "3", Matcher: strings.Repeat("x|", 500)},
		}, agent: strings.Repeat("Ä", 300), tool: "shell", want: []string{"1", "2"}, left: []string{"1", "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			q := queue.Queue{Dir: t.TempDir()}
			for _, e := range tt.entries {
				put(t, q, e)
			}
			require.Equal(t, tt.want, deliver(t, q, tt.agent, tt.tool))
			require.Nil(t, deliver(t, q, tt.agent, tt.tool), "each once")
			waiting, err := q.Waiting(ctx, session)
			require.NoError(t, err)
			require.Equal(t, tt.left, contents(waiting))
			gone(t, q)
		})
	}
	t.Run("no session", func(t *testing.T) {
		_, err := new(queue.Queue).Claim(ctx, "", "a", "shell")
		require.ErrorContains(t, err, "needs a session")
	})
}

// No two sessions or agents meet, whatever they are called.
func TestNamesApart(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	names := []string{"a", "A", "%41", "..", ".", "a/b", "a\\b", "con", "@", "+", "a,b", " ", strings.Repeat("x", 400),
		strings.Repeat("x", 401)}
	for _, name := range names {
		_, err := q.Put(ctx, queue.Entry{Session: name, Agents: []string{name}, Content: "text"})
		require.NoError(t, err)
	}
	for _, session := range names {
		for _, agent := range names {
			c, err := q.Claim(ctx, session, agent, "shell")
			require.NoError(t, err)
			require.Equal(t, session == agent, c != nil)
			require.NoError(t, c.Done(ctx))
		}
	}
	left, err := os.ReadDir(q.Dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "nobody left the folders history and queue")
}

// A claim keeps others off until it ends.
func TestClaimsApart(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
	put(t, q, queue.Entry{Content: "2"})
	put(t, q, queue.Entry{Content: "3", Agents: []string{"a", "b"}})
	c, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3"}, contents(c.Entries))
	all, err := q.DrainAll(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"3"}, contents(all.Entries), "b's share; the broadcast is just being seen")
	require.Equal(t, []string{"b"}, all.Entries[0].Agents)
	require.NoError(t, all.Release(ctx))
	put(t, q, queue.Entry{Content: "4"})

	require.Equal(t, []string{"4"}, deliver(t, q, "a", "shell"))
	require.Equal(t, []string{"2", "3", "4"}, deliver(t, q, "b", "shell"), "others are not kept off")
	all, err = q.DrainAll(ctx, session)
	require.NoError(t, err)
	require.Nil(t, all)
	waiting, err := q.Waiting(ctx, session)
	require.NoError(t, err)
	require.Empty(t, waiting, "somebody has the broadcasts")

	require.NoError(t, c.Release(ctx))
	put(t, q, queue.Entry{Content: "5", Agents: []string{"a"}})
	c, err = q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3", "5"}, contents(c.Entries), "what went back is first in line")
	require.NoError(t, c.Done(ctx))
	require.NoError(t, c.Release(ctx), "after Done it has nothing to put back")
	require.NoError(t, c.Done(ctx))
	require.Nil(t, deliver(t, q, "a", "shell"))
	gone(t, q)

	c = nil
	require.NoError(t, c.Done(ctx))
	require.NoError(t, c.Release(ctx))
}

func TestExpiry(t *testing.T) {
	soon := time.Now().Add(time.Hour)
	fresh := func(t *testing.T, entries ...queue.Entry) queue.Queue {
		q := queue.Queue{Dir: t.TempDir()}
		for _, e := range entries {
			e.Expires = soon
			put(t, q, e)
		}
		return q
	}
	expired := func(t *testing.T, c *queue.Claim, err error) []queue.Entry {
		require.NoError(t, err)
		require.NotNil(t, c)
		require.Empty(t, c.Entries)
		require.NoError(t, c.Done(ctx))
		return c.Expired
	}

	t.Run("M75 delivered until then", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1"})
		defer queue.SetNow(func() time.Time { return soon })()
		require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"), "now > expires")
	})
	t.Run("said once, to whoever looks next", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1", Agents: []string{"b"}, Matcher: "x"})
		later(t)
		waiting, err := q.Waiting(ctx, session)
		require.NoError(t, err)
		require.Empty(t, waiting)
		c, err := q.Claim(ctx, session, "a", "shell")
		require.Equal(t, []string{"1"}, contents(expired(t, c, err)))
		require.Nil(t, deliver(t, q, "b", "x"))
		gone(t, q)
	})
	t.Run("said again after Release", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1"})
		later(t)
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		require.NoError(t, c.Release(ctx))
		c, err = q.Drain(ctx, session, "b")
		require.Equal(t, []string{"1"}, contents(expired(t, c, err)))
		_, err = os.Stat(filepath.Join(q.Dir, "queue", session))
		require.Equal(t, queue.Removable, os.IsNotExist(err))
	})
	t.Run("names who was not reached", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1", Agents: []string{"a", "b", "c"}})
		deliver(t, q, "b", "shell")
		later(t)
		c, err := q.DrainAll(ctx, session)
		got := expired(t, c, err)
		require.Equal(t, []string{"a", "c"}, got[0].Agents)
	})
	t.Run("of a broadcast that somebody saw is no loss", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1"})
		deliver(t, q, "b", "shell")
		later(t)
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		require.Nil(t, c)
		waiting, err := q.Waiting(ctx, session)
		require.NoError(t, err)
		require.Empty(t, waiting)
		gone(t, q)
	})
	t.Run("while it is delivered it is in time", func(t *testing.T) {
		q := fresh(t, queue.Entry{Content: "1"})
		held, err := q.Claim(ctx, session, "b", "shell")
		require.NoError(t, err)
		later(t)
		require.Nil(t, deliver(t, q, "a", "shell"))
		require.NoError(t, held.Release(ctx))
		c, err := q.Claim(ctx, session, "a", "shell")
		require.Equal(t, []string{"1"}, contents(expired(t, c, err)))
	})
}

func TestDrain(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}, Matcher: "never"})
	put(t, q, queue.Entry{Content: "2", Matcher: "never"})
	put(t, q, queue.Entry{Content: "3", Agents: []string{"b", "c", "a"}})
	put(t, q, queue.Entry{Content: "4"})
	require.Equal(t, []string{"3", "4"}, deliver(t, q, "c", "shell"))

	c, err := q.Drain(ctx, session, "a")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3", "4"}, contents(c.Entries))
	require.NoError(t, c.Release(ctx))

	c, err = q.DrainAll(ctx, session)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3"}, contents(c.Entries))
	require.Equal(t, []string{"b", "a"}, c.Entries[2].Agents)
	require.NoError(t, c.Done(ctx))
	for _, agent := range []string{"a", "b"} {
		require.Equal(t, []string{"4"}, deliver(t, q, agent, "shell"), "a broadcast that only c has seen")
	}
	require.Equal(t, []string{"4"}, deliver(t, q, "d", "never"))
	n, err := q.Clear(ctx, session)
	require.NoError(t, err)
	require.Zero(t, n, "somebody had the broadcast")
	require.Nil(t, deliver(t, q, "e", "never"))
	gone(t, q)
}

// Each of four agents is given each broadcast once, though three readers at a time work for it.
func TestBroadcast(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	const broadcasts = 20
	var lock sync.Mutex
	got := map[string][]string{}
	var all sync.WaitGroup
	for i := range broadcasts {
		put(t, q, queue.Entry{Content: fmt.Sprint(i)})
	}
	for _, agent := range []string{"", "a", "b", "c"} {
		for range 3 {
			all.Go(func() {
				c, err := q.Claim(ctx, session, agent, "shell")
				if err != nil {
					t.Error(err)
				}
				if c != nil {
					lock.Lock()
					got[agent] = append(got[agent], contents(c.Entries)...)
					lock.Unlock()
					if err := c.Done(ctx); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for agent, texts := range got {
		require.Len(t, texts, broadcasts, agent)
		slices.Sort(texts)
		require.Len(t, slices.Compact(texts), broadcasts, agent)
	}
	require.Len(t, got, 4)
}

// The order is that of Put, also when the clock goes backwards.
func TestClockBackwards(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	start := time.Now()
	var ids []string
	for i := range 10 {
		restore := queue.SetNow(func() time.Time { return start.Add(-time.Duration(i) * time.Hour) })
		ids = append(ids, put(t, q, queue.Entry{Content: fmt.Sprint(i)}).ID)
		restore()
	}
	require.True(t, slices.IsSorted(ids))
	require.Equal(t, strings.Fields("0 1 2 3 4 5 6 7 8 9"), deliver(t, q, "a", "shell"))

	// A lock file that somebody emptied only loses the last order.
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "queue", session, "lock"), []byte("?"), 0o600))
	put(t, q, queue.Entry{Content: "on"})
	require.Equal(t, []string{"on"}, deliver(t, q, "a", "shell"))
}

func TestDeliveryHasAnEnd(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	large := strings.Repeat("x", 1<<20)
	for range 10 {
		put(t, q, queue.Entry{Content: large, Agents: []string{"a"}})
	}
	put(t, q, queue.Entry{Content: "last", Agents: []string{"a"}})
	require.Len(t, deliver(t, q, "a", "shell"), 7) // with what is written around the texts
	second := deliver(t, q, "a", "shell")
	require.Equal(t, "last", second[len(second)-1])
	require.Len(t, second, 4)
	for range 10 {
		put(t, q, queue.Entry{Content: large, Agents: []string{"a"}})
	}
	c, err := q.Drain(ctx, session, "a")
	require.NoError(t, err)
	require.Len(t, c.Entries, 10)
	require.NoError(t, c.Done(ctx))
}

// A matcher is for tools by any of their names, and is no regular expression. A name that no matcher is held against
// keeps nothing back.
func TestMatchersOfTools(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	for _, matcher := range []string{"^shell$", "(a)", `a\b`} {
		_, err := q.Put(ctx, queue.Entry{Session: "s", Content: "x", Matcher: matcher})
		require.ErrorContains(t, err, "matchers are globs: shell|Bash")
	}
	for _, tools := range [][]string{{"Agent", "Task"}, {strings.Repeat("a", 2000)}} {
		_, err := q.Put(ctx, queue.Entry{Session: "s", Content: "x", Matcher: "Task"})
		require.NoError(t, err)
		claim, err := q.Claim(ctx, "s", "a", "Agent", "delegate")
		require.NoError(t, err)
		require.Nil(t, claim)
		claim, err = q.Claim(ctx, "s", "a", tools...)
		require.NoError(t, err)
		require.Len(t, claim.Entries, 1)
		require.NoError(t, claim.Done(ctx))
	}
}
