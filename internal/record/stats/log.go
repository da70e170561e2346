package stats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

const (
	blockSize = 1 << 20
	maxLine   = 16 << 20
)

// Log is an open run log: the parts, each with the length at the time of the opening.
type Log struct {
	path  string
	parts []Part // oldest first
}

// Part is a file of a log: the log itself, or a rotated part.
type Part struct {
	path string
	file *os.File
	info fs.FileInfo
	size int64
}

// Open opens a log and its rotated parts, FILE.3, FILE.2 and FILE.1. If no part exists, the error is fs.ErrNotExist.
func Open(path string) (*Log, error) {
	l := &Log{path: path}
	// Open the youngest part first. If the log is rotated meanwhile, an open part moves to a name opened later, and is
	// recognized. In the other order a part would be missed.
	for _, name := range []string{path, path + ".1", path + ".2", path + ".3"} {
		if err := l.open(name); err != nil {
			l.Close()
			return nil, err
		}
	}
	if len(l.parts) == 0 {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	slices.Reverse(l.parts)
	return l, nil
}

func (l *Log) open(path string) error {
	info, err := os.Stat(path) // before the opening: a pipe would wait for a writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	file, err := openShared(path)
	if err == nil {
		info, err = file.Stat()
	}
	if errors.Is(err, fs.ErrNotExist) { // rotated away just now
		return nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(l.parts, func(p Part) bool { return os.SameFile(p.info, info) }) {
		return file.Close()
	}
	l.parts = append(l.parts, Part{path, file, info, info.Size()})
	return nil
}

// Close closes the files.
func (l *Log) Close() {
	for _, p := range l.parts {
		p.file.Close()
	}
}

// Files returns the paths of the parts, oldest first.
func (l *Log) Files() (paths []string) {
	for _, p := range l.parts {
		paths = append(paths, p.path)
	}
	return paths
}

// eachLineOf is eachLine for several parts. It returns the end of the last complete line of the last part.
func eachLineOf(parts []Part, each func(line []byte, whole bool) error) (end int64, err error) {
	for _, p := range parts {
		if end, err = eachLine(p.file, 0, p.size, each); err != nil {
			return end, err
		}
	}
	return end, nil
}

// eachLine calls each for the lines between two offsets of a file, without line ends, until each returns an error. It
// returns the end of the last complete line that each took. whole is false for an unfinished last line. If a line is
// too long, line is nil.
func eachLine(file io.ReaderAt, from, to int64, each func(line []byte, whole bool) error) (end int64, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(file, from, to-from), int(min(blockSize, to-from)))
	end = from
	var long []byte // the beginning of a line longer than the buffer
	for at := from; ; {
		line, err := in.ReadSlice('\n')
		at += int64(len(line))
		if err == bufio.ErrBufferFull || long != nil {
			if len(long) <= maxLine {
				long = append(long, line...)
			}
			line = long
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0:
			return end, nil
		case err != nil && err != io.EOF:
			return end, err
		}
		whole := err == nil
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > maxLine {
			line = nil
		}
		if err := each(line, whole); err != nil {
			return end, err
		}
		if whole {
			end = at
		}
		long = nil
	}
}
