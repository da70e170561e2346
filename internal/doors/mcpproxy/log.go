package mcpproxy

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// unreadLog is the number of bytes that wait for a reader of a log, and logPatience the wait for a reader at the end.
const (
	unreadLog   = 256 << 10
	logPatience = time.Second
)

// Log writes texts in a goroutine, so a client that does not read stderr blocks no message. Texts beyond a limit are
// dropped and counted.
type Log struct {
	out     *outbox
	dropped atomic.Int64
}

// NewLog returns a log that writes to a stream.
func NewLog(to io.Writer) *Log { return &Log{out: newOutbox(to, unreadLog)} }

// Write adds a text that ends with a newline, and never waits.
func (l *Log) Write(text []byte) (int, error) {
	line := outgoing{text: string(bytes.TrimSuffix(text, []byte("\n"))), written: l.written}
	if !l.out.offer(line) {
		l.dropped.Add(1)
	}
	return len(text), nil
}

// written writes the count of dropped texts, after the texts that came before.
func (l *Log) written(bool) {
	if l.out.waits() {
		return
	}
	if n := l.dropped.Swap(0); n > 0 {
		fmt.Fprintf(l.out.to, "hookrun mcp: %d messages were dropped here: nobody read stderr\n", n)
	}
}

// Close writes the waiting texts, if a reader takes them soon.
func (l *Log) Close() {
	l.out.close()
	select {
	case <-l.out.done:
	case <-time.After(logPatience):
	}
}
