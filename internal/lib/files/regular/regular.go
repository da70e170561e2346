// Package regular reads files whole, up to a size. It opens regular files only: a named pipe would block for ever, and
// the opening of a device can have effects.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// Read reads a file of at most the given number of bytes. It follows symbolic links.
func Read(path string, most int64) (text []byte, info fs.FileInfo, err error) {
	if info, err = os.Stat(path); err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, ErrNotRegular
	}
	file, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil { // the path may name another file by now
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, ErrNotRegular
	}
	if text, err = io.ReadAll(io.LimitReader(file, most+1)); err != nil {
		return nil, nil, err
	}
	if int64(len(text)) > most {
		return nil, nil, ErrTooLarge
	}
	return text, info, nil
}

// Kind names the kind of a file that is not regular, as in "a named pipe".
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return m.Type().String()
}
