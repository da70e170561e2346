package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// listedSession is a session in the list of `hookrun queue`.
type listedSession struct {
	Session string    `json:"session"`
	Waiting int       `json:"waiting"`       // texts that some recipient has not read
	Last    time.Time `json:"last,omitzero"` // when a text last came or went
	Readers []reader  `json:"readers"`
}

// reader is an agent that was given texts of a session.
type reader struct {
	Agent string    `json:"agent"`
	Texts int       `json:"texts"`
	Last  time.Time `json:"last"`
}

// listSessions prints all sessions of a queue.
func listSessions(ctx context.Context, q *queue.Queue, output string, std Streams) error {
	ids, failed := q.Sessions() // the error is about other sessions, so both count
	sessions := []listedSession{}
	for _, id := range ids {
		records, err := q.History(ctx, id)
		failed = errors.Join(failed, err)
		s := listedSession{Session: id, Readers: readersOf(records)}
		for _, r := range records {
			if r.Waiting {
				s.Waiting++
			}
			for _, e := range r.Events {
				if e.At.After(s.Last) {
					s.Last = e.At
				}
			}
		}
		if len(records) > 0 {
			sessions = append(sessions, s)
		}
	}
	if output == "json" {
		return errors.Join(writeJSON(std, struct {
			Version  int             `json:"version"`
			Sessions []listedSession `json:"sessions"`
		}{1, sessions}), failed)
	}
	var b strings.Builder
	for _, s := range sessions {
		line := fmt.Sprintf("%s: %d waiting, last used %s", s.Session, s.Waiting, s.Last.Local().Format(time.DateTime))
		b.WriteString(terminal.Visible(line+readersText(", read by ", s.Readers)) + "\n")
	}
	return errors.Join(write(std, b.String()), failed)
}

// writeQueue writes the entries or records of a session, and the agents that have read them.
func writeQueue[T any](std Streams, entries []T, records []queue.Record) error {
	return writeJSON(std, struct {
		Version int      `json:"version"`
		Entries []T      `json:"entries"`
		Readers []reader `json:"readers,omitempty"`
	}{1, append([]T{}, entries...), readersOf(records)})
}

// readersOf counts the texts given to each agent. Deferred texts do not count: they may not have arrived.
func readersOf(records []queue.Record) []reader {
	readers := []reader{}
	for _, r := range records {
		for _, e := range r.Events {
			if e.Agent == nil || e.Status != queue.Delivered && e.Status != queue.Drained {
				continue
			}
			i, known := slices.BinarySearchFunc(readers, *e.Agent, func(r reader, agent string) int {
				return cmp.Compare(r.Agent, agent)
			})
			if !known {
				readers = slices.Insert(readers, i, reader{Agent: *e.Agent})
			}
			readers[i].Texts++
			if e.At.After(readers[i].Last) {
				readers[i].Last = e.At
			}
		}
	}
	return readers
}

// readersText returns before and the readers, or "" without readers.
func readersText(before string, readers []reader) string {
	var names []string
	for _, r := range readers {
		names = append(names, fmt.Sprintf("%s (%d)", agentText(r.Agent), r.Texts))
	}
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

// agentText returns the name of an agent for people.
func agentText(agent string) string { return cmp.Or(agent, "the agent without a name") }
