package process

import (
	"bytes"
	"errors"
	"io"
	"os"
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
	half  int // bytes kept of the head, and of the tail
	head  []byte
	ring  []byte // the last bytes
	tail  []byte // the filled part of ring
	next  int    // where the next byte goes in ring
	total int64
	ended bool // readAll has met the end of the stream

	firstLine func([]byte) // called once with the first complete line, without the newline; may be nil
}

// newCaptures returns the captures of stdout and stderr.
func newCaptures() [2]capture { return [2]capture{{half: keepStdout / 2}, {half: keepStderr / 2}} }

// read reads once, directly into the kept part.
func (c *capture) read(r io.Reader) error {
	if len(c.head) < c.half {
		return c.readHead(r)
	}
	if c.ring == nil {
		c.ring = make([]byte, c.half)
	}
	n, err := r.Read(c.ring[c.next:])
	c.next += max(n, 0)
	c.total += int64(max(n, 0))
	c.tail = c.ring[:max(len(c.tail), c.next)]
	if c.next == len(c.ring) {
		c.next = 0
	}
	return err
}

func (c *capture) readHead(r io.Reader) error {
	if len(c.head) == cap(c.head) {
		c.head = append(make([]byte, 0, min(max(4*cap(c.head), 512), c.half)), c.head...)
	}
	old := len(c.head)
	n, err := r.Read(c.head[old:cap(c.head)])
	c.head = c.head[:old+max(n, 0)]
	c.total += int64(max(n, 0))
	if c.firstLine != nil {
		if end := bytes.IndexByte(c.head[old:], '\n'); end >= 0 {
			c.firstLine(c.head[:old+end])
			c.firstLine = nil
		}
	}
	return err
}

// readAll reads until the stream ends. After e.stop it reads what is in the pipe, and waits for nothing more. On a busy
// machine stop may come before the first read, and the output of an ended process must count all the same.
func (c *capture) readAll(e *pipeEnd) {
	err := c.read(e)
	for err == nil {
		err = c.read(e)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
		// A pipe holds less than keepStdout; more comes from a process that still prints.
		for until := c.total + keepStdout; err == nil && c.total < until; {
			err = c.read(unreadReader{e})
		}
	}
	c.ended = err == io.EOF
}

// unreadReader reads what is in a pipe. Instead of waiting, Read returns an error other than io.EOF.
type unreadReader struct{ *pipeEnd }

// output returns the kept bytes in the order of printing.
func (c *capture) output() Output {
	tail := c.tail
	if len(tail) == c.half && c.next > 0 {
		tail = append(append(make([]byte, 0, c.half), tail[c.next:]...), tail[:c.next]...)
	}
	return Output{Head: c.head, Tail: tail, Total: c.total}
}
