package jsonrpc

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// ErrTooLong is the error for a line that is longer than the limit. The line is passed over, and the next can be read.
var ErrTooLong = errors.New("the line is too long")

// Lines reads lines of up to a limit. It holds no more of a longer one, and nothing of a long one once it is given
// away.
type Lines struct {
	from *bufio.Reader
	most int
}

// NewLines reads lines of at most so many bytes, their end not counted.
func NewLines(from io.Reader, most int) *Lines {
	return &Lines{bufio.NewReaderSize(from, 64<<10), most}
}

// Next returns the next line without its end, which is \n or \r\n. At the end of the input what stands behind the last
// \n is a line, unless it is empty; then the error is io.EOF. After ErrTooLong the next line can be read, after any
// other error none.
func (l *Lines) Next() (string, error) {
	piece, err := l.from.ReadSlice('\n')
	var line strings.Builder
	for errors.Is(err, bufio.ErrBufferFull) {
		if line.Len() <= l.most+len("\r\n") { // one that is too long shows here, and grows no more
			if line.Cap()-line.Len() < len(piece) {
				// not by a quarter, as append does: megabytes would be copied often
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
