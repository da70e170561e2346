package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// Claim is documented in the public package.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered; Agents are the agents that missed it

	// ToolUseID is the model's id of the call whose result carries the entries. Deferred marks entries that are handed
	// on by other means, so delivery to an agent is not known yet. Both go into the history and can be set until Done.
	ToolUseID string
	Deferred  bool

	agent *string // for the history; also tool
	tool  string

	session string // path of its folder
	id      string // the claim's folder name in claims
	status  Status // of the entries after their delivery
	lock    *os.File
}

// claimLength is the length of a claim's id, as made by unique.
const claimLength = 26

// maxDelivery limits the bytes of entries in one claim, because they become one tool result. The first entry may be
// larger.
const maxDelivery = 8 << 20

// taken is an entry in a claim.
type taken struct {
	name
	take
	expired bool
}

// take is the part of an entry to take: the whole entry, or the shares of some agents.
type take struct {
	whole      bool
	shares     []string
	recipients []string // the agents reported to the claim's reader; nil: all agents of the entry
}

// claim takes parts of the waiting entries, and of the entries returned by more, if set. choose returns the part to
// take. With status Popped, claim takes only the latest entry.
func (q *Queue) claim(
	ctx context.Context, session string, status Status, more func(*snapshot) ([]name, error),
	choose func(*snapshot, name) (take, error),
) (*Claim, error) {
	s, err := q.open(ctx, session)
	if s == nil {
		return nil, err
	}
	defer s.unlock()
	l, err := s.snapshot()
	if l == nil {
		return nil, err
	}
	names := l.entries
	if more != nil {
		read, readErr := more(l)
		err = errors.Join(err, readErr)
		names = slices.Concat(names, read)
		sort.Slice(names, func(i, j int) bool { return names[i].file < names[j].file })
	}
	var wanted []taken
	latest := "" // the latest entry that may still wait for an agent
	for _, n := range names {
		n, entryErr := s.complete(n)
		t := taken{name: n, expired: n.expired(l.now)}
		switch {
		case entryErr != nil:
		case t.expired:
			t.take, entryErr = l.takeExpired(n)
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
	if len(c.Entries)+len(c.Expired) == 0 { // all reads failed
		c.close()
		return nil, errors.Join(err, s.finish(c.id))
	}
	return c, err
}

// in returns the path of a file in the claim's folder.
func (c *Claim) in(file string) string { return filepath.Join(c.session, "claims", c.id, file) }

// begin creates the folder of a claim and locks it. The lock lasts until the claim ends or this process dies.
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

// add reads an entry and takes the wanted part.
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
			// A leftover share would make Done record a delivery that never happened.
			for _, agent := range t.shares {
				err = errors.Join(err, removeFile(c.share(t, agent)))
			}
			return err
		}
		reached("shared")
	}
	if t.recipients != nil {
		e.Agents = t.recipients
	}
	if t.expired {
		c.Expired = append(c.Expired, e)
	} else {
		c.Entries = append(c.Entries, e)
	}
	return nil
}

// share returns the path of the file for an agent that is being given this entry now.
func (c *Claim) share(t taken, agent string) string { return c.in(t.id + "=" + folder(agent)) }

// Done is documented in the public package.
func (c *Claim) Done(ctx context.Context) error { return c.Finish(ctx, true) }

// Release is documented in the public package.
func (c *Claim) Release(ctx context.Context) error { return c.Finish(ctx, false) }

// Finish is Done if the entries were delivered, else Release.
func (c *Claim) Finish(ctx context.Context, delivered bool) error {
	if c == nil || c.lock == nil {
		return nil
	}
	if delivered {
		// A full disk loses the history lines. This is no reason to deliver the entries twice.
		_, _ = c.lock.WriteAt(c.historyLines(), 0)
		reached("noted")
	}
	recorded := delivered && canMoveOpen
	if recorded { // before the lock: a death while waiting would repeat the delivery
		if err := c.record(); err != nil {
			return err
		}
	}
	s, err := open(ctx, c.session)
	if err != nil && !recorded && (delivered || !errors.Is(err, context.Cause(ctx))) {
		return err
	}
	if s == nil {
		c.close() // the next snapshot finishes the claim, unless the folder is gone
		return nil
	}
	defer s.unlock()
	if delivered && !recorded {
		c.lock.Close() // makes the claim look dead, but we hold the session's lock
		if err := c.record(); err != nil {
			return err
		}
	}
	c.close()
	err = s.finish(c.id)
	if !delivered {
		return err
	}
	// The delivery is recorded, so an error would wrongly promise another one. The next snapshot finishes the claim and
	// meets the same error.
	if c.status != Delivered {
		s.remove()
	}
	return nil
}

// record records the delivery of all entries in one step. After a crash the next process finds all entries delivered or
// all undelivered. If the folder is gone, record does nothing.
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
