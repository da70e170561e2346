// Package queue keeps texts on disk until the agents of a session take them. The public package queue, the doors, and
// the commands inject, drain and queue build on it.
//
//	claim, err := q.Drain(ctx, "s1", "planner") // at the end of the planner's turn; nil: no entries
//
// Guarantees: those of the public package. Also, History reports the events of entries. Each event reported by Done
// appears once, within the history's limits and unless the disk was full. The history never delays a delivery. It takes
// at most a megabyte for a session and keeps at most a thousand sessions.
//
// No library does this. Brokers need a server, and embedded databases need one process that keeps them open. Here
// short-lived processes read and write, and entries taken by a dying process must go back.
//
// # On disk
//
// A session is a folder of DIR/queue:
//
//	lock          is locked for every change, and holds the latest order
//	tmp/          unfinished files of Put, each locked by its writer
//	entries/      waiting entries: JSON with a checksum at the end. The name is ID.EXPIRY.AGENTS.MATCHER, all that is
//	              needed to choose an entry. AGENTS is @ for all agents. If that name is too long, the name is
//	              ID.EXPIRY.+ and the file must be opened
//	claims/X/     a delivery in progress: lock, which the process locks and renames to done after the delivery; whole
//	              entries; and ID=AGENT for an entry that other agents wait for as well
//	read/         broadcasts that some agents have got and others may get; .last names the latest
//	marks/AGENT   which entries for several agents this agent has got: up to an id, except those in the lines below
//	bad/          damaged entries
//
// DIR/history has a file for each session, with a line of JSON for each event of an entry. Done writes the lines into
// the claim's done, and the process that finishes the claim appends them. SESSION.1 is the previous file.
package queue
