package jsonrpc

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// ErrTooLong means that a line is longer than the limit. It is skipped, and the next one can be read.
var ErrTooLong = errors.New("the line is too long")

// Lines reads lines up to a maximum length. It keeps no more than that of a longer line, and no memory of a long line
// after returning it.
type Lines struct {
	from *bufio.Reader
	most int
}

// NewLines returns a reader of lines with at most so many bytes, not counting their end.
func NewLines(from io.Reader, most int) *Lines {
	return &Lines{bufio.NewReaderSize(from, 64<<10), most}
}

// Next returns the next line without its end, \n or \r\n. Text after the last \n is a line, too. Then the error is
// io.EOF. After ErrTooLong the next line can be read; after any other error none can.
func (l *Lines) Next() (string, error) {
	piece, err := l.from.ReadSlice('\n')
	var line strings.Builder
	for errors.Is(err, bufio.ErrBufferFull) {
		if line.Len() <= l.most+len("\r\n") { // a longer line is known to be too long and grows no more
			if line.Cap()-line.Len() < len(piece) {
				// Double it: append grows by a quarter, which would copy megabytes often.
				line.Grow(max(line.Cap(), 4*len(piece)))
			}
			line.Write(piece)
		}
		piece, err = l.from.ReadSlice('\n')
	}
	if err != nil && (err != io.EOF || line.Len()+len(piece) == 0) {
		return "", err
	}
	if line.Len() <= l.most+len("\r\n") {
		line.Write(piece)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(line.String(), "\n"), "\r")
	if len(text) > l.most {
		return "", ErrTooLong
	}
	return text, nil
}
