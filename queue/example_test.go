package queue_test

import (
	"fmt"
	"os"

	"github.com/hookrun/hookrun/queue"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	q := queue.Queue{Dir: dir}

	// Anybody, in any process:
	q.Put(queue.Entry{Session: "s1", Content: "The tests on main are red.", Matcher: "shell|git_*"})
	q.Put(queue.Entry{Session: "s1", Content: "Your subagent is done.", Agents: []string{"planner"}})

	// The agent loop, after a tool call:
	for _, tool := range []string{"fs_read", "shell", "shell"} {
		claim, err := q.Claim("s1", "planner", tool)
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
		if err := claim.Done(); err != nil {
			panic(err)
		}
	}
	// Output:
	// after fs_read: Your subagent is done.
	// after shell: The tests on main are red.
	// after shell: nothing
}
