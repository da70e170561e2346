package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/lock"
	"github.com/hookrun/hookrun/internal/files/owner"
)

// Claim is documented in the public package.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered: report them; Agents are the ones that never got it

	// ToolUseID is the model's id of the call whose result carries the entries. Suppress is for entries that are handed
	// on by other means, where nobody knows yet whether an agent will get them. Both go into the history and can be set
	// until Done.
	ToolUseID string
	Suppress  bool

	agent *string // for the history, like tool
	tool  string

	session string // path of its folder
	id      string // name of the folder in claims
	status  Status // of the entries once they are delivered
	lock    *os.File
}

// claimLength is the length of a claim's id, which unique makes.
const claimLength = 26

// maxDelivery limits the bytes of entries in one claim, because they become one tool result. The first entry is always
// taken, even when it is larger.
const maxDelivery = 8 << 20

// taken is an entry in a claim.
type taken struct {
	name
	take
	expired bool
}

// take is what to take of an entry: all of it, or the shares of some of its agents.
type take struct {
	whole  bool
	shares []string
	only   []string // for the claim's reader: the agents that it is for, if not for all that it names
}

// claim takes from each entry what choose returns: from those that wait, and those that more lists; nil: no more. With
// status Popped it takes only the latest of them.
func (q *Queue) claim(
	ctx context.Context, session string, status Status, more func(*look) ([]name, error),
	choose func(*look, name) (take, error),
) (*Claim, error) {
	s, err := q.open(ctx, session)
	if s == nil {
		return nil, err
	}
	defer s.unlock()
	l, err := s.look()
	if l == nil {
		return nil, err
	}
	names := l.entries
	if more != nil {
		read, readErr := more(l)
		err = errors.Join(err, readErr)
		names = slices.Concat(names, read)
		slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.file, b.file) })
	}
	var wanted []taken
	latest := "" // the latest entry that an agent may still wait for
	for _, n := range names {
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
			if info, statErr := os.Lstat(s.at(t.name)); statErr == nil {
				size += info.Size()
			}
			if i > 0 && size > maxDelivery {
				break // the next claim gets the rest
			}
		}
		err = errors.Join(err, c.add(s, t))
	}
	if len(c.Entries)+len(c.Expired) == 0 { // no entry could be read
		c.close()
		return nil, errors.Join(err, s.finish(c.id))
	}
	return c, err
}

// in returns the path of a file in the claim's folder.
func (c *Claim) in(file string) string { return filepath.Join(c.session, "claims", c.id, file) }

// begin makes the folder of a claim and locks it. The lock lasts until the claim ends or this process dies.
func (c *Claim) begin() (err error) {
	if err := owner.MkdirAll(c.in("")); err != nil {
		return err
	}
	reached("folder")
	if c.lock, err = os.OpenFile(c.in("lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	reached("file")
	if err := lock.Lock(c.lock); err != nil {
		c.lock.Close()
		return err
	}
	reached("locked")
	return nil
}

// add reads an entry and takes the wanted part of it.
func (c *Claim) add(s *session, t taken) error {
	e, err := s.read(t.name)
	if err != nil {
		return err
	}
	if t.whole {
		if err := atomic.Rename(s.at(t.name), c.in(t.file)); err != nil {
			return err
		}
		reached("taken")
	}
	for _, agent := range t.shares {
		if err := os.WriteFile(c.share(t, agent), []byte(t.file), 0o600); err != nil {
			// A share that stayed behind would make Done record a delivery that never happened.
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

// share returns the path of the file that says: the agent is being given this entry now.
func (c *Claim) share(t taken, agent string) string { return c.in(t.id + "=" + folder(agent)) }

// Done is documented in the public package.
func (c *Claim) Done(ctx context.Context) error { return c.Finish(ctx, true) }

// Release is documented in the public package.
func (c *Claim) Release(ctx context.Context) error { return c.Finish(ctx, false) }

// Finish is Done for entries that were delivered, else Release.
func (c *Claim) Finish(ctx context.Context, delivered bool) error {
	if c == nil || c.lock == nil {
		return nil
	}
	if delivered {
		// A full disk loses the history lines. That is no reason to deliver the entries twice.
		_, _ = c.lock.WriteAt(c.noted(), 0)
		reached("noted")
	}
	recorded := delivered && movesOpen
	if recorded { // before waiting for the lock: dying earlier would deliver everything again
		if err := c.record(); err != nil {
			return err
		}
	}
	s, err := open(ctx, c.session)
	if err != nil && !recorded && (delivered || !errors.Is(err, context.Cause(ctx))) {
		return err
	}
	if s == nil {
		c.close() // the next look finishes the claim, unless the whole folder was removed
		return nil
	}
	defer s.unlock()
	if delivered && !recorded {
		c.lock.Close() // until record we look dead, but nobody can look: the session's lock is ours
		if err := c.record(); err != nil {
			return err
		}
	}
	c.close()
	err = s.finish(c.id)
	if !delivered {
		return err
	}
	// The delivery is on record, so an error here would wrongly say that the entries come again. The next look finishes
	// the claim and meets the same error.
	if c.status != Delivered {
		s.remove()
	}
	return nil
}

// record records the delivery of all entries in one step: if we die, the next process finds all of them delivered or
// none. If the folder is gone there is nothing to record.
func (c *Claim) record() error {
	if err := atomic.Rename(c.in("lock"), c.in("done")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("that the entries were delivered cannot be recorded, so they may come again: %w", err)
	}
	reached("done")
	return nil
}

func (c *Claim) close() {
	c.lock.Close()
	c.lock = nil
}
