package runner

import (
	"bytes"
	"io"

	"github.com/hookrun/hookrun/protocol"
)

// keepHead and keepTail are what is kept of one output stream: 1 MiB. A hook that prints for ever costs no more.
const (
	keepHead = 512 << 10
	keepTail = 512 << 10
)

// capture reads a stream to its end and keeps its two ends.
type capture struct {
	head  []byte
	tail  []byte // a ring once it is full
	at    int    // where the ring goes on
	total int64

	firstLine func([]byte) // is given the first line once it is there, without its end; nil: nobody asks
}

// readFrom reads until the end or an error; what was read until then counts. It reads straight into what is kept.
func (c *capture) readFrom(r io.Reader) {
	c.head = make([]byte, 0, 4<<10)
	for len(c.head) < keepHead {
		if len(c.head) == cap(c.head) {
			c.head = append(make([]byte, 0, min(4*cap(c.head), keepHead)), c.head...)
		}
		n, err := r.Read(c.head[len(c.head):cap(c.head)])
		old := len(c.head)
		c.head = c.head[:old+n]
		c.total += int64(n)
		if c.firstLine != nil {
			if end := bytes.IndexByte(c.head[old:], '\n'); end >= 0 {
				c.firstLine(c.head[:old+end])
				c.firstLine = nil
			}
		}
		if err != nil {
			return
		}
	}
	ring := make([]byte, keepTail)
	filled := 0
	for {
		n, err := r.Read(ring[c.at:])
		c.at += n
		filled = max(filled, c.at)
		c.total += int64(n)
		c.tail = ring[:filled]
		if c.at == len(ring) {
			c.at = 0
		}
		if err != nil {
			return
		}
	}
}

// kept returns what was read in its order.
func (c *capture) kept() protocol.Capture {
	tail := c.tail
	if len(tail) == keepTail && c.at > 0 {
		tail = append(append(make([]byte, 0, keepTail), tail[c.at:]...), tail[:c.at]...)
	}
	return protocol.Capture{Head: c.head, Tail: tail, Total: c.total}
}
