package process

import (
	"context"
	"time"
)

// pipes are the three pipes of a running process, and everything that can happen while it runs. newPipes makes them and
// returns the process's ends.
type pipes interface {
	// serve begins to serve the process that was started with its ends. It closes our copies of these.
	serve(l *leader)
	// wait waits for what happens next.
	wait(ctx context.Context, until time.Time) waitEvent
	// exited waits for the end of the leader, so long at most, and reports whether it came.
	exited(limit time.Duration) bool
	// drain reads what is still in the pipes, and waits for more as long as somebody holds them, so long at most. It
	// does not wait for input to be written: the process did without.
	drain(limit time.Duration)
	// takeDetach reports whether the process asked to be detached, and forgets that.
	takeDetach() bool
	// stop ends all traffic, closes the pipes, and returns what was printed.
	stop() (stdout, stderr Output)
}
