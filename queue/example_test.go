package queue_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hookrun/hookrun/queue"
)

// newQueue returns a queue in a folder of its own.
func newQueue() (q queue.Queue, remove func()) {
	dir, err := os.MkdirTemp("", "queue-")
	if err != nil {
		panic(err)
	}
	return queue.Queue{Dir: dir}, func() { os.RemoveAll(dir) }
}

func Example() {
	q, remove := newQueue()
	defer remove()
	ctx := context.Background()

	// Anybody, in any process:
	for _, e := range []queue.Entry{
		{Session: "s1", Content: "The tests on main are red.", Matcher: "shell|git_*"},
		{Session: "s1", Content: "Your subagent is done.", Agents: []string{"planner"}},
	} {
		if _, err := q.Put(ctx, e); err != nil {
			panic(err)
		}
	}

	// The agent loop, after a tool call:
	for _, tool := range []string{"fs_read", "shell", "shell"} {
		claim, err := q.Claim(ctx, "s1", "planner", tool)
		if err != nil {
			panic(err)
		}
		if claim == nil {
			fmt.Println("after "+tool+":", "nothing")
			continue
		}
		for _, e := range claim.Entries {
			fmt.Println("after "+tool+":", e.Content)
		}
		if err := claim.Done(ctx); err != nil {
			panic(err)
		}
	}
	// Output:
	// after fs_read: Your subagent is done.
	// after shell: The tests on main are red.
	// after shell: nothing
}

// An operation waits for other processes until its context ends.
func ExampleQueue_Put() {
	q, remove := newQueue()
	defer remove()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	e, err := q.Put(ctx, queue.Entry{Session: "s1", Content: "Stop at noon.", Expires: time.Now().Add(time.Hour)})
	fmt.Println(e.ID != "", e.Strategy, err)
	_, err = q.Put(ctx, queue.Entry{Session: "s1", Content: " "})
	fmt.Println(err)
	// Output:
	// true tool_result <nil>
	// the content is empty: there is nothing to deliver
}

// Entries that did not reach the agent go back into the queue.
func ExampleClaim_Release() {
	q, remove := newQueue()
	defer remove()
	ctx := context.Background()
	if _, err := q.Put(ctx, queue.Entry{Session: "s1", Content: "Use the staging database."}); err != nil {
		panic(err)
	}
	for range 2 {
		claim, err := q.Claim(ctx, "s1", "planner", "shell")
		if err != nil {
			panic(err)
		}
		fmt.Println(claim.Entries[0].Content)
		if err := claim.Release(ctx); err != nil { // Done would record the delivery
			panic(err)
		}
	}
	// Output:
	// Use the staging database.
	// Use the staging database.
}
