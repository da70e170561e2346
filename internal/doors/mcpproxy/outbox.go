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

// outgoing is a line. begin is called before the write, and reports whether the line is still wanted. written is called
// with true after the write, or with false if the line was not written.
type outgoing struct {
	text    string
	begin   func() bool
	written func(bool)
}

func newOutbox(to io.Writer, limit int) *outbox {
	o := &outbox{to: to, limit: limit, done: make(chan struct{})}
	o.changed.L = &o.mu
	go o.write()
	return o
}

// put waits for room and adds a line. It drops the line if writing has failed or the outbox is closed.
func (o *outbox) put(line outgoing) {
	o.mu.Lock()
	for o.bytes > o.limit && !o.closed && o.err == nil {
		o.changed.Wait()
	}
	open := o.add(line)
	o.mu.Unlock()
	if !open && line.written != nil {
		line.written(false)
	}
}

// offer adds a line without waiting, or drops the line if the outbox is full.
func (o *outbox) offer(line outgoing) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes <= o.limit && o.add(line)
}

// waits reports whether a further line waits.
func (o *outbox) waits() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.lines) > 0
}

func (o *outbox) add(line outgoing) bool {
	if o.closed || o.err != nil {
		return false
	}
	o.lines = append(o.lines, line)
	o.bytes += len(line.text)
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
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.lines) == 0 && !o.closed && o.err == nil {
			o.changed.Wait()
		}
		if len(o.lines) == 0 {
			return
		}
		line, failed := o.lines[0], o.err
		o.lines[0] = outgoing{}
		o.lines = o.lines[1:]
		o.mu.Unlock()
		wanted := line.begin == nil || line.begin()
		if wanted && failed == nil {
			buffer = append(append(buffer[:0], line.text...), '\n')
			_, failed = o.to.Write(buffer)
		}
		if line.written != nil {
			line.written(wanted && failed == nil)
		}
		if cap(buffer) > 1<<20 { // release the memory of a very long line
			buffer = nil
		}
		o.mu.Lock()
		o.bytes -= len(line.text)
		o.err = failed
		o.changed.Broadcast()
	}
}
