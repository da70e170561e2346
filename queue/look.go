package queue

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/filelock"
)

// look is what a session's queue holds at one moment, under its lock.
type look struct {
	*session
	now     time.Time
	entries []name                     // in order
	held    map[string]map[string]bool // by id: the folders of the agents that somebody is just giving it to
}

// look fails where it cannot see all: who does not know what others hold gives it twice. An error beside a look is
// about a claim that cannot be ended; it keeps what it holds.
func (s *session) look() (*look, error) {
	l := &look{session: s, now: now(), held: map[string]map[string]bool{}}
	claims, err := s.names("claims")
	if err != nil {
		return nil, err
	}
	var said error
	for _, claim := range claims {
		if len(claim) != claimLength {
			continue
		}
		alive, err := filelock.Held(s.in("claims", claim, "lock"))
		if err == nil && !alive {
			if err = s.finish(claim); err == nil {
				continue
			}
		}
		said = errors.Join(said, err)
		if err := l.hold(claim); err != nil {
			return nil, errors.Join(said, err)
		}
	}
	files, err := s.names("entries")
	if err != nil {
		return nil, errors.Join(said, err)
	}
	for _, file := range files {
		if n, ok := parseName(file); ok {
			l.entries = append(l.entries, n)
		}
	}
	return l, said
}

// hold notes whose shares a claim holds.
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

// finish ends a claim that nobody holds any more. What was delivered is dropped, else all goes back to its place. It
// can be killed anywhere: the next one goes on.
func (s *session) finish(claim string) error {
	files, err := s.names("claims", claim)
	if err != nil {
		return err
	}
	delivered := slices.Contains(files, "done")
	if delivered {
		if lines, err := readFile(s.in("claims", claim, "done")); err == nil {
			_ = s.remember(lines) // the texts were delivered, whether or not that can be looked up
		}
		reached("remembered")
	}
	for _, file := range files {
		path := s.in("claims", claim, file)
		n, whole := parseName(file)
		switch id, agent, share := strings.Cut(file, "="); {
		case share && delivered:
			var entry []byte
			if entry, err = readFile(path); err == nil {
				err = s.got(id, agent, string(entry))
			}
		case share:
		case !whole:
			continue
		case delivered:
			err = s.forget(n)
		default:
			err = os.Rename(path, s.in("entries", file)) // then there is nothing left to remove
		}
		if err == nil {
			err = removeFile(path)
		}
		if err != nil {
			return err
		}
		reached("finished " + file)
	}
	for _, file := range []string{"lock", "done", ""} { // done stands until nothing is left that it speaks of
		if err := removeFile(s.in("claims", claim, file)); err != nil {
			return err
		}
		reached("finished " + file)
	}
	return nil
}

// waitsFor reports whether an agent was not given an entry yet, nor is just being given it.
func (l *look) waitsFor(n name, agent string) (bool, error) {
	agent = folder(agent)
	saw, err := l.saw(agent, n.id)
	return !saw && !l.held[n.id][agent] && err == nil, err
}

// left is the agents that an entry still waits for.
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

// touched reports whether any agent was given a broadcast or is just being given it.
func (l *look) touched(n name) (bool, error) {
	if len(l.held[n.id]) > 0 {
		return true, nil
	}
	agents, err := l.names("seen")
	for _, agent := range agents {
		saw, err := l.saw(agent, n.id)
		if saw || err != nil {
			return saw, err
		}
	}
	return false, err
}

// lapse takes an expired entry out of the queue, to be said once. Nobody has missed a broadcast that somebody was
// given.
func (l *look) lapse(n name) (take, error) {
	switch {
	case len(l.held[n.id]) > 0:
		return take{}, nil // somebody is just in time
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
