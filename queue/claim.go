package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Claim is entries that are being delivered: nobody else is given them until it ends, with Done, Release or its process. The
// first of the two that succeeds decides, so that Release can be deferred. One goroutine at a time has a claim.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered, to be said; Agents are those that were not reached

	session string // path of its folder
	id      string // name of the folder in claims
	lock    *os.File
	drain   bool
	taken   []taken
}

// claimLength is that of a claim's id, from unique.
const claimLength = 26

// maxDelivery is how many bytes of entries one claim has at most, unless the first has more: they become one result of a tool.
const maxDelivery = 8 << 20

// taken is an entry in a claim.
type taken struct {
	name
	take
	path    string
	expired bool
}

// take is what to take of an entry: the whole of it, or the shares of some of its agents.
type take struct {
	whole  bool
	shares []string
	only   []string // for the claim's reader: the agents that it is for, if not for all that it names
}

// look is what a session's queue holds at one moment, under its lock.
type look struct {
	*session
	now     time.Time
	entries []name
	held    map[string]map[string]bool // by id: the folders of the agents that somebody is just giving it to
	seen    map[string]map[string]bool // by agent's folder: the ids that it was given; filled as needed
}

// look fails where it cannot see all: who does not know what others hold gives it twice. An error beside a look is about a claim
// that cannot be ended; it keeps what it holds.
func (s *session) look() (*look, error) {
	l := &look{session: s, now: now(), held: map[string]map[string]bool{}, seen: map[string]map[string]bool{}}
	claims, err := s.names("claims")
	if err != nil {
		return nil, err
	}
	var said error
	for _, claim := range claims {
		if len(claim) != claimLength {
			continue
		}
		alive, err := locked(s.in("claims", claim, "lock"))
		if err == nil && !alive {
			if err = s.settle(claim); err == nil {
				continue
			}
		}
		said = errors.Join(said, err)
		if err := l.hold(claim); err != nil {
			return nil, errors.Join(said, err)
		}
	}
	if l.entries, err = s.entries(); err != nil {
		return nil, errors.Join(said, err)
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

// settle ends a claim that nobody holds any more. What was delivered is dropped, else all goes back to its place. It can be
// killed anywhere: the next one goes on.
func (s *session) settle(claim string) error {
	files, err := s.names("claims", claim)
	if err != nil {
		return err
	}
	delivered := slices.Contains(files, "done")
	for _, file := range files {
		path := s.in("claims", claim, file)
		id, agent, share := strings.Cut(file, "=")
		n, whole := parseName(file)
		switch {
		case share && delivered:
			var entry []byte
			if entry, err = readFile(path); err == nil {
				err = s.got(id, agent, string(entry))
			}
			if err == nil {
				err = removeFile(path)
			}
		case share:
			err = removeFile(path)
		case whole && delivered:
			if err = s.forget(n); err == nil {
				err = removeFile(path)
			}
		case whole:
			err = os.Rename(path, s.in("entries", file))
		}
		if err != nil {
			return err
		}
		reached("settled " + file)
	}
	for _, file := range []string{"lock", "done", ""} { // done stands until nothing is left that it speaks of
		if err := removeFile(s.in("claims", claim, file)); err != nil {
			return err
		}
		reached("settled " + file)
	}
	return nil
}

func (l *look) sawIt(agentFolder, id string) (bool, error) {
	if l.seen[agentFolder] == nil {
		ids, err := l.names("seen", agentFolder)
		if err != nil {
			return false, err
		}
		l.seen[agentFolder] = make(map[string]bool, len(ids))
		for _, id := range ids {
			l.seen[agentFolder][id] = true
		}
	}
	return l.seen[agentFolder][id], nil
}

// waitsFor reports whether an agent was not given an entry yet, nor is just being given it.
func (l *look) waitsFor(n name, agent string) (bool, error) {
	agent = folder(agent)
	saw, err := l.sawIt(agent, n.id)
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
		saw, err := l.sawIt(agent, n.id)
		if saw || err != nil {
			return saw, err
		}
	}
	return false, err
}

// lapse takes an expired entry out of the queue, to be said once. Nobody has missed a broadcast that somebody was given.
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

// claim takes what choose says of each entry.
func (q Queue) claim(session string, drain bool, choose func(*look, name) (take, error)) (*Claim, error) {
	path, err := q.path(session)
	if err != nil {
		return nil, err
	}
	s, err := open(path)
	if s == nil {
		return nil, err
	}
	c, err := s.claim(drain, choose)
	s.unlock()
	if c == nil {
		return nil, err
	}
	reached("claimed")
	return c.read(err)
}

func (s *session) claim(drain bool, choose func(*look, name) (take, error)) (*Claim, error) {
	l, err := s.look()
	if l == nil {
		return nil, err
	}
	var wanted []taken
	for _, n := range l.entries {
		n, nameErr := s.complete(n)
		if nameErr != nil || n.agents == unsaid {
			err = errors.Join(err, nameErr)
			continue
		}
		t := taken{name: n, expired: n.expired(l.now)}
		var chooseErr error
		if t.expired {
			t.take, chooseErr = l.lapse(n)
		} else {
			t.take, chooseErr = choose(l, n)
		}
		if err = errors.Join(err, chooseErr); t.whole || len(t.shares) > 0 {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) == 0 {
		if drain {
			err = errors.Join(err, s.remove())
		}
		return nil, err
	}
	slices.SortFunc(wanted, func(a, b taken) int { return strings.Compare(a.id, b.id) })
	c := &Claim{session: s.path, id: unique(), drain: drain}
	if beginErr := c.begin(s); beginErr != nil {
		return nil, errors.Join(err, beginErr)
	}
	var size int64
	for i, t := range wanted {
		if info, statErr := os.Lstat(s.in("entries", t.file)); statErr == nil {
			size += info.Size()
		}
		if i > 0 && size > maxDelivery && !drain {
			break // the rest is next in line
		}
		if holdErr := c.hold(s, t); holdErr != nil {
			err = errors.Join(err, holdErr)
		}
	}
	return c, err
}

// begin makes the folder of a claim. Its lock is ours until the claim, or this process, ends.
func (c *Claim) begin(s *session) (err error) {
	if err := os.MkdirAll(s.in("claims", c.id), 0o700); err != nil {
		return err
	}
	reached("folder")
	if c.lock, err = os.OpenFile(s.in("claims", c.id, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	reached("file")
	if err := lock(c.lock); err != nil {
		c.lock.Close()
		return err
	}
	reached("locked")
	return nil
}

func (c *Claim) hold(s *session, t taken) error {
	t.path = s.in("entries", t.file)
	if t.whole {
		claimed := s.in("claims", c.id, t.file)
		if err := os.Rename(t.path, claimed); err != nil {
			return err
		}
		t.path = claimed
		reached("taken")
	}
	for _, agent := range t.shares {
		if err := os.WriteFile(c.share(t, agent), []byte(t.file), 0o600); err != nil {
			// One that stays would make Done note that the agent was given what it never saw.
			return errors.Join(err, c.dropShares(t))
		}
		reached("shared")
	}
	c.taken = append(c.taken, t)
	return nil
}

// share is the file that says that an agent is just being given an entry.
func (c *Claim) share(t taken, agent string) string {
	s := session{path: c.session}
	return s.in("claims", c.id, t.id+"="+folder(agent))
}

func (c *Claim) dropShares(t taken) (err error) {
	for _, agent := range t.shares {
		err = errors.Join(err, removeFile(c.share(t, agent)))
	}
	return err
}

// read reads what was taken. Others need not wait for that.
func (c *Claim) read(err error) (*Claim, error) {
	for _, t := range c.taken {
		e, readErr := readEntry(t.path, t.name)
		if errors.Is(readErr, fs.ErrNotExist) && !t.whole {
			continue // cleared since
		}
		if readErr != nil {
			said, giveErr := c.giveBack(t, readErr)
			if err = errors.Join(err, said, giveErr); giveErr != nil {
				return nil, errors.Join(err, c.Release()) // Done would drop it unread
			}
			continue
		}
		if t.only != nil {
			e.Agents = t.only
		}
		if t.expired {
			c.Expired = append(c.Expired, e)
		} else {
			c.Entries = append(c.Entries, e)
		}
	}
	if len(c.Entries)+len(c.Expired) == 0 {
		return nil, errors.Join(err, c.Release())
	}
	return c, err
}

// giveBack takes one entry, which cannot be read, out of the claim, and returns what is to be said about it.
func (c *Claim) giveBack(t taken, why error) (said, err error) {
	s, err := open(c.session)
	if s == nil {
		return why, err
	}
	defer s.unlock()
	if err := c.dropShares(t); err != nil {
		return why, err
	}
	if bad, ok := errors.AsType[damaged](why); ok {
		return s.setAside(t.path, t.name, bad.error)
	}
	if t.whole {
		err = os.Rename(t.path, s.in("entries", t.file))
	}
	return fmt.Errorf("an entry waits that cannot be read: %w", why), err
}

// Done records that the entries were delivered. Without an error they never come again. A nil Claim is done.
func (c *Claim) Done() error { return c.end(true) }

// Release puts everything back as if it had never been claimed, Expired included. A nil Claim has nothing to put back.
func (c *Claim) Release() error { return c.end(false) }

func (c *Claim) end(delivered bool) error {
	if c == nil || c.lock == nil {
		return nil
	}
	if delivered && renamesOpen { // at once, without a wait for our turn: until then our death has all of it delivered again
		if err := c.record(); err != nil {
			return err
		}
	}
	s, err := open(c.session)
	switch {
	case err != nil && delivered && renamesOpen:
		c.close() // whoever looks next goes on
		return nil
	case err != nil:
		return err
	case s == nil:
		c.close() // somebody removed the whole folder, which clears it
		return nil
	}
	defer s.unlock()
	if delivered && !renamesOpen {
		c.lock.Close() // that we live is not known until it has its new name, but nobody can look
		if err := c.record(); err != nil {
			return err
		}
	}
	c.close()
	err = s.settle(c.id)
	if delivered {
		// That is on record, and an error would say that they come again. Who looks next goes on, and meets what we met.
		err = nil
		if c.drain {
			s.remove()
		}
	}
	return err
}

// record notes that the entries were delivered, all of them at once: who goes on after our death finds either all delivered or
// none. Where the folder is gone there is nothing to note.
func (c *Claim) record() error {
	folder := filepath.Join(c.session, "claims", c.id)
	if err := os.Rename(filepath.Join(folder, "lock"), filepath.Join(folder, "done")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("that the entries were delivered cannot be recorded, so they may come again: %w", err)
	}
	reached("done")
	return nil
}

func (c *Claim) close() {
	c.lock.Close()
	c.lock = nil
}
