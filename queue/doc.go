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
// Processes take turns: each operation holds the lock of its session for milliseconds. It waits for the lock until its
// context ends, and at most ten seconds. An operation that need not wait ignores its context.
//
// Guarantees:
//
//  1. An entry is kept once Put has returned without an error. It is then delivered, dropped as expired and reported,
//     or dropped by Clear. It survives the death of any process. It survives a crash of the system if the disk keeps
//     what it has confirmed.
//
//  2. Each agent of an entry gets it once. If a claim is released, or its process dies before Done, its entries go back
//     into the queue. An entry is delivered twice in one case only: a process prints it and dies before the end of
//     Done. The entry's id shows that. Agents that come later get the last thousand broadcasts, at least, of those that
//     others had.
//
//  3. The entries of a claim are in the order of their Put, even when the clock goes backwards. Entries that went back
//     are first in line again.
//
//  4. A damaged entry, such as one that an editor has changed or in which a bit has flipped, is moved to the session's
//     folder bad and reported by an error beside the claim. It is not delivered, and it does not block other entries. A
//     file that cannot be read stays where it is and is an error each time.
//
//  5. Folders and files belong to the user alone. The queue is refused if another user owns it or can write to it:
//     whoever can plant an entry tells the model what to do.
//
//  6. History tells what became of entries. It has each event that Done has reported once, as far as it goes back and
//     unless the disk was full. It never delays a delivery. It takes at most a megabyte for a session and keeps at
//     most a thousand sessions.
//
// Not guaranteed: the order between two claims that one agent holds at the same time; that a delivery stays recorded
// when the system (not a process) crashes in the next seconds; anything on a file system without working locks, as NFS
// can be. On Windows the folders inherit their access rights, and the folder of an empty session stays.
//
// No library does this. Brokers need a server, and embedded databases need one process that keeps them open. Here
// short-lived processes read and write, and whatever a dying process had taken must go back.
//
// # On disk
//
// A session is a folder of DIR/queue:
//
//	lock          is locked for every change, and holds the last order that was given out
//	tmp/          what Put is still writing, locked by its writer
//	entries/      what waits: JSON with a checksum at its end. The name is ID.EXPIRY.AGENTS.MATCHER, all that is needed
//	              to choose an entry. AGENTS is @ for all agents. Where that name is too long it is ID.EXPIRY.+ and the
//	              file must be opened
//	claims/X/     what a process is delivering: lock, which it locks and renames to done after the delivery; the
//	              entries that it alone gets; and ID=AGENT for an entry that other agents wait for as well
//	read/         broadcasts that some agent has got and others may; .last says which was the last
//	marks/AGENT   which entries for several agents this one has got: up to an id, but for those in the lines below
//	bad/          damaged entries
//
// DIR/history has a file for each session, with a line of JSON for each event of an entry. Done writes the lines into
// the claim's done, and whoever finishes the claim appends them. SESSION.1 is the previous file.
package queue
