package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// unreadLog is the number of bytes that wait for a reader of stderr, and logPatience the wait for a reader at the end.
const (
	unreadLog   = 256 << 10
	logPatience = time.Second
)

// asyncLog writes to stderr in a goroutine of its own, so a client that does not read stderr blocks no message. Texts
// beyond the limit are dropped and counted.
type asyncLog struct {
	to io.Writer

	mu      sync.Mutex
	moved   sync.Cond // a text was added, or the log was closed
	texts   [][]byte
	bytes   int
	dropped int
	closed  bool
	done    chan struct{} // closed once all texts are written
}

func newAsyncLog(to io.Writer) *asyncLog {
	l := &asyncLog{to: to, done: make(chan struct{})}
	l.moved.L = &l.mu
	go l.write()
	return l
}

// Write adds a text and never waits.
func (l *asyncLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.bytes+len(text) > unreadLog && l.bytes > 0 {
		l.dropped++
		return len(text), nil
	}
	l.texts = append(l.texts, append([]byte(nil), text...))
	l.bytes += len(text)
	l.moved.Broadcast()
	return len(text), nil
}

func (l *asyncLog) write() {
	defer close(l.done)
	for {
		l.mu.Lock()
		for len(l.texts) == 0 && !l.closed {
			l.moved.Wait()
		}
		if len(l.texts) == 0 {
			l.mu.Unlock()
			return
		}
		text, dropped := l.texts[0], l.dropped
		l.texts = l.texts[1:]
		if len(l.texts) > 0 { // print the count after the texts that came before
			dropped = 0
		} else {
			l.dropped = 0
		}
		l.mu.Unlock()
		_, _ = l.to.Write(text)
		if dropped > 0 {
			fmt.Fprintf(l.to, "hookrun mcp: %d messages were dropped here: nobody read stderr\n", dropped)
		}
		l.mu.Lock()
		l.bytes -= len(text)
		l.mu.Unlock()
	}
}

// close writes the waiting texts, if a reader takes them soon.
func (l *asyncLog) close() {
	l.mu.Lock()
	l.closed = true
	l.moved.Broadcast()
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-time.After(logPatience):
	}
}
