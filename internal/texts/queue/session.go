package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// now and reached are hooks for tests: now moves the clock, reached can kill the process between two steps.
var (
	now     = time.Now
	reached = func(string) {}
)

// tries limits the retries after another process has removed an empty folder.
const tries = 1000

// session is the folder of a session, usually locked by us.
type session struct {
	path string
	lock *os.File
}

// open waits for the lock of a session until ctx ends. It returns nil, nil if the session has no queue.
func open(ctx context.Context, path string) (*session, error) {
	for range tries {
		s, err := tryOpen(ctx, path, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != errRemoved {
			return s, err
		}
	}
	return nil, fmt.Errorf("%s: somebody removes it again and again", path)
}

// patience is the longest wait for the lock. A process holds the lock for milliseconds, unless it is stopped.
var patience = 10 * time.Second

// errRemoved means that the folder and its lock were removed while we waited.
var errRemoved = errors.New("the queue was removed")

func tryOpen(ctx context.Context, path string, flags int) (s *session, err error) {
	file, err := os.OpenFile(filepath.Join(path, "lock"), flags, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if s == nil {
			file.Close()
		}
	}()
	held, err := ownFile(file)
	if err != nil {
		return nil, err
	}
	if err := ownFolders(path); err != nil {
		return nil, err
	}
	reached("opened")
	if err := lock.LockWithin(ctx, file, patience); err != nil {
		return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
	}
	// A removed lock file locks out no process.
	if there, err := os.Lstat(file.Name()); err != nil || !os.SameFile(held, there) {
		return nil, errRemoved
	}
	return &session{path, file}, nil
}

// ownFile returns an error for an open file or folder into which another user could put entries.
func ownFile(file *os.File) (fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil {
		if err = checkOwner(file.Name(), info); err != nil {
			err = fmt.Errorf("%s %w", file.Name(), err)
		}
	}
	return info, err
}

// ownFolders returns an error for a queue that another user could have created.
func ownFolders(path string) error {
	for _, folder := range []string{filepath.Dir(path), path} {
		info, err := os.Lstat(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return errRemoved
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is no folder: remove it", folder)
		}
		if err := checkOwner(folder, info); err != nil {
			return fmt.Errorf("%s %w", folder, err)
		}
	}
	return nil
}

func (s *session) unlock() { s.lock.Close() }

func (s *session) in(elem ...string) string {
	return filepath.Join(append([]string{s.path}, elem...)...)
}

// at returns the path of an entry.
func (s *session) at(n name) string { return s.in(n.folder, n.file) }

// next returns the next order and writes it to the lock file. It is higher than the last order even if the clock is
// not.
func (s *session) next() (int64, error) {
	var last [16]byte
	order := now().UnixNano()
	known := false
	if n, _ := s.lock.ReadAt(last[:], 0); n == len(last) {
		if last, err := strconv.ParseInt(string(last[:]), 16, 64); err == nil {
			order, known = max(order, last+1), true
		}
	}
	if !known { // the new order must be higher than every mark
		marks, err := s.marks()
		if err != nil {
			return 0, err
		}
		for _, m := range marks {
			if last, err := strconv.ParseInt(m.upTo[:len(last)], 16, 64); err == nil {
				order = max(order, last+1)
			}
		}
	}
	_, err := s.lock.WriteAt(fmt.Appendf(nil, "%016x\n", order), 0)
	return order, err
}

// names returns the names in one of the session's folders in order, without the hidden files of file managers.
func (s *session) names(elem ...string) ([]string, error) {
	folder, err := os.Open(s.in(elem...))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if _, err := ownFile(folder); err != nil {
		return nil, err
	}
	names, err := folder.Readdirnames(-1)
	slices.Sort(names)
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") }), err
}

// load reads a waiting entry. If the file is readable but holds no entry, damaged is true.
func (s *session) load(n name) (e Entry, damaged bool, err error) {
	text, err := readEntry(s.at(n))
	if err != nil {
		return Entry{}, false, fmt.Errorf("an entry waits that cannot be read: %w", err)
	}
	if e, err = decode(text, n.id); err != nil {
		return Entry{}, true, fmt.Errorf("%s: %w", s.at(n), err)
	}
	return e, false, nil
}

// readEntry reads the file of an entry. It refuses a link.
func readEntry(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is %w: remove it", path, regular.ErrNotRegular)
	}
	return atomic.Read(path)
}

// read is load for a process that takes entries. It moves a damaged file to the folder bad.
func (s *session) read(n name) (Entry, error) {
	e, damaged, err := s.load(n)
	if !damaged {
		return e, err
	}
	bad := s.in("bad", n.file)
	moveErr := owner.MkdirAll(filepath.Dir(bad))
	if moveErr == nil {
		moveErr = atomic.Rename(s.at(n), bad)
	}
	if moveErr != nil {
		return Entry{}, errors.Join(err, moveErr)
	}
	return Entry{}, fmt.Errorf("%s is not delivered, since it is no entry: %w", bad, errors.Unwrap(err))
}

// complete returns the full name of an entry. It reads the file if the agents did not fit into the file name.
func (s *session) complete(n name) (name, error) {
	if n.agents != inFile {
		return n, nil
	}
	e, err := s.read(n)
	if err != nil {
		return n, err
	}
	return n.with(e), nil
}

// drop removes an entry.
func (s *session) drop(n name) error {
	err := removeFile(s.at(n))
	reached("dropped")
	return err
}

// sweep removes the unfinished files of dead writers.
func (s *session) sweep() error {
	files, err := s.names("tmp")
	if err != nil {
		return err
	}
	for _, file := range files {
		busy, lockErr := lock.Held(s.in("tmp", file))
		if err = errors.Join(err, lockErr); lockErr == nil && !busy {
			err = errors.Join(err, removeFile(s.in("tmp", file)))
		}
	}
	return err
}

// remove removes the folder of an empty session. The lock goes last, because a session without a lock has no queue.
func (s *session) remove() error {
	if !canMoveOpen {
		return nil
	}
	if err := s.sweep(); err != nil {
		return err
	}
	if read, err := s.names("read"); len(read) > 0 || err != nil {
		return err
	}
	// A claim released later needs the folder entries, so claims goes first. Only tmp may fill up again meanwhile,
	// because writers use it without the lock. Then the other folders stay, and Put makes the missing ones again.
	for _, folder := range []string{"claims", "bad", "entries", "tmp"} {
		if err := os.Remove(s.in(folder)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil // the folder is not empty
		}
		reached("removed " + folder)
	}
	for _, folder := range []string{"read", "marks", "seen"} {
		if err := os.RemoveAll(s.in(folder)); err != nil {
			return err
		}
		reached("removed " + folder)
	}
	if err := os.Remove(s.in("lock")); err != nil {
		return err
	}
	reached("removed lock")
	os.Remove(s.path) // fails if a writer has just made the folders again
	return nil
}

// removeFile removes a file. A missing file is no error: a process that was killed may have removed it.
func removeFile(path string) error {
	if err := atomic.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
