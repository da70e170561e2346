package queue

import (
	"context"
	"time"

	internal "github.com/hookrun/hookrun/internal/texts/queue"
)

// DefaultDir returns the folder of hookrun's state: $HOOKRUN_STATE, or the subfolder hookrun of the system's folder for
// a user's state.
func DefaultDir() (string, error) { return internal.DefaultDir() }

// Queue is the queue of all sessions in one state directory. The zero Queue uses the default directory. A Queue is safe
// for concurrent use.
type Queue struct {
	Dir string // "": DefaultDir()
}

// Entry is a text that waits for agents.
type Entry struct {
	ID       string    `json:"id"` // set by Put: unique, and sorts in the order of the session's entries
	Session  string    `json:"session"`
	Agents   []string  `json:"agents,omitempty"`  // nil: a broadcast, delivered once to each agent of the session
	Strategy string    `json:"strategy"`          // "tool_result" (the default) or "user_message"
	Matcher  string    `json:"matcher,omitempty"` // due after these tools: globs separated by |; "": all tools
	Source   string    `json:"source,omitempty"`
	Content  string    `json:"content"`
	Created  time.Time `json:"created_at"`          // set by Put if zero
	Expires  time.Time `json:"expires_at,omitzero"` // zero: never
}

// Claim reserves entries for delivery. No other claim gets them until Done or Release ends it, or its process dies.
// The first successful call of Done or Release decides, so Release can be deferred. A Claim is not safe for concurrent
// use. A nil or zero Claim has no entries, and its methods do nothing.
type Claim struct {
	Entries []Entry // in order
	Expired []Entry // dropped undelivered: report them; Agents are the agents that never got the entry

	held *internal.Claim
}

// Put queues an entry and returns the queued entry. The entry is safe on disk when Put returns. After a disk error the
// entry may be queued all the same.
func (q *Queue) Put(ctx context.Context, e Entry) (Entry, error) {
	put, err := (*internal.Queue)(q).Put(ctx, internal.Entry(e))
	return Entry(put), err
}

// Claim takes the entries that are due for an agent after a tool has run. The agent "" is an agent like any other: the
// only one of its loop. If the tool has several names, an entry is due if its matcher matches any of them. Claim
// returns nil if no entry is due. An error returned with a claim is about other entries.
func (q *Queue) Claim(ctx context.Context, session, agent string, tools ...string) (*Claim, error) {
	c, err := (*internal.Queue)(q).Claim(ctx, session, agent, tools...)
	if c == nil {
		return nil, err
	}
	return &Claim{Entries: public(c.Entries), Expired: public(c.Expired), held: c}, err
}

// Waiting lists the waiting entries in order and takes none of them. If an entry is for several agents, Agents are the
// agents that have not got the entry yet. A broadcast waits until the first agent gets it. An error returned with
// entries is about other entries.
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

// Done records that the entries were delivered. After Done without an error they are never delivered again.
func (c *Claim) Done(ctx context.Context) error { return c.end(ctx, true) }

// Release puts all entries back as if never claimed, Expired included. If ctx ends first, the next process that looks
// into the queue puts them back.
func (c *Claim) Release(ctx context.Context) error { return c.end(ctx, false) }

func (c *Claim) end(ctx context.Context, delivered bool) error {
	if c == nil {
		return nil
	}
	return c.held.Finish(ctx, delivered)
}
