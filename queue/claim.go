package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/filelock"
)

// Claim is entries that are being delivered: nobody else is given them until it ends, with Done, Release or its
// process. The first of the two that succeeds decides, so that Release can be deferred. One goroutine at a time has a
// claim.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered, to be said; Agents are those that were not reached

	// ToolUseID is the model's id of the call with whose result the entries are given, and Suppress says that they are
	// handed on by other means, so that nobody knows yet whether an agent will have them. Both are for the history, and
	// count until Done.
	ToolUseID string
	Suppress  bool

	agent  *string // for the history, as the two below
	tool   string
	status Status

	session string // path of its folder
	id      string // name of the folder in claims
	lock    *os.File
	drain   bool
	taken   []taken
}

// claimLength is that of a claim's id, from unique.
const claimLength = 26

// maxDelivery is how many bytes of entries one claim has at most, unless the first has more: they become one result of
// a tool.
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

// claim takes what choose says of each entry.
func (q Queue) claim(session string, drain bool, choose func(*look, name) (take, error)) (*Claim, error) {
	s, err := q.open(session)
	if s == nil {
		return nil, err
	}
	c, err := s.claim(drain, choose)
	s.unlock()
	if c == nil {
		return nil, err
	}
	reached("claimed")
	c.status = Delivered
	if drain {
		c.status = Drained
	}
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
		if len(wanted) > 1 && !drain {
			if info, statErr := os.Lstat(s.in("entries", t.file)); statErr == nil {
				size += info.Size()
			}
			if i > 0 && size > maxDelivery {
				break // the rest is next in line
			}
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
	if err := filelock.Lock(c.lock); err != nil {
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
func (c *Claim) Done() error { return c.Finish(true) }

// Release puts everything back as if it had never been claimed, Expired included. A nil Claim has nothing to put back.
func (c *Claim) Release() error { return c.Finish(false) }

// Finish is Done for entries that were delivered, else Release.
func (c *Claim) Finish(delivered bool) error {
	if c == nil || c.lock == nil {
		return nil
	}
	if delivered {
		// Lost with a disk that is full, which is no reason to deliver twice.
		_, _ = c.lock.WriteAt(c.noted(), 0)
		reached("noted")
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

// record notes that the entries were delivered, all of them at once: who goes on after our death finds either all
// delivered or none. Where the folder is gone there is nothing to note.
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
