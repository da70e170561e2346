package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruption ends a call on SIGINT, SIGTERM, SIGHUP and SIGQUIT, so that the hooks are killed before hookrun ends. A
// second signal changes nothing: to end at once would leave the hooks' children behind. Before the first hook, as while
// the files of the hooks are hashed, and after the call a signal ends hookrun at once. A signal that the caller ignores
// stays ignored.
//
// To register for signals takes a tenth of a one-shot call. So it is done while the hooks file is read, and not at all
// if there is none. Until then a signal ends hookrun in the default way, also while it waits for its stdin.
type interruption struct {
	ctx      context.Context
	notified chan struct{} // closed once signals are registered
	running  atomic.Bool   // hooks may run, which must be killed
	exit     int           // the code where there is no more time for a verdict
}

// watch registers for signals.
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
			if !i.running.Load() {
				os.Exit(i.exit)
			}
			cancel(fmt.Errorf("interrupted by %s", names[s]))
		}
	}()
}

// context returns the context that a signal ends, once all signals are registered.
func (i *interruption) context() context.Context {
	if i.notified == nil {
		i.watch() // the file came up after we looked
	}
	<-i.notified
	i.running.Store(true)
	return i.ctx
}

// over marks the call as ended: nothing is left to kill.
func (i *interruption) over() { i.running.Store(false) }
