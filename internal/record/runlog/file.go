package runlog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
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

// append writes a line, and counts it as missing if it cannot.
func (l *Log) append(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.unlock()
	l.missed++ // until it is written
	return l.write(line)
}

// write appends a line to the log, and rotates the log if needed.
func (l *Log) write(line []byte) error {
	for {
		size, err := l.lock()
		if err != nil {
			return err
		}
		var unrotated error
		if l.locked && size > 0 && size+int64(len(line)) > l.maxSize {
			blank := l.blankLines(size)
			if unrotated = l.rotate(); unrotated == nil {
				l.missed += blank
				// Another process may have made the new file already and be writing to it, so open and lock the new
				// file as usual.
				l.close()
				continue
			}
			unrotated = fmt.Errorf("it grows over its size: %w", unrotated)
		}
		return cmp.Or(l.writeLine(line, size), unrotated)
	}
}

// lockWait is how long a line waits for the lock while the log does not grow: a process that holds the lock and writes
// nothing is stopped, and no verdict may wait for a stopped process. lockWaitMost is the limit if it grows, because
// others may write without the lock. Once the lock was not free in time, lines wait for lockWaitAgain.
const lockWait, lockWaitMost, lockWaitAgain = time.Second, 5 * time.Second, 20 * time.Millisecond

var errBusy = errors.New("a process that has locked it has written nothing for a second, it may be stopped; " +
	"this call is not in it")

// lock opens and locks the file, and returns the size. If another process holds the lock for too long, the line is
// appended without the lock where the system can.
func (l *Log) lock() (size int64, err error) {
	begun, grown, last := time.Now(), time.Now(), int64(-1)
	for wait := 20 * time.Microsecond; ; {
		if l.file == nil {
			if l.file, err = open(l.path); err != nil {
				return 0, err
			}
		}
		if !l.locked {
			if l.locked, err = lock.Try(l.file); err != nil {
				return 0, fmt.Errorf("locking: %w", err)
			}
		}
		mine, err := l.file.Stat()
		if err != nil {
			l.close()
			return 0, err
		}
		if mine.Size() != last {
			last, grown = mine.Size(), time.Now()
		}
		late := time.Since(grown) >= lockWait || appends && time.Since(begun) >= lockWaitMost ||
			l.stuck && time.Since(begun) >= lockWaitAgain
		if !l.locked && !late {
			time.Sleep(wait) // poll: a lock held for microseconds is not worth a waiting thread
			wait = min(2*wait, 500*time.Microsecond)
			continue
		}
		// While we waited, another process may have rotated or removed the file. A line in the old file would be lost
		// or late.
		if named, err := os.Stat(l.path); err == nil && os.SameFile(mine, named) {
			if l.stuck = !l.locked; l.stuck && !appends {
				return 0, errBusy
			}
			return mine.Size(), nil
		}
		l.close()
	}
}

func (l *Log) unlock() {
	if l.locked {
		lock.Unlock(l.file)
		l.locked = false
	}
}

func (l *Log) close() error {
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file, l.locked = nil, false
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

// writeLine appends a line to the file of this size. If the disk is full, a blank line still fits as a rule. It stands
// for the missing line until a line has the number of blank lines before it.
func (l *Log) writeLine(line []byte, size int64) error {
	end, ended, err := l.repairEnd(size)
	if err != nil {
		return err
	}
	if missed := l.missed - 1 + l.blankLines(end); missed > 0 {
		line = fmt.Appendf(nil, `%s"missed":%d,%s`, lineStart, missed, line[len(lineStart):])
	}
	if !ended {
		line = append([]byte{'\n'}, line...)
	}
	n, err := write(l.file, line, end)
	if err == nil {
		l.missed = 0
		return nil
	}
	if n > 0 && l.locked {
		l.file.Truncate(end) // if this fails too, the next writer truncates the file
	}
	if _, failed := write(l.file, []byte{'\n'}, end); failed == nil {
		l.missed--
	}
	return err
}

// lineStart is the beginning of every line of a run log.
const lineStart = `{"version":1,`

// Missed returns how many lines before this one could not be written.
func Missed(line []byte) (n int) {
	rest, counts := bytes.CutPrefix(line, []byte(lineStart+`"missed":`))
	if digits, _, _ := bytes.Cut(rest, []byte{','}); counts && len(digits) < 10 { // no sum of these overflows
		n, _ = strconv.Atoi(string(digits))
	}
	return max(n, 0)
}

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
	time.Sleep(5 * time.Millisecond) // a process without the lock may be writing the rest
	if now, err := l.file.Stat(); err != nil {
		return 0, false, err
	} else if now.Size() != size {
		return l.repairEnd(now.Size())
	}
	if !l.locked || !strings.HasPrefix(lineStart, string(head)) || l.file.Truncate(start) != nil {
		return size, false, nil
	}
	return start, true, nil
}

// blankLines returns the number of blank lines before an offset behind a line.
func (l *Log) blankLines(at int64) (n int) {
	for b := [2]byte{}; at > 1; at-- {
		if _, err := l.file.ReadAt(b[:], at-2); err != nil || b != [2]byte{'\n', '\n'} {
			return n
		}
		n++
	}
	return n + int(at) // 1: the first line is blank
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
