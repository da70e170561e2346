package process

import (
	"context"
	"time"
)

// pipes are the three pipes of a running process, and the wait for its events. newPipes makes them and returns the
// process's ends.
type pipes interface {
	// serve starts to serve the process that was started with its ends. It closes our copies of these.
	serve(l *leader)
	// wait waits for the next event.
	wait(ctx context.Context, until time.Time) waitEvent
	// exited waits for the end of the leader up to a limit, and reports whether it ended.
	exited(limit time.Duration) bool
	// drain reads what is left in the pipes. It goes on while another process holds them, up to a limit, and reports
	// whether it came to their end. It does not wait for input to be written: the process has ended without it.
	drain(limit time.Duration) (whole bool)
	// takeDetach reports whether the process has asked to be detached, and resets that.
	takeDetach() bool
	// stop stops reading and writing, closes the pipes, and returns what was printed.
	stop() (stdout, stderr Output)
}
