package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

	agent *string // for the history, as is the tool
	tool  string

	session string // path of its folder
	id      string // name of the folder in claims
	status  Status // of the entries once they are delivered
	lock    *os.File
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
	expired bool
}

// take is what to take of an entry: the whole of it, or the shares of some of its agents.
type take struct {
	whole  bool
	shares []string
	only   []string // for the claim's reader: the agents that it is for, if not for all that it names
}

// claim takes what choose says of each entry, and of those only the latest to be Popped.
func (q Queue) claim(session string, status Status, choose func(*look, name) (take, error)) (*Claim, error) {
	s, err := q.open(session)
	if s == nil {
		return nil, err
	}
	defer s.unlock()
	l, err := s.look()
	if l == nil {
		return nil, err
	}
	var wanted []taken
	latest := "" // of those that somebody may wait for
	for _, n := range l.entries {
		n, entryErr := s.complete(n)
		t := taken{name: n, expired: n.expired(l.now)}
		switch {
		case entryErr != nil:
		case t.expired:
			t.take, entryErr = l.lapse(n)
		default:
			t.take, entryErr = choose(l, n)
		}
		err = errors.Join(err, entryErr)
		some := t.whole || len(t.shares) > 0
		if some {
			wanted = append(wanted, t)
		}
		if (some || entryErr != nil) && !t.expired {
			latest = n.id
		}
	}
	if status == Popped {
		wanted = slices.DeleteFunc(wanted, func(t taken) bool { return !t.expired && t.id != latest })
	}
	drain := status != Delivered
	if len(wanted) == 0 {
		if drain {
			err = errors.Join(err, s.remove())
		}
		return nil, err
	}
	c := &Claim{session: s.path, id: unique(), status: status}
	if beginErr := c.begin(); beginErr != nil {
		return nil, errors.Join(err, beginErr)
	}
	var size int64
	for i, t := range wanted {
		if !drain {
			if info, statErr := os.Lstat(s.in("entries", t.file)); statErr == nil {
				size += info.Size()
			}
			if i > 0 && size > maxDelivery {
				break // the rest is next in line
			}
		}
		err = errors.Join(err, c.add(s, t))
	}
	if len(c.Entries)+len(c.Expired) == 0 { // none could be read
		c.close()
		return nil, errors.Join(err, s.finish(c.id))
	}
	return c, err
}

// in is the path of a file in the claim's folder.
func (c *Claim) in(file string) string { return filepath.Join(c.session, "claims", c.id, file) }

// begin makes the folder of a claim. Its lock is ours until the claim, or this process, ends.
func (c *Claim) begin() (err error) {
	if err := os.MkdirAll(c.in(""), 0o700); err != nil {
		return err
	}
	reached("folder")
	if c.lock, err = os.OpenFile(c.in("lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
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

// add reads an entry and takes what is wanted of it.
func (c *Claim) add(s *session, t taken) error {
	e, err := s.read(t.name)
	if err != nil {
		return err
	}
	if t.whole {
		if err := os.Rename(s.in("entries", t.file), c.in(t.file)); err != nil {
			return err
		}
		reached("taken")
	}
	for _, agent := range t.shares {
		if err := os.WriteFile(c.share(t, agent), []byte(t.file), 0o600); err != nil {
			// One that stays would make Done note that the agent was given what it never saw.
			for _, agent := range t.shares {
				err = errors.Join(err, removeFile(c.share(t, agent)))
			}
			return err
		}
		reached("shared")
	}
	if t.only != nil {
		e.Agents = t.only
	}
	if t.expired {
		c.Expired = append(c.Expired, e)
	} else {
		c.Entries = append(c.Entries, e)
	}
	return nil
}

// share is the file that says that an agent is just being given an entry.
func (c *Claim) share(t taken, agent string) string { return c.in(t.id + "=" + folder(agent)) }

// Done records that the entries were delivered. Without an error they never come again. A nil Claim is done.
func (c *Claim) Done() error { return c.end(true) }

// Release puts everything back as if it had never been claimed, Expired included. A nil Claim has nothing to put back.
func (c *Claim) Release() error { return c.end(false) }

func (c *Claim) end(delivered bool) error {
	if c == nil || c.lock == nil {
		return nil
	}
	if delivered {
		// Lost with a disk that is full, which is no reason to deliver twice.
		_, _ = c.lock.WriteAt(c.noted(), 0)
		reached("noted")
	}
	recorded := delivered && movesOpen
	if recorded { // at once, without a wait for our turn: until then our death has all of it delivered again
		if err := c.record(); err != nil {
			return err
		}
	}
	s, err := open(c.session)
	if err != nil && !recorded {
		return err
	}
	if s == nil {
		c.close() // whoever looks next goes on, or somebody removed the whole folder, which clears it
		return nil
	}
	defer s.unlock()
	if delivered && !recorded {
		c.lock.Close() // that we live is not known until it has its new name, but nobody can look
		if err := c.record(); err != nil {
			return err
		}
	}
	c.close()
	err = s.finish(c.id)
	if !delivered {
		return err
	}
	// It is on record, and an error would say that the entries come again. Who looks next goes on, and meets what we
	// met.
	if c.status != Delivered {
		s.remove()
	}
	return nil
}

// record notes that the entries were delivered, all of them at once: who goes on after our death finds either all
// delivered or none. Where the folder is gone there is nothing to note.
func (c *Claim) record() error {
	if err := os.Rename(c.in("lock"), c.in("done")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("that the entries were delivered cannot be recorded, so they may come again: %w", err)
	}
	reached("done")
	return nil
}

func (c *Claim) close() {
	c.lock.Close()
	c.lock = nil
}
