package process

import (
	"context"
	"io"
	"sync"
	"time"
)

// copiedPipes are pipes that goroutines read and write, one for each, beside one that waits for the exit. Every system
// can have them.
type copiedPipes struct {
	*stdio
	input    Input
	captures [2]capture
	ended    chan struct{} // the leader has
	read     chan struct{} // both outputs came to their end
	written  chan struct{} // there is nothing more to write, or nobody to read it
	asked    chan struct{} // closed when the first line says that nobody is to wait
}

func newCopiedPipes(input Input, detach func([]byte) bool) (_ pipes, theirs [3]uintptr, err error) {
	w := &copiedPipes{
		input: input,
		read:  make(chan struct{}), written: make(chan struct{}), asked: make(chan struct{}),
	}
	if w.stdio, err = newStdio(); err != nil {
		return nil, theirs, err
	}
	if detach != nil {
		asked := w.asked
		w.captures[0].firstLine = func(line []byte) {
			if detach(line) {
				close(asked)
			}
		}
	}
	return w, w.fds(), nil
}

// Writing and reading go on at the same time: a hook that answers before it has read would else wait for us, and we for
// it.
func (w *copiedPipes) serve(l *leader) {
	w.closeTheirs()
	w.ended = l.exit()
	go func() {
		defer close(w.written)
		for _, piece := range w.input {
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

func (w *copiedPipes) wait(ctx context.Context, until time.Time) waitEvent {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	asked := w.asked
	var promised chan struct{} // its input, which it gets all the same
	for {
		select {
		case <-w.ended:
			return eventExit
		case <-ctx.Done():
			return eventCancel
		case <-timer.C:
			return eventDeadline
		case <-asked:
			asked, promised = nil, w.written
		case <-promised:
			return eventDetach
		}
	}
}

func (w *copiedPipes) exited(limit time.Duration) bool { return within(w.ended, limit) }

func (w *copiedPipes) drain(limit time.Duration) { within(w.read, limit) }

func (w *copiedPipes) takeDetach() bool {
	select {
	case <-w.asked:
		w.asked = nil
		return true
	default:
		return false
	}
}

func (w *copiedPipes) stop() (stdout, stderr Output) {
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
