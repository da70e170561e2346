package cli

import (
	"fmt"
	"io"
	"os"
)

// Streams are the standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Standard returns the streams of this process. Written to as os.Stdout, a pipe that nobody reads would end hookrun by
// SIGPIPE, without a word; this way it is an error like any other.
func Standard() Streams {
	return Streams{In: os.Stdin, Out: descriptor(os.Stdout.Fd()), Err: descriptor(os.Stderr.Fd())}
}

// typed is stdin for a command that reads all of it. If a person is to type it, the first read says so: a command that
// waits without a word looks as if it hung.
type typed struct {
	Streams
	said bool
}

func (t *typed) Read(b []byte) (int, error) {
	if !t.said && interactive(t.Streams) {
		fmt.Fprintf(t.Err, "hookrun: reading from the terminal; end the input with %s\n", endOfInput)
	}
	t.said = true
	return t.In.Read(b)
}

// isNull reports whether w is this process's stdout and leads nowhere. The Go runtime puts the null device in the place
// of a stdout that was closed.
func isNull(w io.Writer) bool {
	d, ok := w.(descriptor)
	return ok && d == descriptor(os.Stdout.Fd()) && leadsNowhere(os.Stdout)
}

// Write writes all of b.
func (d descriptor) Write(b []byte) (written int, err error) {
	for written < len(b) && err == nil {
		var n int
		n, err = d.write(b[written:])
		written += max(n, 0)
	}
	return written, err
}
