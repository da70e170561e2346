package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

func TestClear(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	n, err := q.Clear(ctx, session)
	require.NoError(t, err)
	require.Zero(t, n)

	put(t, q, queue.Entry{Content: "1"})
	put(t, q, queue.Entry{Content: "2", Agents: []string{"a"}})
	held, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	put(t, q, queue.Entry{Content: "3", Agents: []string{"b", "c"}})
	n, err = q.Clear(ctx, session)
	require.NoError(t, err)
	require.Equal(t, 2, n, "not what is just being delivered")
	require.NoError(t, held.Release(ctx))
	require.Equal(t, []string{"2"}, deliver(t, q, "a", "shell"), "the broadcast is not put back")
	gone(t, q)
}

// The folder of a session goes with the last entry, and those who come meanwhile make it again.
func TestFolderGoes(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	each := testall.Of(10, 100)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range each {
				if _, err := q.Put(ctx, queue.Entry{Session: session, Agents: []string{"a"},
					Content: fmt.Sprint(w, " ", i)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	got := map[string]bool{}
	last := [4]int{-1, -1, -1, -1}
	for written := false; ; {
		select {
		case <-over:
			written = true
		default:
		}
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		if c == nil {
			if written {
				break
			}
			continue
		}
		for _, e := range c.Entries {
			require.False(t, got[e.Content], e.Content)
			got[e.Content] = true
			var w, i int
			_, err := fmt.Sscan(e.Content, &w, &i)
			require.NoError(t, err)
			require.Equal(t, last[w]+1, i, "writer %d", w)
			last[w] = i
		}
		require.NoError(t, c.Done(ctx))
	}
	require.Len(t, got, 4*each)
	left, err := os.ReadDir(filepath.Join(q.Dir, "queue"))
	require.NoError(t, err)
	require.Equal(t, queue.Removable, len(left) == 0)
}

// A file that somebody has damaged is said, kept, and in nobody's way.
func TestDamage(t *testing.T) {
	for name, tt := range map[string]struct {
		agents []string
		text   string
	}{
		"no JSON":        {[]string{"a"}, "{"},
		"no content":     {[]string{"a"}, `{"session":"s1","strategy":"tool_result","content":""}`},
		"empty":          {nil, ""},
		"wrong strategy": {[]string{"a", "b"}, `{"session":"s1","strategy":"?","content":"x"}`},
		"long name":      {[]string{"a", strings.Repeat("b", 200)}, "no entry"},
	} {
		t.Run(name, func(t *testing.T) {
			q := queue.Queue{Dir: t.TempDir()}
			put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
			bad := put(t, q, queue.Entry{Content: "2", Agents: tt.agents})
			put(t, q, queue.Entry{Content: "3"})
			files, err := filepath.Glob(filepath.Join(q.Dir, "queue", session, "entries", bad.ID+"*"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			require.NoError(t, os.WriteFile(files[0], []byte(tt.text), 0o600))

			waiting, err := q.Waiting(ctx, session)
			require.ErrorContains(t, err, bad.ID)
			require.Equal(t, []string{"1", "3"}, contents(waiting))

			c, err := q.Claim(ctx, session, "a", "shell")
			require.ErrorContains(t, err, filepath.Join("bad", bad.ID))
			require.Equal(t, []string{"1", "3"}, contents(c.Entries))
			require.NoError(t, c.Done(ctx))
			text, err := os.ReadFile(filepath.Join(q.Dir, "queue", session, "bad", filepath.Base(files[0])))
			require.NoError(t, err)
			require.Equal(t, tt.text, string(text))

			require.Nil(t, deliver(t, q, "a", "shell"), "said once")
			require.Equal(t, []string{"3"}, deliver(t, q, "b", "shell"))
			gone(t, q)
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		one := put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
		put(t, q, queue.Entry{Content: "2"})
		files, err := filepath.Glob(filepath.Join(q.Dir, "queue", session, "entries", one.ID+"*"))
		require.NoError(t, err)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.NoError(t, os.Remove(files[0]))
		require.NoError(t, os.Mkdir(files[0], 0o700))
		for _, want := range [][]string{{"2"}, nil} {
			c, err := q.Claim(ctx, session, "a", "shell")
			require.ErrorContains(t, err, "cannot be read")
			require.Equal(t, want == nil, c == nil)
			if c != nil {
				require.Equal(t, want, contents(c.Entries))
				require.NoError(t, c.Done(ctx))
			}
		}
		require.NoError(t, os.Remove(files[0]))
		require.NoError(t, os.WriteFile(files[0], text, 0o600))
		require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"), "it stayed")
		gone(t, q)
	})
	t.Run("what is no entry is left alone", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
		folder := filepath.Join(q.Dir, "queue", session)
		for _, file := range []string{"entries/.DS_Store", "entries/notes.txt", "claims/.DS_Store",
			"claims/notes.txt"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte("x"), 0o600))
		}
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		require.Equal(t, []string{"1"}, contents(c.Entries))
		require.NoError(t, c.Done(ctx))
		require.FileExists(t, filepath.Join(folder, "entries", "notes.txt"))
	})
}

// A bit that flips on the disk is noticed, wherever it is. Only one within the checksum's own name goes by, which
// leaves the text as it was.
func TestFlippedBit(t *testing.T) {
	testall.Alone(t)
	q := queue.Queue{Dir: t.TempDir()}
	e := put(t, q, queue.Entry{Content: "use the staging database", Agents: []string{"a"}, Source: "human"})
	files, err := filepath.Glob(filepath.Join(q.Dir, "queue", session, "entries", e.ID+"*"))
	require.NoError(t, err)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for i := range text {
		for bit := range 8 {
			flipped := slices.Clone(text)
			flipped[i] ^= 1 << bit
			require.NoError(t, os.WriteFile(files[0], flipped, 0o600))
			waiting, err := q.Waiting(ctx, session)
			if err == nil {
				require.Equal(t, []queue.Entry{e}, waiting)
				require.GreaterOrEqual(t, i, len(text)-len(`,"crc32":"00000000"}`))
			}
		}
	}
	flipped := slices.Clone(text)
	flipped[strings.Index(string(text), "staging")] ^= 1
	require.NoError(t, os.WriteFile(files[0], flipped, 0o600))
	c, err := q.Claim(ctx, session, "a", "shell")
	require.Nil(t, c)
	require.ErrorContains(t, err, filepath.Join("bad", filepath.Base(files[0]))+" is not delivered, since it is no "+
		"entry: it is not what was written: its checksum is that of another text")
}

// Entries that an older hookrun wrote have no checksum.
func TestEntryWithoutAChecksum(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	e := put(t, q, queue.Entry{Content: "text", Agents: []string{"a"}})
	files, err := filepath.Glob(filepath.Join(q.Dir, "queue", session, "entries", e.ID+"*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], []byte(`{"session":"s1","agents":["a"],"strategy":"tool_result",`+
		`"content":"as it was written before","created_at":"2026-01-02T03:04:05.678Z"}`), 0o600))
	require.Equal(t, []string{"as it was written before"}, deliver(t, q, "a", "shell"))
}

// Somebody removes the whole folder while a claim is out.
func TestRemovedUnderneath(t *testing.T) {
	for _, again := range []bool{false, true} {
		q := queue.Queue{Dir: t.TempDir()}
		claims := make([]*queue.Claim, 2)
		for i := range claims {
			put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
			c, err := q.Claim(ctx, session, "a", "shell")
			require.NoError(t, err)
			claims[i] = c
		}
		if err := os.RemoveAll(filepath.Join(q.Dir, "queue")); err != nil {
			for _, c := range claims { // which are still to be closed
				_ = c.Release(ctx)
			}
			t.Skip("an open file cannot be removed, as on Windows:", err)
		}
		if again {
			put(t, q, queue.Entry{Content: "2", Agents: []string{"a"}})
		}
		require.NoError(t, claims[0].Done(ctx), "what was removed does not come again")
		require.NoError(t, claims[1].Release(ctx), "it was cleared")
		if again {
			require.Equal(t, []string{"2"}, deliver(t, q, "a", "shell"))
		}
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would close what we forget
	q := queue.Queue{Dir: t.TempDir()}
	before := openFiles(t)
	for range 20 {
		everyKind(t, q)
		put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
		_, err := q.Put(ctx, queue.Entry{Session: session})
		require.Error(t, err)
		c, err := q.Drain(ctx, session, "a")
		require.NoError(t, err)
		require.NoError(t, c.Release(ctx))
		c, err = q.DrainAll(ctx, session)
		require.NoError(t, err)
		require.NoError(t, c.Done(ctx))
		_, err = q.Waiting(ctx, session)
		require.NoError(t, err)
		gone(t, q)
	}
	require.InDelta(t, before, openFiles(t), moreByThreads) // of hundreds that were opened
}

// What others do between two steps.
func TestMeanwhile(t *testing.T) {
	t.Run("the lock goes and comes again while Put waits for it", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "0", Agents: []string{"b"}})
		defer queue.OnStep("opened", func() {
			if err := os.Remove(filepath.Join(q.Dir, "queue", session, "lock")); err != nil {
				t.Skip(err) // Windows keeps open files
			}
			// An order that only the new lock knows.
			defer queue.SetNow(func() time.Time { return time.Now().Add(time.Hour) })()
			put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
		})()
		put(t, q, queue.Entry{Content: "2", Agents: []string{"a"}})
		require.Equal(t, []string{"1", "2"}, deliver(t, q, "a", "shell"))
	})
	t.Run("another Put while one writes", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		writing := func() int {
			files, err := os.ReadDir(filepath.Join(q.Dir, "queue", session, "tmp"))
			require.NoError(t, err)
			return len(files)
		}
		defer queue.OnStep("written", func() {
			put(t, q, queue.Entry{Content: "1"})
			require.Equal(t, 1, writing(), "a living writer's file is not swept")
			_, err := q.Clear(ctx, session)
			require.NoError(t, err)
			require.Equal(t, 1, writing())
		})()
		put(t, q, queue.Entry{Content: "2"})
		require.Equal(t, []string{"2"}, deliver(t, q, "a", "shell"))
		require.Zero(t, writing())
	})
	t.Run("Clear while a claim is out", func(t *testing.T) {
		q := queue.Queue{Dir: t.TempDir()}
		put(t, q, queue.Entry{Content: "all"})
		put(t, q, queue.Entry{Content: "mine", Agents: []string{"a"}})
		c, err := q.Claim(ctx, session, "a", "shell")
		require.NoError(t, err)
		_, err = q.Clear(ctx, session)
		require.NoError(t, err)
		require.Equal(t, []string{"all", "mine"}, contents(c.Entries))
		require.NoError(t, c.Done(ctx))
		gone(t, q)
	})
}

// What a writer that died has begun does not keep the folder.
func TestDeadWriter(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
	out, _ := role{Name: "put", Dir: q.Dir, Step: 3}.command(t).Output()
	require.Contains(t, string(out), `died at "written"`)
	c, err := q.Drain(ctx, session, "a")
	require.NoError(t, err)
	require.NoError(t, c.Done(ctx))
	left, err := os.ReadDir(filepath.Join(q.Dir, "queue"))
	require.NoError(t, err)
	require.Equal(t, queue.Removable, len(left) == 0)
}

func TestDefaultDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOOKRUN_STATE", dir)
	got, err := queue.DefaultDir()
	require.NoError(t, err)
	require.Equal(t, dir, got)
	put(t, queue.Queue{}, queue.Entry{Content: "1"})
	require.Equal(t, []string{"1"}, deliver(t, queue.Queue{Dir: dir}, "a", "shell"))

	t.Setenv("HOOKRUN_STATE", "relative")
	_, err = queue.DefaultDir()
	require.ErrorContains(t, err, "absolute")

	t.Setenv("HOOKRUN_STATE", "")
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", dir)
	t.Setenv("LocalAppData", dir)
	got, err = queue.DefaultDir()
	require.NoError(t, err)
	require.Equal(t, "hookrun", filepath.Base(got))
	require.True(t, strings.HasPrefix(got, dir))

	if runtime.GOOS == "linux" {
		t.Setenv("HOME", "relative")
		_, err = queue.DefaultDir()
		require.ErrorIs(t, err, queue.ErrNoDir)
		require.ErrorContains(t, err, "absolute")
	}
}

func TestStoppedProcessWithTheLock(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
	unlock := queue.LockSession(t, q, session)
	queue.SetPatience(t, 50*time.Millisecond)
	_, err := q.Claim(ctx, session, "a", "shell")
	require.ErrorContains(t, err, "another process has locked it")
	_, err = q.Put(ctx, queue.Entry{Session: session, Content: "2"})
	require.ErrorContains(t, err, "another process has locked it")
	unlock()
	queue.SetPatience(t, time.Minute)
	require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"))
}

// An operation waits for the lock no longer than its context.
func TestContext(t *testing.T) {
	q := queue.Queue{Dir: t.TempDir()}
	put(t, q, queue.Entry{Content: "1", Agents: []string{"a"}})
	claim, err := q.Claim(ctx, session, "a", "shell")
	require.NoError(t, err)
	unlock := queue.LockSession(t, q, session)
	ended, end := context.WithCancelCause(ctx)
	end(errors.New("given up"))
	for name, operation := range map[string]func() error{
		"Put": func() error {
			_, err := q.Put(ended, queue.Entry{Session: session, Content: "2"})
			return err
		},
		"Claim":          func() error { _, err := q.Claim(ended, session, "a"); return err },
		"Drain":          func() error { _, err := q.Drain(ended, session, "a"); return err },
		"DrainAll":       func() error { _, err := q.DrainAll(ended, session); return err },
		"TakeBackLatest": func() error { _, err := q.TakeBackLatest(ended, session); return err },
		"Waiting":        func() error { _, err := q.Waiting(ended, session); return err },
		"History":        func() error { _, err := q.History(ended, session); return err },
		"Clear":          func() error { _, err := q.Clear(ended, session); return err },
	} {
		require.ErrorContains(t, operation(), "given up", name)
	}
	require.NoError(t, claim.Release(ended), "the next process that looks puts the entries back")
	unlock()
	require.Equal(t, []string{"1"}, deliver(t, q, "a", "shell"))
	_, err = q.Put(ended, queue.Entry{Session: session, Content: "2"})
	require.NoError(t, err, "nobody has the lock")
}
