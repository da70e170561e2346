// Package queue keeps texts on disk until the agents of a session take them. Each agent gets each text once and in
// order, even when many processes read and write the queue and some of them die.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"github.com/hookrun/hookrun/queue"
//	)
//
//	func main() {
//		ctx := context.Background()
//		var q queue.Queue // in the user's state directory
//		if _, err := q.Put(ctx, queue.Entry{Session: "s1", Content: "the tests on main are red"}); err != nil {
//			log.Fatal(err)
//		}
//		claim, err := q.Claim(ctx, "s1", "planner", "shell") // after the planner's tool call; nil: nothing is due
//		if err != nil {
//			log.Print(err) // about other entries, if there is a claim
//		}
//		if claim != nil {
//			fmt.Println(claim.Entries, "dropped:", claim.Expired)
//			if err := claim.Done(ctx); err != nil {
//				log.Print(err)
//			}
//		}
//	}
//
// A loop that runs its tools by runner.Runner.Tool gives the queue to runner.Options and claims nothing. The commands
// hookrun queue and hookrun drain show, take back and clear waiting entries, and show how the others ended.
//
// Processes take turns: each operation locks its session for milliseconds. The operation waits for the lock
// until the context ends, and at most ten seconds. An operation that need not wait ignores the context.
//
// Guarantees:
//
//  1. An entry is kept once Put has returned without an error. It is then delivered, dropped as expired and reported,
//     or taken out by one of those commands. An entry survives the death of any process, and a crash of the system if
//     the disk keeps data that it has confirmed.
//  2. Each agent of an entry gets the entry once. If a claim is released, or its process dies before Done, its entries
//     go back into the queue. An entry is delivered twice in one case only: a process prints the entry and dies before
//     the end of Done. The second delivery has the same entry id. An agent that comes later gets at least the last
//     thousand broadcasts that other agents got.
//  3. The entries of a claim are in the order of their Put, even when the clock goes backwards. Entries that went back
//     are first in line again.
//  4. A damaged entry, for example after an edit or a flipped bit, is moved to the session's folder bad, and the claim
//     comes with an error about it. A damaged entry is not delivered, and does not block other entries. A file that
//     cannot be read stays in place and is an error each time.
//  5. Folders and files belong to the user alone. The queue is refused if another user owns it or can write to it,
//     because anyone who can add an entry can give the model orders.
//  6. A nil Queue is empty: each of its operations is an error.
//
// Not guaranteed: the order between two claims that one agent has at the same time; that a delivery stays recorded if
// the system (not a process) crashes in the next seconds; any of this on a file system without working locks, as NFS
// can be. On Windows the folders inherit their access rights, and the folder of an empty session stays.
package queue
