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

	last *func() // runs when the command has printed everything; nil outside of command.run
}

// Standard returns the streams of this process. Writing to a closed pipe through os.Stdout would end hookrun by
// SIGPIPE, without a message; through a descriptor, the write returns an error.
func Standard() Streams {
	return Streams{In: os.Stdin, Out: descriptor(os.Stdout.Fd()), Err: descriptor(os.Stderr.Fd())}
}

// stdinReader is stdin for a command that reads all of stdin. If a person has to type the input, the first read prints
// a hint: a command that waits in silence seems to hang.
type stdinReader struct {
	Streams
	said bool
}

func (t *stdinReader) Read(b []byte) (int, error) {
	if !t.said && interactive(t.Streams) {
		fmt.Fprintf(t.Err, "hookrun: reading from the terminal; end the input with %s\n", endOfInput)
	}
	t.said = true
	return t.In.Read(b)
}

// isNull reports whether w is this process's stdout and the null device. The Go runtime replaces a closed stdout by the
// null device.
func isNull(w io.Writer) bool {
	d, ok := w.(descriptor)
	return ok && d == descriptor(os.Stdout.Fd()) && isNullDevice(os.Stdout)
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
