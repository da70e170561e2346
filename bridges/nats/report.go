package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// end is a report: how a text ended.
type end struct {
	ID      string    `json:"id"`
	Agent   string    `json:"agent"`
	Session string    `json:"session,omitempty"`
	Status  string    `json:"status"` // rejected, or a status of the queue's history
	At      time.Time `json:"at"`
	// ReadBy is the agent that got the text. It differs from Agent if the text was for every agent.
	ReadBy    *string `json:"read_by,omitempty"`
	Tool      string  `json:"tool,omitempty"`
	ToolUseID string  `json:"tool_use_id,omitempty"`
	Reason    string  `json:"reason,omitempty"`

	created   int64
	published bool // but not yet noted in the journal
}

// reporter reports the ends of texts.
type reporter struct {
	*bridge
	looked map[string]time.Time // when the history of a session was read
	ready  bool                 // whether the stream is there

	sync.Mutex
	found map[int64]end // unreported ends, by the At of their texts
}

// report reports the ends of texts until ctx ends.
func (b *bridge) report(ctx context.Context) {
	r := &reporter{bridge: b, looked: map[string]time.Time{}, found: map[int64]end{}}
	var looking sync.WaitGroup
	looking.Go(func() { r.lookOften(ctx) })
	for ctx.Err() == nil {
		if ends := r.inOrder(); len(ends) > 0 && b.conn.IsConnected() {
			if err := r.publish(ctx, ends); err != nil {
				r.ready = false
				b.fail(ctx, fmt.Errorf("reporting to %s%s: %w", reportsPrefix, b.agent, err))
			}
		}
		wait(ctx, pause/10)
	}
	looking.Wait()
}

// lookOften looks for ends, also without a connection, because a history keeps only the last events.
func (r *reporter) lookOften(ctx context.Context) {
	for ctx.Err() == nil {
		news, err := r.look()
		if err != nil {
			r.say("reading the history of the queue: " + err.Error())
		}
		if news > 0 {
			wait(ctx, pause/10) // there may be many more
		} else {
			wait(ctx, pause)
		}
	}
}

// look finds ends, and returns the number of new ends.
func (r *reporter) look() (news int, err error) {
	add := func(e end) {
		r.Lock()
		defer r.Unlock()
		if _, known := r.found[e.created]; !known {
			r.found[e.created] = e
			news++
		}
	}
	sessions, refused := r.journal.unreported()
	for _, t := range refused {
		add(end{ID: t.ID, Status: t.Status, At: time.Unix(0, t.At).UTC(), Reason: t.Reason, created: t.At})
	}
	for session := range sessions {
		now := time.Now()
		records, readErr := r.journal.queue.Ended(session, r.looked[session])
		if err = errors.Join(err, readErr); readErr != nil {
			continue
		}
		r.looked[session] = now.Add(-2 * time.Second) // the clock of a file system may be coarse
		for _, record := range records {
			t, found := r.journal.find(session, record.Created.UnixNano())
			if !found || len(record.Events) < 2 {
				continue
			}
			e := record.Events[1]
			add(end{ID: t.ID, Session: session, Status: string(e.Status), At: e.At, ReadBy: e.Agent,
				Tool: e.Tool, ToolUseID: e.ToolUseID, created: t.At})
		}
	}
	return news, err
}

// inOrder returns the ends that were found.
func (r *reporter) inOrder() []end {
	r.Lock()
	defer r.Unlock()
	return slices.SortedFunc(maps.Values(r.found), func(a, b end) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.created, b.created))
	})
}

// publish reports ends. Each is noted when the server has it.
func (r *reporter) publish(ctx context.Context, ends []end) error {
	if !r.ready {
		_, err := r.makeStream(ctx, jetstream.StreamConfig{
			Name: reportsStream, Description: "ends of the texts in " + textsStream,
			Subjects: []string{reportsPrefix + "*"}, MaxAge: 7 * 24 * time.Hour,
		})
		if err != nil {
			return err
		}
		r.ready = true
	}
	for _, e := range ends {
		if err := r.publishOne(ctx, e); err != nil {
			return err
		}
		if err := r.journal.ended(e.created); err != nil {
			return err
		}
		r.Lock()
		delete(r.found, e.created)
		r.Unlock()
	}
	return nil
}

// publishOne reports an end that the server does not have yet.
func (r *reporter) publishOne(ctx context.Context, e end) error {
	if e.published {
		return nil
	}
	e.Agent = r.agent
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := nats.NewMsg(reportsPrefix + r.agent)
	m.Data = data
	id := fmt.Sprintf("%s.%d.%s", r.agent, e.created, e.Status)
	if _, err := r.js.PublishMsg(ctx, m, jetstream.WithMsgID(id)); err != nil {
		return err
	}
	e.published = true
	r.Lock()
	r.found[e.created] = e
	r.Unlock()
	return nil
}
