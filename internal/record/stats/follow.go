package stats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/record/runlog"
)

// maxTail is the limit of Tail's result, in bytes.
const maxTail = 32 << 20

// Tail returns the last lines of calls admitted by the filter, oldest first. It reads from the end of the log, and
// little more than needed.
func (l *Log) Tail(f Filter, most int) (lines []json.RawMessage, err error) {
	e, size := newEntry(), 0
	for _, p := range slices.Backward(l.parts) {
		for end := p.size; end > 0 && len(lines) < most && size <= maxTail; {
			start, err := runlog.LineStart(p.file, max(0, end-blockSize))
			if err != nil {
				return nil, err
			}
			var block []json.RawMessage
			if _, err := eachLine(p.file, start, end, func(line []byte, _ bool) error {
				if e.read(line) && f.admits(e) {
					block = append(block, bytes.Clone(line))
					size += len(line)
				}
				return nil
			}); err != nil {
				return nil, err
			}
			lines, end = append(block, lines...), start
		}
	}
	first := len(lines)
	for room := maxTail; first > max(0, len(lines)-most); first-- {
		if room -= len(lines[first-1]); room < 0 {
			break
		}
	}
	return lines[first:], nil
}

// Lines calls each for all lines, oldest first. A line is valid until the next call.
func (l *Log) Lines(each func(line []byte) error) error {
	_, err := eachLineOf(l.parts, func(line []byte, _ bool) error {
		if line == nil {
			return nil
		}
		return each(line)
	})
	return err
}

// Follow calls each for the last lines of calls admitted by the filter (for all lines if last is negative), and then
// for each new line, until ctx ends. It continues when the log is rotated or truncated.
func (l *Log) Follow(ctx context.Context, f Filter, last int, each func(line []byte) error) error {
	err := l.follow(ctx, f, last, func(line []byte, whole bool) error {
		if err := ctx.Err(); err != nil { // the existing log can be gigabytes
			return err
		}
		if line == nil || !whole { // an unfinished line: wait for the rest
			return nil
		}
		return each(line)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (l *Log) follow(ctx context.Context, f Filter, last int, each func(line []byte, whole bool) error) error {
	const pollInterval = 200 * time.Millisecond
	at, err := l.begin(f, last, each)
	if err != nil {
		return err
	}
	now := l.parts[len(l.parts)-1]
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		// Check whether the log was moved before reading the file: after a move no process writes to the old file.
		there, err := os.Stat(l.path)
		moved := err != nil || !os.SameFile(there, now.info)
		if at, err = now.readFrom(at, each); err != nil {
			return err
		}
		if moved {
			parts, err := l.openNewer()
			if err != nil {
				return err
			}
			if len(parts) > 0 {
				now = parts[len(parts)-1]
				if at, err = eachLineOf(parts, each); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// begin calls each for the last lines of calls admitted by the filter, or for all lines if last is negative. It returns
// the end of these lines in the last part.
func (l *Log) begin(f Filter, last int, each func(line []byte, whole bool) error) (at int64, err error) {
	if last < 0 {
		return eachLineOf(l.parts, each)
	}
	now := &l.parts[len(l.parts)-1]
	if now.size, err = runlog.LineStart(now.file, now.size); err != nil {
		return 0, err
	}
	lines, err := l.Tail(f, last)
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		if err := each(line, true); err != nil {
			return 0, err
		}
	}
	return now.size, nil
}

// readFrom calls each for the lines from at on, or for all lines if the file was truncated. It returns the end of the
// last complete line.
func (p *Part) readFrom(at int64, each func(line []byte, whole bool) error) (end int64, err error) {
	info, err := p.file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < at {
		at = 0
	}
	return eachLine(p.file, at, info.Size(), each)
}

// openNewer opens the log again, and returns the parts newer than the open parts.
func (l *Log) openNewer() ([]Part, error) {
	now, err := Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known := 0 // number of known parts; the last open part may have been removed or rotated away
	for i, p := range now.parts {
		if slices.ContainsFunc(l.parts, func(old Part) bool { return os.SameFile(old.info, p.info) }) {
			known = i + 1
		}
	}
	if known == len(now.parts) {
		now.Close()
		return nil, nil
	}
	l.Close()
	l.parts = now.parts
	return l.parts[known:], nil
}
