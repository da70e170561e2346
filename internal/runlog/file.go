package runlog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/files/lock"
	"github.com/hookrun/hookrun/internal/files/owner"
)

// parts is how many rotated files are kept.
const parts = 3

// part returns the path of a rotated file. Part 0 is the log itself.
func (l *Log) part(n int) string {
	if n == 0 {
		return l.path
	}
	return fmt.Sprintf("%s.%d", l.path, n)
}

// write appends a line to the log, and rotates the log if needed.
func (l *Log) write(line []byte, until time.Time) error {
	for {
		size, err := l.lock(until)
		if err != nil {
			return err
		}
		var unrotated error
		if size > 0 && size+int64(len(line)) > l.maxSize {
			if unrotated = l.rotate(); unrotated == nil {
				// Another process may have made the new file already and be writing to it, so open and lock the new
				// file as usual.
				l.close()
				continue
			}
			unrotated = fmt.Errorf("it grows over its size: %w", unrotated)
		}
		err = l.writeLine(line, size)
		lock.Unlock(l.file)
		return cmp.Or(err, unrotated)
	}
}

// lock opens and locks the file, and returns the size.
func (l *Log) lock(until time.Time) (size int64, err error) {
	for wait := 20 * time.Microsecond; ; {
		if l.file == nil {
			if l.file, err = open(l.path); err != nil {
				return 0, err
			}
		}
		free, err := lock.Try(l.file)
		if err != nil {
			return 0, fmt.Errorf("locking: %w", err)
		}
		if free {
			mine, err := l.file.Stat()
			if err != nil {
				l.close()
				return 0, err
			}
			// While we waited, another process may have rotated or removed the file. A line in the old file would be
			// lost or late.
			if named, err := os.Stat(l.path); err == nil && os.SameFile(mine, named) {
				return mine.Size(), nil
			}
			l.close()
		}
		left := time.Until(until)
		if left <= 0 {
			return 0, errBusy
		}
		if !free {
			time.Sleep(min(wait, left)) // poll: a lock held for microseconds is not worth a waiting thread
			wait = min(2*wait, 500*time.Microsecond)
		}
	}
}

func (l *Log) close() error {
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return file.Close() // also releases the lock
}

// check refuses a file that is not regular: a FIFO may block for ever, and a write to a device may have any effect.
func check(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("is a folder; name a file")
	case !info.Mode().IsRegular():
		return errors.New("is no regular file; name another")
	}
	return owner.Check(path, info)
}

// open opens the log, or creates it. It follows no link of another user.
func open(path string) (*os.File, error) {
	path, err := owner.Resolve(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil { // even the opening of a device can have effects
		if err := check(path, info); err != nil {
			return nil, err
		}
	}
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// rotate renames the log to the youngest part. A part moves only if the next name is free or is the last. So a process
// killed during a rotation loses the oldest part at most, and the next rotation fills the gap.
func (l *Log) rotate() error {
	free := 1
	for ; free < parts; free++ {
		if _, err := os.Lstat(l.part(free)); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	for n := free; n > 0; n-- {
		err := os.Rename(l.part(n-1), l.part(n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // ErrNotExist: another process moved the part
			return err
		}
	}
	return nil
}

// writeLine appends a line to the locked file of this size.
func (l *Log) writeLine(line []byte, size int64) error {
	end, ended, err := l.repairEnd(size)
	if err != nil {
		return err
	}
	if !ended {
		line = append([]byte{'\n'}, line...)
	}
	if n, err := write(l.file, line, end); err != nil {
		if n > 0 {
			l.file.Truncate(end) // if this fails too, the next writer truncates the file
		}
		return err
	}
	return nil
}

// lineStart is the beginning of every line of a run log.
const lineStart = `{"version":1,`

// repairEnd returns the offset of the next line, and whether the text before ends with a line feed. It cuts off an
// unfinished line of a killed writer. Any other unfinished text stays, because the file may be no run log.
func (l *Log) repairEnd(size int64) (end int64, ended bool, err error) {
	start, err := LineStart(l.file, size)
	if err != nil || start == size {
		return size, true, err
	}
	head := make([]byte, min(size-start, int64(len(lineStart))))
	if _, err := l.file.ReadAt(head, start); err != nil {
		return 0, false, err
	}
	if !strings.HasPrefix(lineStart, string(head)) || l.file.Truncate(start) != nil {
		return size, false, nil
	}
	return start, true, nil
}

// LineStart returns the start of the line that contains the offset at.
func LineStart(file io.ReaderAt, at int64) (int64, error) {
	chunk := make([]byte, 4<<10)
	for at > 0 {
		from := max(0, at-int64(len(chunk)))
		n, err := file.ReadAt(chunk[:at-from], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(chunk[:n], '\n'); i >= 0 {
			return from + int64(i+1), nil
		}
		at = from
	}
	return 0, nil
}
