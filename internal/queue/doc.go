// Package queue keeps texts on disk until the agents of a session take them. The public package queue, the doors, and
// the commands inject, drain and queue build on it.
//
//	claim, err := q.Drain(ctx, "s1", "planner") // at the end of the planner's turn; nil: nothing is left
//
// Guarantees: those of the public package. Also, History tells what became of entries. It has each event that Done has
// reported once, as far as it goes back and unless the disk was full. It never delays a delivery. It takes at most a
// megabyte for a session and keeps at most a thousand sessions.
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
