package queue_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

// newQueue returns a queue in a folder of its own.
func newQueue() (q queue.Queue, remove func()) {
	dir, err := os.MkdirTemp("", "queue-")
	if err != nil {
		panic(err)
	}
	return queue.Queue{Dir: dir}, func() { os.RemoveAll(dir) }
}

// At the end of a turn the loop takes what no tool call brought to anybody.
func ExampleQueue_DrainAll() {
	q, remove := newQueue()
	defer remove()
	ctx := context.Background()
	if _, err := q.Put(ctx, queue.Entry{Session: "s1", Content: "Tag the release.", Matcher: "git_*"}); err != nil {
		panic(err)
	}
	claim, err := q.DrainAll(ctx, "s1")
	if err != nil {
		panic(err)
	}
	fmt.Println(claim.Entries[0].Content)
	if err := claim.Done(ctx); err != nil {
		panic(err)
	}
	records, err := q.History(ctx, "s1")
	if err != nil {
		panic(err)
	}
	for _, e := range records[0].Events {
		fmt.Println(e.Status)
	}
	// Output:
	// Tag the release.
	// queued
	// drained
}

// A person takes back what they queued last.
func ExampleQueue_TakeBackLatest() {
	q, remove := newQueue()
	defer remove()
	ctx := context.Background()
	for _, content := range []string{"Use tabs.", "Use spaces."} {
		if _, err := q.Put(ctx, queue.Entry{Session: "s1", Content: content}); err != nil {
			panic(err)
		}
	}
	claim, err := q.TakeBackLatest(ctx, "s1")
	if err != nil {
		panic(err)
	}
	if err := claim.Done(ctx); err != nil {
		panic(err)
	}
	waiting, err := q.Waiting(ctx, "s1")
	fmt.Println(claim.Entries[0].Content, len(waiting), waiting[0].Content, err)
	dropped, err := q.Clear(ctx, "s1")
	fmt.Println(dropped, err)
	// Output:
	// Use spaces. 1 Use tabs. <nil>
	// 1 <nil>
}
