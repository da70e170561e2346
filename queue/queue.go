package queue

import (
	"context"
	"time"

	internal "github.com/hookrun/hookrun/internal/queue"
)

// ErrNoDir means that neither $HOOKRUN_STATE nor the system names a folder for a user's state. So nobody can have
// queued anything.
var ErrNoDir = internal.ErrNoDir

// DefaultDir returns the folder where hookrun keeps its state: $HOOKRUN_STATE, or hookrun in the system's folder for a
// user's state.
func DefaultDir() (string, error) { return internal.DefaultDir() }

// Queue is the entries of all sessions in one state directory. The zero Queue uses the default directory. Many
// goroutines can use a Queue.
type Queue struct {
	Dir string // "": DefaultDir()
}

// Entry is a text that waits for agents.
type Entry struct {
	ID       string    `json:"id"` // set by Put: unique, and sorts in the order of the session's entries
	Session  string    `json:"session"`
	Agents   []string  `json:"agents,omitempty"`  // nil: a broadcast, which reaches each agent of the session once
	Strategy string    `json:"strategy"`          // "tool_result" (the default) or "user_message"
	Matcher  string    `json:"matcher,omitempty"` // globs separated by |: it is due after these tools; "": all
	Source   string    `json:"source,omitempty"`
	Content  string    `json:"content"`
	Created  time.Time `json:"created_at"`          // set by Put if zero
	Expires  time.Time `json:"expires_at,omitzero"` // zero: never
}

// Claim holds entries that are being delivered. Nobody else gets them until Done or Release ends the claim, or its
// process dies. The first successful call of the two decides, so Release can be deferred. A claim is not safe for use
// by several goroutines at once. A nil or zero Claim holds nothing, and its methods do nothing.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered: report them; Agents are the ones that never got it

	held *internal.Claim
}

// Put queues an entry and returns it as queued. The entry is safe on disk when Put returns. After a disk error it may
// be queued too.
func (q *Queue) Put(ctx context.Context, e Entry) (Entry, error) {
	put, err := (*internal.Queue)(q).Put(ctx, internal.Entry(e))
	return Entry(put), err
}

// Claim takes what is due for an agent after a tool has run. The agent "" is an agent like any other: the only one of
// its loop. If the tool has several names, an entry is due when its matcher matches any of them. Claim returns nil if
// nothing is due. An error beside a claim is about other entries.
func (q *Queue) Claim(ctx context.Context, session, agent string, tools ...string) (*Claim, error) {
	c, err := (*internal.Queue)(q).Claim(ctx, session, agent, tools...)
	if c == nil {
		return nil, err
	}
	return &Claim{Entries: public(c.Entries), Expired: public(c.Expired), held: c}, err
}

// Waiting lists the waiting entries in order and takes nothing. Agents of an entry for several agents are the ones that
// it still waits for. A broadcast waits until the first agent gets it. An error beside entries is about other entries.
func (q *Queue) Waiting(ctx context.Context, session string) ([]Entry, error) {
	entries, err := (*internal.Queue)(q).Waiting(ctx, session)
	return public(entries), err
}

func public(entries []internal.Entry) (list []Entry) {
	for _, e := range entries {
		list = append(list, Entry(e))
	}
	return list
}

// Done records that the entries were delivered. When it returns no error they are never delivered again.
func (c *Claim) Done(ctx context.Context) error { return c.end(ctx, true) }

// Release puts everything back as if it had never been claimed, Expired included. If ctx ends before that, the next
// process that looks into the queue does it.
func (c *Claim) Release(ctx context.Context) error { return c.end(ctx, false) }

func (c *Claim) end(ctx context.Context, delivered bool) error {
	if c == nil {
		return nil
	}
	return c.held.Finish(ctx, delivered)
}
