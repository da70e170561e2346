package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/secret"
)

// Streams are the standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	masks bool // stdout is for people: it shows no secrets

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

// Times of a caller that leaves stdin open.
var (
	stdinSilence = 200 * time.Millisecond // ends a call that is complete
	stdinLimit   = 10 * time.Second       // for the first bytes, with a second more for each stdinPart
)

const stdinPart = 64 << 10

// readAll reads a file or stdin to its end, but at most a byte more than most. If a pipe stays open, a complete JSON
// object and silence end a call, and a text that does not arrive in time is an error. size is the expected size.
func readAll(in io.Reader, most int64, size int, isCall bool) (string, error) {
	var b strings.Builder
	b.Grow(size)
	limited, file := io.LimitReader(in, most+1), in
	if stdin, ok := in.(*stdinReader); ok {
		file = stdin.In
	}
	pipe, _ := file.(*os.File)
	if info, err := pipe.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		_, err := io.Copy(&b, limited)
		return b.String(), err
	}
	start, chunk := time.Now(), make([]byte, 32<<10)
	for tried := 0; ; {
		limit := stdinLimit + time.Duration(b.Len()/stdinPart)*time.Second
		switch left := limit - time.Since(start); {
		case isReadable(pipe, min(stdinSilence, left)):
			n, err := limited.Read(chunk)
			switch b.Write(chunk[:n]); {
			case err == io.EOF:
				return b.String(), nil
			case err != nil:
				return "", err
			}
		case isCall && b.Len() > tried && isObject(b.String()):
			return b.String(), nil
		case left <= 0:
			return "", errors.New("the caller did not close stdin within 10 s; close it after the input")
		default:
			tried = b.Len()
		}
	}
}

// isObject reports whether a text is a complete JSON object.
func isObject(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && gjson.Valid(text)
}

// masked is stderr: it shows no secrets. A text is written at once.
type masked struct{ io.Writer }

func (m masked) Write(b []byte) (int, error) {
	if _, err := io.WriteString(m.Writer, secret.MaskMessage(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// isNull reports whether w is this process's stdout and the null device. The Go runtime replaces a closed stdout by the
// null device.
func isNull(w io.Writer) bool {
	d, ok := w.(descriptor)
	return ok && d == descriptor(os.Stdout.Fd()) && terminal.IsNull(os.Stdout)
}

// isColoured reports whether output to w may be coloured: w is this process's stdout and a terminal with colours, and
// NO_COLOR is not set (no-color.org).
func isColoured(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isScreen(w, os.Stdout) }

// isScreen reports whether w is file, this process's stdout or stderr, and a terminal that can move its cursor.
func isScreen(w io.Writer, file *os.File) bool {
	if m, is := w.(masked); is {
		w = m.Writer
	}
	d, ok := w.(descriptor)
	return ok && d == descriptor(file.Fd()) && terminal.TakesEscapes(file)
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

// WriteString writes a text in pieces, so that a text of megabytes is not copied first.
func (d descriptor) WriteString(text string) (written int, err error) {
	piece := make([]byte, min(len(text), pipeSize))
	for written < len(text) && err == nil {
		var n int
		n, err = d.Write(piece[:copy(piece, text[written:])])
		written += n
	}
	return written, err
}
