package jsonrpc

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// ErrTooLong means that a line was longer than the limit. The line is skipped; reading can go on with the next line.
var ErrTooLong = errors.New("the line is too long")

// Lines reads lines up to a maximum length. It buffers at most that length, and frees the memory of a long line after
// returning it.
type Lines struct {
	from  *bufio.Reader
	limit int
}

// NewLines returns a reader of lines of at most `most` bytes, without the line end.
func NewLines(from io.Reader, most int) *Lines {
	return &Lines{bufio.NewReaderSize(from, 64<<10), most}
}

// Next returns the next line without the end, \n or \r\n. Text after the last \n is a line too. At the end of the input
// the error is io.EOF. After ErrTooLong the next line can be read, but not after another error.
func (l *Lines) Next() (string, error) {
	piece, err := l.from.ReadSlice('\n')
	var line strings.Builder
	for errors.Is(err, bufio.ErrBufferFull) {
		if line.Len() <= l.limit+len("\r\n") { // a longer line is too long anyway and grows no more
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
	if line.Len() <= l.limit+len("\r\n") {
		line.Write(piece)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(line.String(), "\n"), "\r")
	if len(text) > l.limit {
		return "", ErrTooLong
	}
	return text, nil
}
