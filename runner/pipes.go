package runner

import (
	"context"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

// pipes are the three pipes of a running hook, and everything that can happen while it runs. newPipes makes them, and
// returns the ends for the hook. Its detaches looks at the first line of stdout, unless it is nil.
type pipes interface {
	// serve begins to serve the process that was started with the hook's ends. Ours of these are closed, which would
	// else keep the pipes open for ever.
	serve(p *process)
	// wait waits for what happens next.
	wait(ctx context.Context, until time.Time) happening
	// exited waits for the end of the leader, so long at most, and reports whether it came.
	exited(limit time.Duration) bool
	// drain reads what is still in the pipes, and waits for more as long as somebody holds them, so long at most. For
	// what was not written it does not wait: the hook did without.
	drain(limit time.Duration)
	// said reports whether the hook said that nobody is to wait for it, and forgets that.
	said() bool
	// stop ends all traffic, closes the pipes, and returns what was printed.
	stop() (stdout, stderr dialect.Capture)
}
