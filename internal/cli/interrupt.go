package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruption ends a call on SIGINT, SIGTERM, SIGHUP and SIGQUIT, so that the hooks are killed before hookrun goes. A
// second signal does not hurry that: it would leave their children behind. One after the call is over ends hookrun at
// once. A signal that the caller had ignored stays ignored.
//
// Asking the runtime for signals takes a tenth of a one-shot call. So that is done beside the reading of the hooks
// file, and not at all where there is none; until then a signal ends hookrun by itself, also while it waits for its
// stdin.
type interruption struct {
	ctx      context.Context
	notified chan struct{} // closed once signals come to us
	done     atomic.Bool
	exit     int // the code where there is no more time for a verdict
}

// watch begins to ask for signals.
func (i *interruption) watch() {
	ctx, cancel := context.WithCancelCause(context.Background())
	i.ctx, i.notified = ctx, make(chan struct{})
	go func() {
		signals := make(chan os.Signal, 2)
		names := map[os.Signal]string{
			syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT",
		}
		for s := range names {
			if !signal.Ignored(s) {
				signal.Notify(signals, s)
			}
		}
		close(i.notified)
		for s := range signals {
			if i.done.Load() {
				os.Exit(i.exit)
			}
			cancel(fmt.Errorf("interrupted by %s", names[s]))
		}
	}()
}

// context returns what the signals end, once none can be missed.
func (i *interruption) context() context.Context {
	if i.notified == nil {
		i.watch() // the file came up after we looked
	}
	<-i.notified
	return i.ctx
}

// over says that there is nothing left to kill.
func (i *interruption) over() { i.done.Store(true) }
