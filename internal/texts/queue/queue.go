package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/glob"
)

// Queue is documented in the public package.
type Queue struct {
	Dir string // "": DefaultDir()
}

// at returns the session with its path, without its lock.
func (q *Queue) at(id string) (s *session, err error) {
	switch {
	case q == nil:
		return nil, errors.New("the queue is nil; use new(queue.Queue) for the one in the user's state directory")
	case id == "":
		return nil, errors.New("a queue needs a session")
	}
	dir := q.Dir
	if dir == "" {
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	return &session{path: filepath.Join(dir, "queue", folder(id))}, nil
}

// open waits for the lock of a session until ctx ends. It returns nil, nil if the session has no queue.
func (q *Queue) open(ctx context.Context, session string) (*session, error) {
	s, err := q.at(session)
	if err != nil {
		return nil, err
	}
	return open(ctx, s.path)
}

// Put is documented in the public package.
func (q *Queue) Put(ctx context.Context, e Entry) (Entry, error) {
	e, err := e.put(now())
	if err != nil {
		return Entry{}, err
	}
	text, err := e.encode()
	if err != nil {
		return Entry{}, err
	}
	return q.put(ctx, e, func(session string) (string, error) { return put(ctx, session, e, text) })
}

// put calls put with the folder of the entry's session. If the folder is missing, q.put makes it and tries again.
func (q *Queue) put(ctx context.Context, e Entry, put func(session string) (id string, err error)) (Entry, error) {
	at, err := q.at(e.Session)
	if err != nil {
		return Entry{}, err
	}
	for range tries {
		e.ID, err = put(at.path)
		if err == nil {
			return e, nil
		}
		// The session has no folder yet, or another process removed it while it was empty.
		if err != errRemoved && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err = makeFolders(at.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return Entry{}, fmt.Errorf("queueing for session %q: %w", e.Session, err)
}

func makeFolders(path string) error {
	queue := filepath.Dir(path)
	if err := owner.MkdirAll(filepath.Dir(queue)); err != nil {
		return err
	}
	for _, folder := range []string{queue, path, filepath.Join(path, "entries"), filepath.Join(path, "tmp")} {
		if err := owner.Mkdir(folder); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		reached("made " + folder)
		if err := SyncFolder(filepath.Dir(folder)); err != nil {
			return err
		}
	}
	return nil
}

func put(ctx context.Context, path string, e Entry, text []byte) (id string, err error) {
	if err := ownFolders(path); err != nil {
		return "", err
	}
	tmp, err := os.OpenFile(filepath.Join(path, "tmp", unique()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	reached("created")
	// A sweep before the lock takes this process for dead and removes the file. Then the rename fails and Put retries.
	if err := lock.Lock(tmp); err != nil {
		return "", err
	}
	reached("locked")
	if _, err := tmp.Write(text); err != nil {
		return "", err
	}
	reached("written")
	if err := tmp.Sync(); err != nil {
		return "", err
	}
	reached("synced")
	// Windows renames no open file. A sweep needs the session's lock, so the file is safe.
	return move(ctx, path, e, tmp.Name(), func() { tmp.Close() })
}

// move moves the file of an entry into the queue. It calls beforeRename when it has the session's lock.
func move(ctx context.Context, path string, e Entry, file string, beforeRename func()) (id string, err error) {
	s, err := tryOpen(ctx, path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return "", err
	}
	defer s.unlock()
	reached("in turn")
	order, err := s.next()
	if err != nil {
		return "", err
	}
	reached("ordered")
	s.sweep() // leftover files do no harm
	id = newID(order, rand.Uint32())
	beforeRename()
	if err := atomic.Rename(file, s.in("entries", newName(id, e).file)); err != nil {
		return "", err
	}
	reached("queued")
	s.unlock()
	reached("unlocked")
	// If the folder is gone, the entry has already been delivered.
	if err := SyncFolder(s.in("entries")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return id, nil
}

// maxToolName is the longest tool name that is matched, since a model chooses it. After a longer name every entry is
// due.
const maxToolName = 1 << 10

// Claim is documented in the public package. The history records the first tool name.
func (q *Queue) Claim(ctx context.Context, session, agent string, tools ...string) (*Claim, error) {
	matches := map[string]bool{} // cached: many entries have the same matcher
	c, err := q.claimFor(ctx, session, agent, Delivered, func(n name) bool {
		due, known := matches[n.matcher]
		if !known {
			globs, ok := unescape(n.matcher)
			list := glob.NewList(globs)
			due = ok && (globs == "" || slices.ContainsFunc(tools, func(tool string) bool {
				return len(tool) > maxToolName || list.Match(tool)
			}))
			matches[n.matcher] = due
		}
		return due
	})
	if c != nil && len(tools) > 0 {
		c.tool = tools[0]
	}
	return c, err
}

// Drain takes every entry that an agent has not been given, with any matcher. The folder of a session is removed with
// its last entry.
func (q *Queue) Drain(ctx context.Context, session, agent string) (*Claim, error) {
	return q.claimFor(ctx, session, agent, Drained, func(name) bool { return true })
}

func (q *Queue) claimFor(
	ctx context.Context, session, agent string, status Status, due func(name) bool,
) (*Claim, error) {
	escaped := escape(agent)
	more := func(l *snapshot) ([]name, error) { return l.readBefore(folder(agent)) }
	c, err := q.claim(ctx, session, status, more, func(l *snapshot, n name) (take, error) {
		if !n.reaches(escaped) || !due(n) {
			return take{}, nil
		}
		if !n.shared() {
			return take{whole: true}, nil
		}
		waits, err := l.waitsFor(n, agent)
		if !waits {
			return take{}, err
		}
		return take{shares: []string{agent}}, nil
	})
	if c != nil {
		c.agent = &agent
	}
	return c, err
}

// DrainAll takes all entries for named agents, with Agents cut to those still without the entry, and all broadcasts
// that no agent has got. The folder of a session is removed with its last entry. A broadcast that some agents have got
// is kept for the others until it expires or Clear drops it. Beyond a thousand, the oldest are dropped once all agents
// that read in the last month have them.
func (q *Queue) DrainAll(ctx context.Context, session string) (*Claim, error) {
	return q.claim(ctx, session, Drained, nil, func(l *snapshot, n name) (take, error) {
		switch {
		case n.agents == broadcast:
			received, err := l.hasReceiver(n)
			return take{whole: err == nil && !received}, err
		case !n.shared():
			return take{whole: true}, nil
		}
		agents, err := l.waitingAgents(n)
		return take{shares: agents, recipients: agents}, err
	})
}

// TakeBackLatest takes back the latest entry that an agent may still get. After that no agent gets it, even if it is a
// broadcast that some agents have got. The folder of a session is removed with its last entry.
func (q *Queue) TakeBackLatest(ctx context.Context, session string) (*Claim, error) {
	more := func(l *snapshot) ([]name, error) { return l.session.entries("read") }
	return q.claim(ctx, session, Popped, more, func(l *snapshot, n name) (take, error) {
		if n.agents == broadcast || !n.shared() {
			return take{whole: true}, nil
		}
		agents, err := l.waitingAgents(n)
		return take{whole: len(agents) > 0, recipients: agents}, err
	})
}

// Waiting is documented in the public package.
func (q *Queue) Waiting(ctx context.Context, session string) ([]Entry, error) {
	return q.waiting(ctx, session, false)
}

func (q *Queue) waiting(ctx context.Context, session string, expired bool) (waiting []Entry, err error) {
	s, err := q.open(ctx, session)
	if s == nil {
		return nil, err
	}
	defer s.unlock()
	l, err := s.snapshot()
	if l == nil {
		return nil, err
	}
	for _, n := range l.entries {
		e, _, readErr := s.load(n)
		if err = errors.Join(err, readErr); readErr != nil || n.expired(l.now) && !expired {
			continue
		}
		if e.Agents == nil {
			if received, receivedErr := l.hasReceiver(n); received || receivedErr != nil {
				err = errors.Join(err, receivedErr)
				continue
			}
		}
		if e.Agents != nil && n.shared() {
			agents, agentsErr := l.waitingAgents(n.with(e))
			if err = errors.Join(err, agentsErr); len(agents) == 0 {
				continue
			}
			e.Agents = agents
		}
		waiting = append(waiting, e)
	}
	return waiting, err
}

// Clear drops all waiting entries, including broadcasts and damaged files, and the history. It returns the number of
// entries that waited. Entries of a claim in progress stay, and wait again if their delivery fails.
func (q *Queue) Clear(ctx context.Context, session string) (n int, err error) {
	at, err := q.at(session)
	if err != nil {
		return 0, err
	}
	s, err := open(ctx, at.path)
	if s == nil {
		os.Remove(at.path) // an empty folder left by a killed removal
		return 0, errors.Join(err, at.forgetHistory())
	}
	defer s.unlock()
	l, err := s.snapshot()
	if l == nil {
		return 0, err
	}
	for _, entry := range l.entries {
		dropErr := s.drop(entry)
		if err = errors.Join(err, dropErr); dropErr == nil && !entry.expired(l.now) {
			n++
		}
	}
	return n, errors.Join(err, s.forgetHistory(), os.RemoveAll(s.in("read")), os.RemoveAll(s.in("bad")), s.remove())
}
