package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func fill(b *testing.B, q queue.Queue, n int, e queue.Entry) {
	b.Helper()
	for i := range n {
		e.Session, e.Content = session, fmt.Sprintf("entry %d", i)
		_, err := q.Put(ctx, e)
		require.NoError(b, err)
	}
}

// BenchmarkClaim is one look after one tool call, with 1,000 entries that are not for it; delivery is with one more
// that is.
func BenchmarkClaim(b *testing.B) {
	b.Run("no queue", func(b *testing.B) {
		q := queue.Queue{Dir: b.TempDir()}
		for b.Loop() {
			if c, err := q.Claim(ctx, session, "a", "shell"); c != nil || err != nil {
				b.Fatal(c, err)
			}
		}
	})
	for name, e := range map[string]queue.Entry{
		"1000 for others":      {Agents: []string{"b"}},
		"1000 for other tools": {Agents: []string{"a"}, Matcher: "fs_*|mcp__*"},
		"1000 seen broadcasts": {},
	} {
		b.Run(name, func(b *testing.B) {
			q := queue.Queue{Dir: b.TempDir()}
			fill(b, q, 1000, e)
			c, err := q.Claim(ctx, session, "a", "shell")
			require.NoError(b, err)
			require.NoError(b, c.Done(ctx))
			for b.Loop() {
				if c, err := q.Claim(ctx, session, "a", "shell"); c != nil || err != nil {
					b.Fatal(c, err)
				}
			}
		})
	}
	b.Run("delivery beside 1000 for others", func(b *testing.B) {
		q := queue.Queue{Dir: b.TempDir()}
		fill(b, q, 1000, queue.Entry{Agents: []string{"b"}})
		for b.Loop() {
			b.StopTimer()
			fill(b, q, 1, queue.Entry{Agents: []string{"a"}})
			b.StartTimer()
			c, err := q.Claim(ctx, session, "a", "shell")
			if err != nil || len(c.Entries) != 1 {
				b.Fatal(c, err)
			}
			if err := c.Done(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("1000 due, released", func(b *testing.B) {
		q := queue.Queue{Dir: b.TempDir()}
		fill(b, q, 1000, queue.Entry{Agents: []string{"a"}})
		for b.Loop() {
			c, err := q.Claim(ctx, session, "a", "shell")
			if err != nil || len(c.Entries) != 1000 {
				b.Fatal(c, err)
			}
			if err := c.Release(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPut(b *testing.B) {
	q := queue.Queue{Dir: b.TempDir()}
	for b.Loop() {
		if _, err := q.Put(ctx, queue.Entry{Session: session, Content: "text"}); err != nil {
			b.Fatal(err)
		}
	}
}
