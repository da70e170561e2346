// Package queue keeps texts on disk until the agents of a session take them. Each agent gets each text once and in
// order, even when many processes read and write the queue and some of them die.
//
//	var q queue.Queue // in the user's state directory
//	_, err := q.Put(ctx, queue.Entry{Session: "s1", Content: "the tests on main are red"})
//	…
//	claim, err := q.Claim(ctx, "s1", "planner", "shell") // after the planner's tool call; nil: nothing is due
//	if claim != nil {
//		// Print claim.Entries, and report claim.Expired as dropped.
//		err = errors.Join(err, claim.Done(ctx))
//	}
//
// A loop that runs its tools by runner.Runner.Tool gives the queue to runner.Options and claims nothing itself. The
// commands hookrun queue and hookrun drain show, take back and clear what waits, and tell what became of the rest.
//
// Processes take turns: each operation holds the lock of its session for milliseconds. It waits for the lock until its
// context ends, and at most ten seconds. An operation that need not wait ignores its context.
//
// Guarantees:
//
//  1. An entry is kept once Put has returned without an error. It is then delivered, dropped as expired and reported,
//     or taken out by one of those commands. It survives the death of any process. It survives a crash of the system if
//     the disk keeps what it has confirmed.
//  2. Each agent of an entry gets it once. If a claim is released, or its process dies before Done, its entries go back
//     into the queue. An entry is delivered twice in one case only: a process prints it and dies before the end of
//     Done. The entry's id shows that. Agents that come later get the last thousand broadcasts, at least, of those that
//     others had.
//  3. The entries of a claim are in the order of their Put, even when the clock goes backwards. Entries that went back
//     are first in line again.
//  4. A damaged entry, such as one that an editor has changed or in which a bit has flipped, is moved to the session's
//     folder bad and reported by an error beside the claim. It is not delivered, and it does not block other entries.
//     A file that cannot be read stays where it is and is an error each time.
//  5. Folders and files belong to the user alone. The queue is refused if another user owns it or can write to it:
//     whoever can plant an entry tells the model what to do.
//  6. A nil Queue keeps nothing and has nothing: each of its operations is an error.
//
// Not guaranteed: the order between two claims that one agent holds at the same time; that a delivery stays recorded
// when the system (not a process) crashes in the next seconds; anything on a file system without working locks, as NFS
// can be. On Windows the folders inherit their access rights, and the folder of an empty session stays.
package queue
