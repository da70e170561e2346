package queue_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

func init() {
	// Each of them dies at the step that its role names.
	for name, op := range map[string]func(*queue.Queue) error{
		"put": func(q *queue.Queue) error {
			_, err := q.Put(ctx, queue.Entry{Session: session, Content: "new"})
			return err
		},
		"claim": func(q *queue.Queue) error {
			_, err := q.Claim(ctx, session, "a", "shell")
			return err
		},
		"drain all": func(q *queue.Queue) error {
			c, err := q.DrainAll(ctx, session)
			if err != nil {
				return err
			}
			return c.Done(ctx)
		},
		"clear": func(q *queue.Queue) error {
			_, err := q.Clear(ctx, session)
			return err
		},
	} {
		roles[name] = func(r role) error {
			steps := queue.DieAtStep(r.Step)
			if err := op(r.queue()); err != nil {
				return err
			}
			fmt.Println("lived", steps())
			return nil
		}
	}
	for name, end := range map[string]func(*queue.Claim, context.Context) error{"done": (*queue.Claim).Done,
		"release": (*queue.Claim).Release} {
		roles[name] = func(r role) error {
			c, err := r.queue().Claim(ctx, session, "a", "shell")
			if err != nil {
				return err
			}
			steps := queue.DieAtStep(r.Step)
			if err := end(c, ctx); err != nil {
				return err
			}
			fmt.Println("lived", steps())
			return nil
		}
	}
}

// dieAtEach runs a role once for each of its steps, and kills it there. check sees the queue after each death.
func dieAtEach(t *testing.T, name string, setup func(t *testing.T, q queue.Queue),
	check func(t *testing.T, q queue.Queue)) {
	died := 0
	for step := 1; ; step += testall.Of(3, 1) {
		q := queue.Queue{Dir: t.TempDir()}
		setup(t, q)
		cmd := role{Name: name, Dir: q.Dir, Step: step, Later: in3}.command(t)
		out, err := cmd.Output()
		if bytes.HasPrefix(out, []byte("lived")) {
			require.NoError(t, err)
			break
		}
		require.Contains(t, string(out), "died at")
		died++
		t.Run(fmt.Sprintf("%d %s", step, bytes.TrimSpace(out)), func(t *testing.T) {
			later(t)
			check(t, q)
		})
	}
	require.Greater(t, died, testall.Of(1, 5))
	t.Logf("%d steps", died)
}

// everyKind puts what agent a is given in this order, b having had his share of the last: two for him alone, a
// broadcast, one for both; and one that expires.
func everyKind(t *testing.T, q queue.Queue) {
	put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
	put(t, q, queue.Entry{Content: "late", Agents: []string{"a"}, Expires: time.Now().Add(time.Hour)})
	put(t, q, queue.Entry{Content: "all"})
	put(t, q, queue.Entry{Content: "two", Agents: []string{"a"}})
	put(t, q, queue.Entry{Content: "both", Agents: []string{"a", "b"}})
	require.Equal(t, []string{"all", "both"}, deliver(t, q, "b", "shell"))
}

// claimed claims for an agent, ends that and returns what there was.
func claimed(t *testing.T, q queue.Queue, agent string) (entries, expired []string) {
	c, err := q.Claim(ctx, session, agent, "shell")
	require.NoError(t, err)
	if c == nil {
		return nil, nil
	}
	require.NoError(t, c.Done(ctx))
	return contents(c.Entries), contents(c.Expired)
}

// gone ends the session and looks for anything that was left of it.
func gone(t *testing.T, q queue.Queue) {
	t.Helper()
	_, err := q.Clear(ctx, session)
	require.NoError(t, err)
	var left []string
	require.NoError(t, filepath.WalkDir(q.Dir, func(path string, _ os.DirEntry, err error) error {
		left = append(left, path)
		return err
	}))
	if queue.Removable {
		require.Equal(t, []string{q.Dir, filepath.Join(q.Dir, "queue")}, left)
	}
}

func TestDeath(t *testing.T) {
	all := []string{"one", "all", "two", "both"}
	late := []string{"late"}

	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("in Put, first %v", first), func(t *testing.T) {
			dieAtEach(t, "put", func(t *testing.T, q queue.Queue) {
				if !first {
					put(t, q, queue.Entry{Content: "before"})
				}
			}, func(t *testing.T, q queue.Queue) {
				put(t, q, queue.Entry{Content: "after"})
				tmp, err := os.ReadDir(filepath.Join(q.Dir, "queue", session, "tmp"))
				require.NoError(t, err)
				require.Empty(t, tmp)
				got, _ := claimed(t, q, "a")
				if !first {
					require.Equal(t, "before", got[0])
					got = got[1:]
				}
				require.Contains(t, [][]string{{"after"}, {"new", "after"}}, got)
				gone(t, q)
			})
		})
	}

	// Before anything was said to be delivered, all of it comes again.
	for _, name := range []string{"claim", "release"} {
		t.Run("in "+name, func(t *testing.T) {
			dieAtEach(t, name, everyKind, func(t *testing.T, q queue.Queue) {
				entries, expired := claimed(t, q, "b")
				require.Empty(t, entries)
				require.Equal(t, late, expired, "by whoever looks first")
				entries, expired = claimed(t, q, "a")
				require.Equal(t, all, entries)
				require.Empty(t, expired)
				entries, expired = claimed(t, q, "a")
				require.Empty(t, slices.Concat(entries, expired))
				gone(t, q)
			})
		})
	}

	// It was delivered as a whole or not at all.
	t.Run("in done", func(t *testing.T) {
		again, never := 0, 0
		dieAtEach(t, "done", everyKind, func(t *testing.T, q queue.Queue) {
			entries, expired := claimed(t, q, "a")
			if entries == nil {
				never++
				require.Empty(t, expired)
			} else {
				again++
				require.Equal(t, all, entries)
				require.Equal(t, late, expired)
			}
			entries, expired = claimed(t, q, "b")
			require.Empty(t, slices.Concat(entries, expired))
			waiting, err := q.Waiting(ctx, session)
			require.NoError(t, err)
			require.Empty(t, waiting, "the one for both is gone, and somebody has the broadcast")
			require.Equal(t, []string{"all"}, deliver(t, q, "c", "shell"), "it is kept for others")
			gone(t, q)
		})
		require.Positive(t, never)
		most := 1 // before it is on record
		if !queue.Removable {
			most = 2 // which takes the session's lock on Windows
		}
		require.LessOrEqual(t, again, most)
	})

	t.Run("in DrainAll and its Done", func(t *testing.T) {
		dieAtEach(t, "drain all", func(t *testing.T, q queue.Queue) {
			everyKind(t, q)
			put(t, q, queue.Entry{Content: "unseen"})
		}, func(t *testing.T, q queue.Queue) {
			c, err := q.DrainAll(ctx, session)
			require.NoError(t, err)
			if c != nil {
				require.Equal(t, []string{"one", "two", "both", "unseen"}, contents(c.Entries))
				require.Equal(t, []string{"a"}, c.Entries[2].Agents)
				require.Equal(t, late, contents(c.Expired))
				require.NoError(t, c.Done(ctx))
			}
			waiting, err := q.Waiting(ctx, session)
			require.NoError(t, err)
			require.Empty(t, waiting)
			require.Equal(t, []string{"all"}, deliver(t, q, "c", "shell"), "it is kept for others")
			gone(t, q)
		})
	})

	t.Run("in the removal of the folder", func(t *testing.T) {
		dieAtEach(t, "drain all", func(t *testing.T, q queue.Queue) {
			put(t, q, queue.Entry{Content: "one", Agents: []string{"a"}})
		}, func(t *testing.T, q queue.Queue) {
			_, err := q.Waiting(ctx, session)
			require.NoError(t, err)
			put(t, q, queue.Entry{Content: "two", Agents: []string{"a"}})
			got := deliver(t, q, "a", "shell")
			require.Equal(t, "two", got[len(got)-1])
			gone(t, q)
		})
	})

	t.Run("in Clear", func(t *testing.T) {
		dieAtEach(t, "clear", everyKind, func(t *testing.T, q queue.Queue) {
			entries, _ := claimed(t, q, "a")
			require.Subset(t, all, entries)
			require.True(t, slices.IsSortedFunc(entries, func(x, y string) int {
				return slices.Index(all, x) - slices.Index(all, y)
			}))
			entries, _ = claimed(t, q, "b")
			require.Empty(t, entries, "marks outlive their entries, not the other way round")
			gone(t, q)
		})
	})
}
