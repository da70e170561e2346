package queue_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	internal "github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/queue"
)

// TestNil: a nil queue takes no text that it could not keep, and does not look like an empty one.
func TestNil(t *testing.T) {
	var q *queue.Queue
	_, err := q.Put(t.Context(), queue.Entry{Session: "s1", Content: "x"})
	require.ErrorContains(t, err, "the queue is nil")
	_, err = q.Claim(t.Context(), "s1", "", "shell")
	require.ErrorContains(t, err, "the queue is nil")
	_, err = q.Waiting(t.Context(), "s1")
	require.ErrorContains(t, err, "the queue is nil")
}

// TestClaimOfNothing: a nil Claim and one that the program made hold nothing, so ending them delivers nothing.
func TestClaimOfNothing(t *testing.T) {
	q := &queue.Queue{Dir: t.TempDir()}
	put, err := q.Put(t.Context(), queue.Entry{Session: "s1", Content: "x"})
	require.NoError(t, err)
	for _, c := range []*queue.Claim{nil, {}, {Entries: []queue.Entry{put}}} {
		require.NoError(t, c.Done(t.Context()))
		require.NoError(t, c.Release(t.Context()))
	}
	waiting, err := q.Waiting(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, []queue.Entry{put}, waiting)
}

// TestOneQueue: programs in Go and the command line have the same queue, and nothing of an entry is lost between them.
func TestOneQueue(t *testing.T) {
	q := &queue.Queue{Dir: t.TempDir()}
	same := (*internal.Queue)(q)
	now := time.Now().UTC().Round(0)
	entry := queue.Entry{Session: "s1", Agents: []string{"a", "b"}, Strategy: "user_message", Matcher: "shell",
		Source: "human", Content: "x", Created: now, Expires: now.Add(time.Hour)}
	put, err := q.Put(t.Context(), entry)
	require.NoError(t, err)
	entry.ID = put.ID
	require.Equal(t, entry, put)

	theirs, err := same.Waiting(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, []internal.Entry{internal.Entry(put)}, theirs)
	ours, err := q.Waiting(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, []queue.Entry{put}, ours)

	claim, err := q.Claim(t.Context(), "s1", "a", "fs_read")
	require.NoError(t, err)
	require.Nil(t, claim)
	for _, delivered := range []bool{false, true} {
		claim, err = q.Claim(t.Context(), "s1", "a", "terminal", "shell")
		require.NoError(t, err)
		require.Equal(t, []queue.Entry{put}, claim.Entries)
		require.Empty(t, claim.Expired)
		held, err := same.Drain(t.Context(), "s1", "a")
		require.NoError(t, err)
		require.Nil(t, held, "the claim holds it")
		ends := []func(context.Context) error{claim.Release, claim.Done}
		if delivered {
			slices.Reverse(ends)
		}
		require.NoError(t, ends[0](t.Context()))
		require.NoError(t, ends[1](t.Context()), "the first call decides")
	}
	records, err := same.History(t.Context(), "s1")
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Len(t, records[0].Events, 2)
	require.Equal(t, internal.Delivered, records[0].Events[1].Status)
	require.Equal(t, "terminal", records[0].Events[1].Tool)
}

// TestExpired: a claim has the entries that nobody got in time, so that the program can report them.
func TestExpired(t *testing.T) {
	q := &queue.Queue{Dir: t.TempDir()}
	put, err := q.Put(t.Context(), queue.Entry{Session: "s1", Content: "x", Matcher: "git_*",
		Expires: time.Now().Add(200 * time.Millisecond)})
	require.NoError(t, err)
	var claim *queue.Claim
	require.Eventually(t, func() bool {
		claim, err = q.Claim(context.Background(), "s1", "", "shell")
		return claim != nil || err != nil
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, err)
	require.Empty(t, claim.Entries)
	require.Equal(t, []queue.Entry{put}, claim.Expired)
	require.NoError(t, claim.Done(t.Context()))
}

func TestDefaultDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOOKRUN_STATE", dir)
	got, err := queue.DefaultDir()
	require.NoError(t, err)
	require.Equal(t, dir, got)
	put, err := new(queue.Queue).Put(t.Context(), queue.Entry{Session: "s1", Content: "x"})
	require.NoError(t, err)
	waiting, err := (&queue.Queue{Dir: dir}).Waiting(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, []queue.Entry{put}, waiting)
}
