package queue

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/lock"
)

// look is what a session's queue holds, read while we hold its lock.
type look struct {
	*session
	now     time.Time
	entries []name                     // that wait, in order
	held    map[string]map[string]bool // by id: the marks' names of the agents that are being given it now
	known   map[string]*mark           // that were read, by name
}

// look reads the queue. It fails if it cannot see everything: an entry whose claim is unknown would be delivered twice.
// An error beside a look is about a claim that cannot be finished; that claim keeps what it holds.
func (s *session) look() (*look, error) {
	l := &look{session: s, now: now(), held: map[string]map[string]bool{}, known: map[string]*mark{}}
	claims, err := s.names("claims")
	if err != nil {
		return nil, err
	}
	var errs error
	for _, claim := range claims {
		if len(claim) != claimLength {
			continue
		}
		alive, err := lock.Held(s.in("claims", claim, "lock"))
		if err == nil && !alive {
			if err = s.finish(claim); err == nil {
				continue
			}
		}
		errs = errors.Join(errs, err)
		if err := l.hold(claim); err != nil {
			return nil, errors.Join(errs, err)
		}
	}
	if err := s.convert(); err != nil {
		return nil, errors.Join(errs, err)
	}
	if l.entries, err = s.entries("entries"); err != nil {
		return nil, errors.Join(errs, err)
	}
	return l, errs
}

// hold notes which shares a claim holds.
func (l *look) hold(claim string) error {
	files, err := l.names("claims", claim)
	for _, file := range files {
		if id, agent, ok := strings.Cut(file, "="); ok {
			if l.held[id] == nil {
				l.held[id] = map[string]bool{}
			}
			l.held[id][agent] = true
		}
	}
	return err
}

// finish ends a claim whose process is gone. Delivered entries are dropped; otherwise everything goes back to entries.
// It can be killed at any point: the next call goes on from there.
func (s *session) finish(claim string) error {
	files, err := s.names("claims", claim)
	if err != nil {
		return err
	}
	delivered := slices.Contains(files, "done")
	if delivered {
		if lines, err := atomic.Read(s.in("claims", claim, "done")); err == nil {
			_ = s.remember(lines) // the texts were delivered, with or without a history
		}
		reached("remembered")
	}
	if delivered {
		if err := s.gotShares(claim, files); err != nil {
			return err
		}
	}
	for _, file := range files {
		path := s.in("claims", claim, file)
		n, whole := parseName(file)
		switch share := strings.Contains(file, "="); {
		case share, whole && delivered:
		case !whole:
			continue
		default:
			err = s.putBack(path, n) // removeFile below then finds nothing, which is fine
		}
		if err == nil {
			err = removeFile(path)
		}
		if err != nil {
			return err
		}
		reached("finished " + file)
	}
	for _, file := range []string{"lock", "done", ""} { // done must stay until everything that it covers is gone
		if err := removeFile(s.in("claims", claim, file)); err != nil {
			return err
		}
		reached("finished " + file)
	}
	return nil
}

// gotShares notes the shares that a claim has delivered.
func (s *session) gotShares(claim string, files []string) error {
	given := map[string][]name{}
	for _, file := range files {
		_, agent, share := strings.Cut(file, "=")
		if !share {
			continue
		}
		entry, err := atomic.Read(s.in("claims", claim, file))
		if err != nil {
			return err
		}
		if n, ok := parseName(string(entry)); ok {
			given[agent] = append(given[agent], n)
		}
	}
	return s.got(given)
}

// putBack returns an entry that a claim had taken as a whole.
func (s *session) putBack(path string, n name) error {
	folder := "entries"
	if n.agents == broadcast {
		marks, err := s.marks()
		if err != nil {
			return err
		}
		for _, m := range marks {
			if m.has(n) {
				folder = "read"
			}
		}
	}
	return atomic.Rename(path, s.in(folder, n.file))
}

// mark is that of an agent, which is read once.
func (l *look) mark(agent string) (m *mark, err error) {
	m, known := l.known[agent]
	if !known {
		if m, err = l.session.mark(agent); err == nil {
			l.known[agent] = m
		}
	}
	return m, err
}

// readBefore lists the read broadcasts that an agent may not have been given.
func (l *look) readBefore(agent string) (names []name, err error) {
	m, err := l.mark(agent)
	if err != nil {
		return nil, err
	}
	upTo := ""
	if m != nil {
		upTo = m.upTo
	}
	behind, err := l.behind(upTo)
	if err != nil {
		return nil, err
	}
	if behind {
		names, err = l.session.entries("read")
		return slices.DeleteFunc(names, m.has), err
	}
	if m == nil {
		return nil, nil
	}
	for _, file := range slices.Sorted(maps.Keys(m.missing)) {
		if n, ok := parseName(file); ok {
			n.folder = "read"
			if _, err := os.Lstat(l.at(n)); err == nil {
				names = append(names, n)
			}
		}
	}
	return names, nil
}

// waitsFor reports whether an agent has not been given an entry yet and is not being given it now.
func (l *look) waitsFor(n name, agent string) (bool, error) {
	agent = folder(agent)
	m, err := l.mark(agent)
	return err == nil && !m.has(n) && !l.held[n.id][agent], err
}

// left returns the agents that an entry still waits for.
func (l *look) left(n name) (agents []string, err error) {
	for _, agent := range n.targets() {
		waits, err := l.waitsFor(n, agent)
		if err != nil {
			return nil, err
		}
		if waits {
			agents = append(agents, agent)
		}
	}
	return agents, nil
}

// touched reports whether any agent was given a broadcast or is being given it now.
func (l *look) touched(n name) (bool, error) {
	if len(l.held[n.id]) > 0 {
		return true, nil
	}
	agents, err := l.names("marks")
	for _, agent := range agents {
		m, err := l.mark(agent)
		if m.has(n) || err != nil {
			return true, err
		}
	}
	return false, err
}

// lapse takes an expired entry out of the queue, so that it is reported once. A broadcast that some agent got counts as
// delivered.
func (l *look) lapse(n name) (take, error) {
	switch {
	case len(l.held[n.id]) > 0:
		return take{}, nil // an agent is being given it now
	case !n.shared():
		return take{whole: true}, nil
	case n.agents == broadcast:
		if touched, err := l.touched(n); !touched || err != nil {
			return take{whole: err == nil}, err
		}
	default:
		if left, err := l.left(n); len(left) > 0 || err != nil {
			return take{whole: err == nil, only: left}, err
		}
	}
	return take{}, l.drop(n)
}
