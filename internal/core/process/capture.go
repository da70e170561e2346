package process

import (
	"bytes"
	"io"
)

// keepStdout and keepStderr are the numbers of bytes kept of an output stream: half from the head, half from the tail.
// They bound the memory if a process never stops printing.
const (
	keepStdout = 16 << 20
	keepStderr = 1 << 20
)

// Output is the kept part of an output stream: the head and, if bytes were left out, the tail.
type Output struct {
	Head, Tail []byte
	Total      int64 // bytes printed, including those left out
}

// leftOut returns the number of bytes that were not kept.
func (o *Output) leftOut() int64 { return o.Total - int64(len(o.Head)+len(o.Tail)) }

// capture reads a stream to its end and keeps its head and tail.
type capture struct {
	half  int    // bytes kept of the head, and of the tail
	kept  []byte // all bytes while they fit into both halves; then the head, and the last bytes in a ring behind it
	next  int    // where the next byte goes in the ring; 0: all bytes have fitted
	total int64
	ended bool // the end of the stream was read

	firstLine func([]byte) // called once with the first complete line, without the newline; may be nil
}

// newCaptures returns the captures of stdout and stderr.
func newCaptures() [2]capture { return [2]capture{{half: keepStdout / 2}, {half: keepStderr / 2}} }

// read reads once, directly into the kept part.
func (c *capture) read(r io.Reader) error {
	if len(c.kept) < 2*c.half {
		return c.readMore(r)
	}
	if c.next == 0 || c.next == len(c.kept) {
		c.next = c.half
	}
	n, err := r.Read(c.kept[c.next:])
	c.next += max(n, 0)
	c.total += int64(max(n, 0))
	return err
}

// largest is the largest buffer that grows little by little. Copies of more bytes cost more than unused memory, which
// the system hands out with the first byte of each page.
const largest = 2 << 20

func (c *capture) readMore(r io.Reader) error {
	if len(c.kept) == cap(c.kept) {
		size := max(4*cap(c.kept), 512)
		if size > largest {
			size = 2 * c.half
		}
		c.kept = append(make([]byte, 0, min(size, 2*c.half)), c.kept...)
	}
	old := len(c.kept)
	n, err := r.Read(c.kept[old:cap(c.kept)])
	c.kept = c.kept[:old+max(n, 0)]
	c.total += int64(max(n, 0))
	if c.firstLine != nil {
		if end := bytes.IndexByte(c.kept[old:], '\n'); end >= 0 {
			c.firstLine(c.kept[:old+end])
			c.firstLine = nil
		}
	}
	return err
}

// output returns the kept bytes in the order of printing.
func (c *capture) output() Output {
	if c.total <= int64(len(c.kept)) {
		return Output{Head: c.kept, Total: c.total}
	}
	head, ring := c.kept[:c.half:c.half], c.kept[c.half:]
	tail := append(append(make([]byte, 0, c.half), ring[c.next-c.half:]...), ring[:c.next-c.half]...)
	return Output{Head: head, Tail: tail, Total: c.total}
}
