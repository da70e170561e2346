package runstats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
)

const (
	blockSize = 1 << 20
	maxLine   = 16 << 20
)

// Log is a run log that was opened: the parts that there were, each as long as it was then.
type Log struct {
	path  string
	parts []part // oldest first
}

type part struct {
	path string
	file *os.File
	size int64
}

// Open opens a log and its rotated parts, FILE.3, FILE.2 and FILE.1. It is an error if there is none of them.
func Open(path string) (*Log, error) {
	l := &Log{path: path}
	// The youngest first: who rotates meanwhile moves what is open already to where it is looked for next, and there it is known
	// again. The other way round a part would be missed.
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
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err == nil {
		info, err = file.Stat()
	}
	if errors.Is(err, fs.ErrNotExist) { // just now rotated away
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range l.parts {
		if known, err := p.file.Stat(); err == nil && os.SameFile(known, info) {
			return file.Close()
		}
	}
	l.parts = append(l.parts, part{path, file, info.Size()})
	return nil
}

// Close closes the files.
func (l *Log) Close() {
	for _, p := range l.parts {
		p.file.Close()
	}
}

// Files are the paths of the parts, oldest first.
func (l *Log) Files() (paths []string) {
	for _, p := range l.parts {
		paths = append(paths, p.path)
	}
	return paths
}

// block is a piece of a log.
type block struct {
	lines []byte // whole lines, each with its end; or nothing
	torn  []byte // or a last line without an end
	long  bool   // or a line that is too long, and was left out
	at    int64  // where it begins
}

// readBlock reads whole lines of a file from at on, before end, at least one if there is one. buf is read into, and grows if a
// line needs it. next is where to go on.
func readBlock(file io.ReaderAt, at, end int64, buf *[]byte) (b block, next int64, err error) {
	b.at = at
	size := min(blockSize, end-at)
	for {
		if int64(len(*buf)) < size {
			*buf = make([]byte, size)
		}
		text := (*buf)[:size]
		n, err := file.ReadAt(text, at)
		if err != nil && err != io.EOF { // somebody may have truncated the file meanwhile
			return b, at, err
		}
		text = text[:n]
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
			b.lines = text[:i+1]
			return b, at + int64(i+1), nil
		}
		switch {
		case n > maxLine:
			b.long = true
			next, err := lineEnd(file, at+int64(n), end, text)
			return b, next, err
		case int64(n) < size || at+size == end:
			b.torn = text
			return b, end, nil
		}
		size = min(2*size, maxLine+1, end-at)
	}
}

// lineEnd returns where the next line begins, end if none does.
func lineEnd(file io.ReaderAt, at, end int64, buf []byte) (int64, error) {
	for at < end {
		n, err := file.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
		if err != nil && err != io.EOF {
			return at, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i+1), nil
		}
		if n == 0 {
			break
		}
		at += int64(n)
	}
	return end, nil
}

// source hands out the blocks of a log, to several goroutines.
type source struct {
	mu    sync.Mutex
	parts []part
	at    int64 // in the first of parts
	base  int64 // where that begins in the whole log
	err   error
}

// next reads a block into buf. It is io.EOF when all were handed out, or reading failed for somebody. The place of a block is one
// in the whole log.
func (s *source) next(buf *[]byte) (b block, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.parts) > 0 && s.at >= s.parts[0].size {
		s.base += s.parts[0].size
		s.parts, s.at = s.parts[1:], 0
	}
	if s.err != nil || len(s.parts) == 0 {
		return b, io.EOF
	}
	p := s.parts[0]
	b, s.at, s.err = readBlock(p.file, s.at, p.size, buf)
	if s.err != nil {
		s.err = fmt.Errorf("reading %s: %w", p.path, s.err)
		return b, io.EOF
	}
	b.at += s.base
	return b, nil
}

// split gives the lines of a block without their ends, and where each begins.
func (b *block) split(line func(line []byte, at int64)) {
	at := b.at
	for rest := b.lines; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		line(rest[:i], at)
		rest = rest[i+1:]
		at += int64(i + 1)
	}
}
