// Package queue keeps texts on disk until the agents of a session take them, each once and in order, however many
// processes write and read, and whichever of them dies.
//
//	var q queue.Queue // in the user's state directory
//	q.Put(queue.Entry{Session: "s1", Content: "the tests on main are red"})
//	…
//	claim, err := q.Claim("s1", "planner", "shell") // after the planner's tool call; nil: nothing is due
//	if claim != nil {
//		// Print claim.Entries, and say that claim.Expired were dropped.
//		err = errors.Join(err, claim.Done())
//	}
//
// Guarantees:
//
//  1. An entry that Put has reported is delivered, dropped as expired and reported so, or dropped by Clear. It outlives
//     the death of any process and, with a disk that keeps its word, of the system.
//
//  2. Each of its agents is given it once. A claim that was not ended with Done goes back as soon as its process has
//     died or has released it. So a process that dies between its printing and the end of Done is the one case of
//     twice: ids tell.
//
//  3. The entries of a claim are in the order of their Put, also when the clock goes backwards. What went back is first
//     in line again.
//
//  4. An entry that is damaged, by an editor say, is not delivered, not lost and in nobody's way: it is moved to the
//     session's folder bad, and an error beside the claim says so. One that cannot be read stays where it is, with an
//     error each time.
//
//  5. Folders and files are the user's alone. A queue that belongs to somebody else, or that others can write to, is
//     refused: who can plant an entry tells the model what to do.
//
//  6. History tells what became of entries: an event that Done has reported is in it once, as far as it goes back,
//     unless the disk is full. It never holds a delivery up, and takes no more than a megabyte for a session and a
//     thousand sessions.
//
// Not guaranteed: the order between two claims that one agent holds at a time; that a delivery stays delivered when the
// system, not a process, crashes in the next seconds; anything on a file system without working locks, as NFS can be.
// On Windows the rights of the folders are those they inherit, and the folder of a session that has nothing left stays.
//
// No library does this: brokers need a server, and databases in a file one process that has them open. Here short-lived
// processes write and read, and the death of each must give back what it took.
//
// # On disk
//
// A session is a folder of DIR/queue:
//
//	lock          is locked for every change, and holds the last order that was given out
//	tmp/          what Put is still writing, locked by its writer
//	entries/      what waits; the name says what must be known to choose: ID.EXPIRY.AGENTS.MATCHER, or ID.EXPIRY.+ where
//	              that is too long and the file must be opened. AGENTS is @ for all of them
//	claims/X/     what somebody is delivering: lock, locked by the process that does, which becomes done when it was
//	              delivered; entries that are all his; and ID=AGENT for those that other agents wait for as well
//	seen/AGENT/   the ids of what the agent was given of entries that stay for others
//	bad/          what is no entry any more
//
// DIR/history has a file for each session: a line of JSON for each thing that became of an entry, which Done leaves in
// the claim's done, and whoever ends the claim adds. SESSION.1 is the file before it.
package queue
