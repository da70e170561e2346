package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error for a line that is longer than the limit. The line is passed over, and the next can be read.
var ErrTooLong = errors.New("the line is too long")

// Lines reads lines of up to a limit. It holds no more of a longer one, and no buffer of a long one once the next is read.
type Lines struct {
	from *bufio.Reader
	most int
}

// NewLines reads lines of at most so many bytes, their end not counted.
func NewLines(from io.Reader, most int) *Lines {
	return &Lines{bufio.NewReaderSize(from, 64<<10), most}
}

// Next returns the next line without its end, which is \n or \r\n. It is valid until the next call. At the end of the input
// what stands behind the last \n is a line, unless it is empty; then the error is io.EOF. After ErrTooLong the next line can
// be read, after any other error none.
func (l *Lines) Next() ([]byte, error) {
	piece, err := l.from.ReadSlice('\n')
	if err == nil || err == io.EOF && len(piece) > 0 {
		return l.cut(piece)
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	line := bytes.Clone(piece)
	for errors.Is(err, bufio.ErrBufferFull) {
		piece, err = l.from.ReadSlice('\n')
		if len(line) <= l.most+len("\r\n") { // one that is too long shows here, and grows no more
			line = append(line, piece...)
		}
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	return l.cut(line)
}

// More reports whether another line was read already, if only by chance: Next returns it without waiting.
func (l *Lines) More() bool {
	next, _ := l.from.Peek(l.from.Buffered())
	return bytes.IndexByte(next, '\n') >= 0
}

func (l *Lines) cut(line []byte) ([]byte, error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
	if len(line) > l.most {
		return nil, ErrTooLong
	}
	return line, nil
}
