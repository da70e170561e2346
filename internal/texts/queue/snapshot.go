package queue

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
)

// snapshot is the content of a session's queue, read under the session's lock.
type snapshot struct {
	*session
	now     time.Time
	entries []name                     // waiting entries, in order
	held    map[string]map[string]bool // by entry id: marks' names of agents being given the entry now
	known   map[string]*mark           // marks read so far, by name
}

// snapshot reads the queue, and finishes claims of dead processes. It fails if any part is unreadable, because an entry
// with an unknown claim would be delivered twice. An error beside a snapshot is about a claim that cannot be finished
// and keeps its entries.
func (s *session) snapshot() (*snapshot, error) {
	l := &snapshot{session: s, now: now(), held: map[string]map[string]bool{}, known: map[string]*mark{}}
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
		if err := l.addHeld(claim); err != nil {
			return nil, errors.Join(errs, err)
		}
	}
	if err := s.convertMarks(); err != nil {
		return nil, errors.Join(errs, err)
	}
	if l.entries, err = s.entries("entries"); err != nil {
		return nil, errors.Join(errs, err)
	}
	return l, errs
}

// addHeld adds the shares in a claim to l.held.
func (l *snapshot) addHeld(claim string) error {
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

// finish ends a claim whose process is gone. Delivered entries are dropped; other entries go back to the folder
// entries. A killed finish is continued by the next call.
func (s *session) finish(claim string) error {
	files, err := s.names("claims", claim)
	if err != nil {
		return err
	}
	delivered := slices.Contains(files, "done")
	if delivered {
		if lines, err := atomic.Read(s.in("claims", claim, "done")); err == nil {
			_ = s.appendHistory(lines) // the texts are delivered even if this fails
		}
		reached("remembered")
	}
	if delivered {
		if err := s.markShares(claim, files); err != nil {
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
			err = s.putBack(path, n) // removeFile below then finds no file
		}
		if err == nil {
			err = removeFile(path)
		}
		if err != nil {
			return err
		}
		reached("finished " + file)
	}
	for _, file := range []string{"lock", "done", ""} { // done must outlive all that it covers
		if err := removeFile(s.in("claims", claim, file)); err != nil {
			return err
		}
		reached("finished " + file)
	}
	return nil
}

// markShares marks the shares in a claim as delivered.
func (s *session) markShares(claim string, files []string) error {
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
	return s.markDelivered(given)
}

// putBack moves an entry that a claim had taken whole to entries, or to read if an agent has got it.
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

// mark returns an agent's mark, and reads each mark once.
func (l *snapshot) mark(agent string) (m *mark, err error) {
	m, known := l.known[agent]
	if !known {
		if m, err = l.session.mark(agent); err == nil {
			l.known[agent] = m
		}
	}
	return m, err
}

// readBefore returns the read broadcasts that an agent may not have been given.
func (l *snapshot) readBefore(agent string) (names []name, err error) {
	m, err := l.mark(agent)
	if err != nil {
		return nil, err
	}
	upTo := ""
	if m != nil {
		upTo = m.upTo
	}
	behind, err := l.hasReadAfter(upTo)
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

// waitsFor reports whether an agent still has to get an entry and is not being given it now.
func (l *snapshot) waitsFor(n name, agent string) (bool, error) {
	agent = folder(agent)
	m, err := l.mark(agent)
	return err == nil && !m.has(n) && !l.held[n.id][agent], err
}

// waitingAgents returns the agents for which an entry still waits.
func (l *snapshot) waitingAgents(n name) (agents []string, err error) {
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

// hasReceiver reports whether any agent was given a broadcast or is being given it now.
func (l *snapshot) hasReceiver(n name) (bool, error) {
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

// takeExpired takes an expired entry, so the expiry is reported once. A broadcast given to any agent counts as
// delivered.
func (l *snapshot) takeExpired(n name) (take, error) {
	switch {
	case len(l.held[n.id]) > 0:
		return take{}, nil // an agent is being given the entry now
	case !n.shared():
		return take{whole: true}, nil
	case n.agents == broadcast:
		if received, err := l.hasReceiver(n); !received || err != nil {
			return take{whole: err == nil}, err
		}
	default:
		if agents, err := l.waitingAgents(n); len(agents) > 0 || err != nil {
			return take{whole: err == nil, recipients: agents}, err
		}
	}
	return take{}, l.drop(n)
}
