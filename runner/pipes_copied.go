package runner

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

// copiedPipes are pipes that goroutines read and write, one for each, beside one that waits for the exit. Every system
// can have them.
type copiedPipes struct {
	*stdio
	payload  dialect.Payload
	captures [2]capture
	ended    chan struct{} // the leader has
	read     chan struct{} // both outputs came to their end
	written  chan struct{} // there is nothing more to write, or nobody to read it
	asked    chan struct{} // closed when the first line says that nobody is to wait
}

func newCopiedPipes(payload dialect.Payload, detaches func([]byte) bool) (_ pipes, hook [3]uintptr, err error) {
	w := &copiedPipes{
		payload: payload,
		read:    make(chan struct{}), written: make(chan struct{}), asked: make(chan struct{}),
	}
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

// Writing and reading go on at the same time: a hook that answers before it has read would else wait for us, and we for
// it.
func (w *copiedPipes) serve(p *process) {
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

func (w *copiedPipes) wait(ctx context.Context, until time.Time) happening {
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

func (w *copiedPipes) exited(limit time.Duration) bool { return within(w.ended, limit) }

func (w *copiedPipes) drain(limit time.Duration) { within(w.read, limit) }

func (w *copiedPipes) said() bool {
	select {
	case <-w.asked:
		w.asked = nil
		return true
	default:
		return false
	}
}

func (w *copiedPipes) stop() (stdout, stderr dialect.Capture) {
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
