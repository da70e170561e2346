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

	"github.com/hookrun/hookrun/internal/atomicfile"
	"github.com/hookrun/hookrun/internal/filelock"
	"github.com/hookrun/hookrun/internal/ownpath"
	"github.com/hookrun/hookrun/internal/regularfile"
)

// now and reached are hooks for tests: now moves the clock, reached kills the process between two steps.
var (
	now     = time.Now
	reached = func(string) {}
)

// tries limits how often we start again because another process has removed the folder that it found empty.
const tries = 1000

// session is the folder of a session, whose lock we hold.
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

// patience is how long we wait for the lock at most. A process holds it for milliseconds, unless it was stopped.
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
	if err := filelock.LockWithin(ctx, file, patience); err != nil {
		return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
	}
	// A lock file that was removed keeps nobody out.
	if there, err := os.Lstat(file.Name()); err != nil || !os.SameFile(held, there) {
		return nil, errRemoved
	}
	return &session{path, file}, nil
}

// ownFile refuses an open file or folder that another user could put entries into.
func ownFile(file *os.File) (fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil {
		if err = own(file.Name(), info); err != nil {
			err = fmt.Errorf("%s %w", file.Name(), err)
		}
	}
	return info, err
}

// ownFolders refuses a queue that another user could have made.
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
		if err := own(folder, info); err != nil {
			return fmt.Errorf("%s %w", folder, err)
		}
	}
	return nil
}

func (s *session) unlock() { s.lock.Close() }

func (s *session) in(elem ...string) string {
	return filepath.Join(append([]string{s.path}, elem...)...)
}

// next gives out the next order. It is higher than the last one, even when the clock is not.
func (s *session) next() (int64, error) {
	var last [16]byte
	order := now().UnixNano()
	if n, _ := s.lock.ReadAt(last[:], 0); n == len(last) {
		if last, err := strconv.ParseInt(string(last[:]), 16, 64); err == nil {
			order = max(order, last+1)
		}
	}
	_, err := s.lock.WriteAt(fmt.Appendf(nil, "%016x\n", order), 0)
	return order, err
}

// names lists one of the session's folders in order, without the hidden files of file managers.
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

// load reads a waiting entry. damaged means that the file can be read but holds no entry.
func (s *session) load(n name) (e Entry, damaged bool, err error) {
	text, err := readEntry(s.in("entries", n.file))
	if err != nil {
		return Entry{}, false, fmt.Errorf("an entry waits that cannot be read: %w", err)
	}
	if e, err = decode(text, n.id); err != nil {
		return Entry{}, true, fmt.Errorf("%s: %w", s.in("entries", n.file), err)
	}
	return e, false, nil
}

// readEntry reads the file of an entry. A link is none, wherever it leads to.
func readEntry(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is %w: remove it", path, regularfile.ErrNotRegular)
	}
	return atomicfile.Read(path)
}

// read is load for a process that takes entries. It moves a damaged file out of the way.
func (s *session) read(n name) (Entry, error) {
	e, damaged, err := s.load(n)
	if !damaged {
		return e, err
	}
	bad := s.in("bad", n.file)
	moveErr := ownpath.MkdirAll(filepath.Dir(bad))
	if moveErr == nil {
		moveErr = atomicfile.Rename(s.in("entries", n.file), bad)
	}
	if moveErr != nil {
		return Entry{}, errors.Join(err, moveErr)
	}
	err = fmt.Errorf("%s is not delivered, since it is no entry: %w", bad, errors.Unwrap(err))
	return Entry{}, errors.Join(err, s.forget(n))
}

// complete opens the file of an entry whose agents did not fit into the file name.
func (s *session) complete(n name) (name, error) {
	if n.agents != unsaid {
		return n, nil
	}
	e, err := s.read(n)
	if err != nil {
		return n, err
	}
	return n.with(e), nil
}

// saw reports whether an agent was given an entry. agent is the name of its folder in seen.
func (s *session) saw(agent, id string) (bool, error) {
	_, err := os.Lstat(s.in("seen", agent, id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// got notes that an agent was given an entry, and drops the entry if all of its agents have it.
func (s *session) got(id, agent, file string) error {
	n, ok := parseName(file)
	if !ok {
		return nil
	}
	if _, err := os.Lstat(s.in("entries", file)); errors.Is(err, fs.ErrNotExist) {
		return s.forget(name{id: id, agents: unsaid}) // cleared, or damaged
	}
	if err := ownpath.MkdirAll(s.in("seen", agent)); err != nil {
		return err
	}
	if err := os.WriteFile(s.in("seen", agent, id), nil, 0o600); err != nil {
		return err
	}
	reached("seen")
	n, err := s.complete(n)
	if err != nil || n.agents == broadcast {
		return err
	}
	for _, target := range n.targets() {
		if saw, err := s.saw(folder(target), id); !saw || err != nil {
			return nil
		}
	}
	return s.drop(n)
}

// drop removes a waiting entry. The marks go last: without them it would be delivered again.
func (s *session) drop(n name) error {
	if err := removeFile(s.in("entries", n.file)); err != nil {
		return err
	}
	reached("dropped")
	return s.forget(n)
}

// forget removes the marks of an entry that is gone.
func (s *session) forget(n name) error {
	if !n.shared() {
		return nil
	}
	agents, err := s.names("seen")
	for _, agent := range agents {
		err = errors.Join(err, removeFile(s.in("seen", agent, n.id)))
	}
	return err
}

// sweep removes the unfinished files of writers that have died.
func (s *session) sweep() error {
	files, err := s.names("tmp")
	if err != nil {
		return err
	}
	for _, file := range files {
		busy, lockErr := filelock.Held(s.in("tmp", file))
		if err = errors.Join(err, lockErr); lockErr == nil && !busy {
			err = errors.Join(err, removeFile(s.in("tmp", file)))
		}
	}
	return err
}

// remove removes the folder of an empty session. The lock goes last: without it the session has no queue.
func (s *session) remove() error {
	if !movesOpen {
		return nil
	}
	if err := s.sweep(); err != nil {
		return err
	}
	// A claim that is released later needs the folder entries, so claims goes first. Only tmp may fill up again
	// meanwhile, because a writer needs no lock for it. Then the rest stays, and Put makes the missing folders again.
	for _, folder := range []string{"claims", "bad", "entries", "tmp"} {
		if err := os.Remove(s.in(folder)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil // something is left
		}
		reached("removed " + folder)
	}
	if err := os.RemoveAll(s.in("seen")); err != nil {
		return err
	}
	reached("removed seen")
	if err := os.Remove(s.in("lock")); err != nil {
		return err
	}
	reached("removed lock")
	os.Remove(s.path) // fails if a writer has just made its folders again
	return nil
}

// removeFile ignores a file that is gone: a process that was killed may have removed it.
func removeFile(path string) error {
	if err := atomicfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
