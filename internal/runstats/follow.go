package runstats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// maxTail is how much Tail returns at most, whatever the number of lines.
const maxTail = 32 << 20

// Tail returns the last lines of calls that the filter admits, oldest first. It reads from the end, and no more than it needs.
func (l *Log) Tail(f Filter, most int) (lines []json.RawMessage, err error) {
	var e entry
	admits, room := f.ready(), maxTail
	for _, p := range slices.Backward(l.parts) {
		for end, size := p.size, int64(blockSize); end > 0; {
			start := max(0, end-size)
			buf := make([]byte, end-start)
			n, err := p.file.ReadAt(buf, start)
			if err != nil && err != io.EOF {
				return nil, err
			}
			if int64(n) < end-start { // it was truncated meanwhile
				break
			}
			begin := 0 // of the first whole line
			if start > 0 {
				begin = bytes.IndexByte(buf, '\n') + 1
				if whole := begin > 0 && begin < len(buf); !whole && size <= maxLine {
					size *= 2
					continue
				} else if !whole { // a line that is too long
					end = start
					continue
				}
			}
			end, size = start+int64(begin), blockSize
			for rest := bytes.TrimSuffix(buf[begin:], []byte("\n")); rest != nil; {
				i := bytes.LastIndexByte(rest, '\n')
				line := rest[i+1:]
				if rest = rest[:max(i, 0)]; i < 0 {
					rest = nil
				}
				if len(line) > maxLine || !e.read(line) || !admits.admits(&e) {
					continue
				}
				if room -= len(line); len(lines) == most || room < 0 {
					slices.Reverse(lines)
					return lines, nil
				}
				lines = append(lines, bytes.Clone(line))
			}
		}
	}
	slices.Reverse(lines)
	return lines, nil
}

// Lines gives all lines, oldest first. What it gives is valid until the next.
func (l *Log) Lines(each func(line []byte) error) error {
	r := lineReader{each: each}
	for _, p := range l.parts {
		if err := r.read(p.file, 0, p.size, true); err != nil {
			return err
		}
	}
	return nil
}

// lineReader gives the lines of files one after the other.
type lineReader struct {
	each func(line []byte) error
	buf  []byte
	at   int64 // up to which all lines were given
}

// read gives the whole lines between two places of a file, and with torn also a last one without an end.
func (r *lineReader) read(file *os.File, at, end int64, torn bool) (err error) {
	give := func(line []byte) {
		if err == nil && len(line) <= maxLine {
			err = r.each(line)
		}
	}
	for r.at = at; r.at < end && err == nil; {
		b, next, failed := readBlock(file, r.at, end, &r.buf)
		if failed != nil {
			return failed
		}
		if b.torn != nil {
			if torn {
				give(b.torn)
			}
			return err
		}
		b.split(func(line []byte, _ int64) { give(line) })
		r.at = next
	}
	return err
}

// Follow gives the last lines of calls that the filter admits, or all lines if last is negative, and then each line as it is
// written, until ctx ends. It goes on where the log was rotated or truncated.
func (l *Log) Follow(ctx context.Context, f Filter, last int, each func(line []byte) error) error {
	r := lineReader{each: func(line []byte) error {
		if err := ctx.Err(); err != nil { // what there is already can be gigabytes
			return err
		}
		return each(line)
	}}
	if err := l.follow(ctx, f, last, &r); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (l *Log) follow(ctx context.Context, f Filter, last int, r *lineReader) error {
	const often = 200 * time.Millisecond
	now := &l.parts[len(l.parts)-1]
	if last < 0 {
		for _, p := range l.parts {
			if err := r.read(p.file, 0, p.size, false); err != nil {
				return err
			}
		}
	} else {
		size, err := whole(now.file, now.size)
		if err != nil {
			return err
		}
		now.size, r.at = size, size // the rest is given when it has an end
		lines, err := l.Tail(f, last)
		if err != nil {
			return err
		}
		for _, line := range lines {
			if err := r.each(line); err != nil {
				return err
			}
		}
	}
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		// Whether it was moved is asked before it is read: who moves a log has written the last line into it before.
		moved := !isFile(l.path, now.file)
		info, err := now.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() < r.at {
			r.at = 0
		}
		if err := r.read(now.file, r.at, info.Size(), false); err != nil {
			return err
		}
		if moved {
			if now, err = l.younger(r); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// whole returns how long a file is without a last line that has no end yet.
func whole(file *os.File, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for size > 0 {
		from := max(0, size-int64(len(buf)))
		n, err := file.ReadAt(buf[:size-from], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i+1), nil
		}
		size = from
	}
	return 0, nil
}

// younger gives the lines of the parts that came after those which are open, and returns the last of all. If there is none yet,
// or the log is not there, that is the one it was.
func (l *Log) younger(r *lineReader) (*part, error) {
	last := &l.parts[len(l.parts)-1]
	now, err := Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	known := 0 // all up to there: the last may have been removed, or have become older than any part
	for i, p := range now.parts {
		if slices.ContainsFunc(l.parts, func(old part) bool { return sameFile(old.file, p.file) }) {
			known = i + 1
		}
	}
	if known == len(now.parts) {
		now.Close()
		return last, nil
	}
	l.Close()
	l.parts = now.parts
	for _, p := range l.parts[known:] {
		if err := r.read(p.file, 0, p.size, false); err != nil {
			return last, err
		}
	}
	return &l.parts[len(l.parts)-1], nil
}

func sameFile(a, b *os.File) bool {
	one, err := a.Stat()
	if err != nil {
		return false
	}
	other, err := b.Stat()
	return err == nil && os.SameFile(one, other)
}

func isFile(path string, file *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(there, info)
}
