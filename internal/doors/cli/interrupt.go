package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
)

// interruption ends a call on SIGINT, SIGTERM, SIGHUP and SIGQUIT, so the hooks are killed before hookrun exits. A
// second signal has no effect: an immediate exit would leave the hooks' children behind. Before the first hook (for
// example while hookrun hashes the hooks' files) and after the call, a signal ends hookrun at once. If the caller
// ignores a signal, hookrun ignores it too.
//
// Registering for signals takes a tenth of a one-shot call. So hookrun registers only if there is a hooks file. Until
// then a signal ends hookrun in the default way, also while hookrun waits for stdin.
type interruption struct {
	ctx     context.Context // nil: not registered
	running atomic.Bool     // hooks may run and must be killed
	exit    int             // exit code of an immediate end
}

// watch registers for signals. It does so in the caller's goroutine: Go hands each signal over to a thread and back,
// and on a busy machine another goroutine would wait for the processor as often.
func (i *interruption) watch() {
	ctx, cancel := context.WithCancelCause(context.Background())
	i.ctx = ctx
	signals := make(chan os.Signal, 2)
	names := map[os.Signal]string{
		syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT",
	}
	for s := range names {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		for s := range signals {
			if !i.running.Load() {
				os.Exit(i.exit)
			}
			cancel(fmt.Errorf("interrupted by %s", names[s]))
		}
	}()
}

// context returns the context that a signal cancels.
func (i *interruption) context() context.Context {
	if i.ctx == nil {
		i.watch() // the hooks file appeared after the first look
	}
	i.running.Store(true)
	return i.ctx
}

// done marks the call as ended: no hook is left to kill.
func (i *interruption) done() { i.running.Store(false) }

// untilSignal returns a context that ends at a signal, but for signals that the caller ignores, as a shell does for
// background jobs. A second signal ends hookrun at once, if the end hangs.
func untilSignal(signals ...os.Signal) (context.Context, context.CancelFunc) {
	signals = slices.DeleteFunc(signals, signal.Ignored)
	if len(signals) == 0 {
		return context.WithCancel(context.Background())
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
