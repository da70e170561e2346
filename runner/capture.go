package runner

import (
	"bytes"
	"io"

	"github.com/hookrun/hookrun/internal/dialect"
)

// keepHead and keepTail are what is kept of one output stream: 1 MiB. A hook that prints for ever costs no more.
const (
	keepHead = 512 << 10
	keepTail = 512 << 10
)

// capture reads a stream to its end and keeps its two ends.
type capture struct {
	head  []byte
	ring  []byte // of the last bytes
	tail  []byte // what of the ring is filled
	at    int    // where the ring goes on
	total int64

	firstLine func([]byte) // is given the first line once it is there, without its end; nil: nobody asks
}

// read reads once, straight into what is kept.
func (c *capture) read(r io.Reader) error {
	if len(c.head) < keepHead {
		if len(c.head) == cap(c.head) {
			c.head = append(make([]byte, 0, min(max(4*cap(c.head), 512), keepHead)), c.head...)
		}
		n, err := r.Read(c.head[len(c.head):cap(c.head)])
		old := len(c.head)
		c.head = c.head[:old+max(n, 0)]
		c.total += int64(max(n, 0))
		if c.firstLine != nil {
			if end := bytes.IndexByte(c.head[old:], '\n'); end >= 0 {
				firstLine := c.firstLine
				c.firstLine = nil
				firstLine(c.head[:old+end])
			}
		}
		return err
	}
	if c.ring == nil {
		c.ring = make([]byte, keepTail)
	}
	n, err := r.Read(c.ring[c.at:])
	c.at += max(n, 0)
	c.total += int64(max(n, 0))
	c.tail = c.ring[:max(len(c.tail), c.at)]
	if c.at == len(c.ring) {
		c.at = 0
	}
	return err
}

// kept returns what was read in its order.
func (c *capture) kept() dialect.Capture {
	tail := c.tail
	if len(tail) == keepTail && c.at > 0 {
		tail = append(append(make([]byte, 0, keepTail), tail[c.at:]...), tail[:c.at]...)
	}
	return dialect.Capture{Head: c.head, Tail: tail, Total: c.total}
}
