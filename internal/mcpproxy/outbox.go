package mcpproxy

import (
	"io"
	"sync"
)

// outbox writes lines to one side, in order and in its own goroutine. So a side that does not read blocks no sender
// until the limit is reached.
type outbox struct {
	to    io.Writer
	limit int // bytes that may wait

	mu      sync.Mutex
	changed sync.Cond // a line was added or written, or the outbox was closed
	lines   []outgoing
	bytes   int
	closed  bool          // lines are no longer accepted
	err     error         // of writing
	done    chan struct{} // closed when all lines are written, or writing has failed
}

// outgoing is a line. written is called with true after the write, or with false if the write fails.
type outgoing struct {
	text    string
	written func(bool)
}

func newOutbox(to io.Writer, limit int) *outbox {
	o := &outbox{to: to, limit: limit, done: make(chan struct{})}
	o.changed.L = &o.mu
	go o.write()
	return o
}

// put waits for room and adds a line. It drops the line if writing has failed or the outbox is closed.
func (o *outbox) put(text string, written func(bool)) {
	o.mu.Lock()
	for o.bytes > o.limit && !o.closed && o.err == nil {
		o.changed.Wait()
	}
	open := o.add(text, written)
	o.mu.Unlock()
	if !open && written != nil {
		written(false)
	}
}

// offer adds a line without waiting, or drops the line if the outbox is full.
func (o *outbox) offer(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes <= o.limit {
		o.add(text, nil)
	}
}

func (o *outbox) add(text string, written func(bool)) bool {
	if o.closed || o.err != nil {
		return false
	}
	o.lines = append(o.lines, outgoing{text, written})
	o.bytes += len(text)
	o.changed.Broadcast()
	return true
}

// close ends the outbox after all its lines are written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
}

func (o *outbox) write() {
	defer close(o.done)
	var buffer []byte
	for {
		o.mu.Lock()
		for len(o.lines) == 0 && !o.closed {
			o.changed.Wait()
		}
		lines := o.lines
		o.lines = nil
		failed := o.err
		o.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if failed == nil {
				buffer = append(append(buffer[:0], line.text...), '\n')
				_, failed = o.to.Write(buffer)
			}
			if line.written != nil {
				line.written(failed == nil)
			}
			if cap(buffer) > 1<<20 { // release the memory of a very long line
				buffer = nil
			}
			o.mu.Lock()
			o.bytes -= len(line.text)
			o.err = failed
			o.changed.Broadcast()
			o.mu.Unlock()
		}
		if failed != nil {
			return
		}
	}
}
