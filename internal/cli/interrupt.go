package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// untilInterrupted returns a context that SIGINT, SIGTERM and SIGHUP end, so that the hooks are killed before hookrun goes.
// A second signal, or one after over was called, ends hookrun at once. A signal that the caller had ignored stays ignored.
//
// It is called when hooks are about to run and not before: asking the runtime for signals costs a tenth of a call that has
// no hooks, and until then a signal ends hookrun by itself, also while it waits for its stdin.
func untilInterrupted() (ctx context.Context, over func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var hopeless atomic.Bool
	signals := make(chan os.Signal, 2)
	names := map[os.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}
	for s := range names {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		for s := range signals {
			if hopeless.Swap(true) {
				os.Exit(exitFailed)
			}
			cancel(fmt.Errorf("interrupted by %s", names[s]))
		}
	}()
	return ctx, func() { hopeless.Store(true) }
}
