//go:build !linux

package runner

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// wires are the three pipes of a running hook, and everything that can happen while it runs. Goroutines read and write the
// pipes and wait for the exit.
type wires struct {
	*stdio
	payload  protocol.Payload
	captures [2]capture
	ended    chan struct{} // the leader has
	read     chan struct{} // both outputs came to their end
	written  chan struct{} // there is nothing more to write, or nobody to read it
	asked    chan struct{} // closed when the first line says that nobody is to wait
}

// newWires makes the pipes. It returns the ends for the hook. detaches looks at the first line of stdout, unless it is nil.
func newWires(payload protocol.Payload, detaches func([]byte) bool) (w *wires, hook [3]uintptr, err error) {
	w = &wires{payload: payload, read: make(chan struct{}), written: make(chan struct{}), asked: make(chan struct{})}
	if w.stdio, err = newStdio(); err != nil {
		return nil, hook, err
	}
	if detaches != nil {
		asked := w.asked
		w.captures[0].firstLine = func(line []byte) {
			if detaches(line) {
				close(asked)
			}
		}
	}
	return w, w.fds(), nil
}

// serve begins to serve the process that was started with the hook's ends. Ours of these are closed, which would else keep the
// pipes open for ever. Writing and reading go on at the same time: a hook that answers before it has read would else wait for
// us, and we for it.
func (w *wires) serve(p *process) {
	for _, f := range w.hook {
		f.Close()
	}
	w.ended = p.exit()
	go func() {
		defer close(w.written)
		for _, piece := range w.payload {
			if _, err := w.in.Write(piece); err != nil {
				break // it does not want to read, which is its right; its exit still counts
			}
		}
		w.in.Close()
	}()
	go func() {
		defer close(w.read)
		var other sync.WaitGroup
		other.Go(func() { w.captures[1].readFrom(&w.out[1]) })
		w.captures[0].readFrom(&w.out[0])
		other.Wait()
	}()
}

// wait waits for what happens next.
func (w *wires) wait(ctx context.Context, until time.Time) happening {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	asked := w.asked
	var promised chan struct{} // its input, which it gets all the same
	for {
		select {
		case <-w.ended:
			return exits
		case <-ctx.Done():
			return givenUp
		case <-timer.C:
			return timeUp
		case <-asked:
			asked, promised = nil, w.written
		case <-promised:
			return detaches
		}
	}
}

// exited waits for the end of the leader, so long at most, and reports whether it came.
func (w *wires) exited(limit time.Duration) bool { return within(w.ended, limit) }

// drain reads what is still in the pipes, and waits for more as long as somebody holds them, so long at most. For what was not
// written it does not wait: the hook did without.
func (w *wires) drain(limit time.Duration) { within(w.read, limit) }

// said reports whether the hook said that nobody is to wait for it, and forgets that.
func (w *wires) said() bool {
	select {
	case <-w.asked:
		w.asked = nil
		return true
	default:
		return false
	}
}

// stop ends all traffic, closes the pipes, and returns what was printed.
func (w *wires) stop() (stdout, stderr protocol.Capture) {
	w.in.stop()
	w.out[0].stop()
	w.out[1].stop()
	if w.ended != nil { // it was served
		<-w.written
		<-w.read
	}
	w.close()
	return w.captures[0].kept(), w.captures[1].kept()
}

// readFrom reads until the end or an error; what was read until then counts.
func (c *capture) readFrom(r io.Reader) {
	for c.read(r) == nil {
	}
}
