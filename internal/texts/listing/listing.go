// Package listing shows what waits in queues, and what became of the rest: as values for JSON, and as text for a
// person.
package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// Session is a session in the list of all.
type Session struct {
	Session string    `json:"session"`
	Waiting int       `json:"waiting"`       // texts that some recipient has not read
	Last    time.Time `json:"last,omitzero"` // when a text last came or went
	Readers []Reader  `json:"readers"`
}

// Reader is an agent that was given texts of a session.
type Reader struct {
	Agent string    `json:"agent"`
	Texts int       `json:"texts"`
	Last  time.Time `json:"last"`
}

// Sessions returns the sessions of a queue. An error beside sessions is about other sessions.
func Sessions(ctx context.Context, q *queue.Queue) ([]Session, error) {
	ids, failed := q.Sessions()
	sessions := []Session{}
	for _, id := range ids {
		records, err := q.History(ctx, id)
		failed = errors.Join(failed, err)
		s := Session{Session: id, Readers: Readers(records)}
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
	return sessions, failed
}

// SessionsText returns a line for each session.
func SessionsText(sessions []Session) string {
	var b strings.Builder
	for _, s := range sessions {
		line := fmt.Sprintf("%s: %d waiting, last used %s", s.Session, s.Waiting, s.Last.Local().Format(time.DateTime))
		b.WriteString(terminal.Visible(line+readersText(", read by ", s.Readers)) + "\n")
	}
	return b.String()
}

// History returns a line for each record, with a line for each of its events, and the readers.
func History(records []queue.Record) string {
	var b strings.Builder
	for _, r := range records {
		to := "every agent"
		if r.Agents != nil {
			to = strings.Join(r.Agents, ", ")
		}
		from := ""
		if r.Source != "" {
			from = " from " + r.Source
		}
		line := fmt.Sprintf("%s to %s%s, %d bytes, %s: %s", r.ID, to, from, r.Bytes, r.Status, firstLine(r.Content))
		b.WriteString(terminal.Visible(line) + "\n")
		for _, e := range r.Events {
			b.WriteString(terminal.Visible("  "+eventText(e)) + "\n")
		}
	}
	if readers := readersText("read by ", Readers(records)); readers != "" {
		b.WriteString(terminal.Visible(readers) + "\n")
	}
	return b.String()
}

func eventText(e queue.Event) string {
	text := e.At.Local().Format(time.DateTime) + " " + string(e.Status)
	if e.Agent != nil {
		text += " to " + agentText(*e.Agent)
	}
	if e.Tool != "" {
		text += " after " + e.Tool
	}
	if e.ToolUseID != "" {
		text += " (" + e.ToolUseID + ")"
	}
	return text
}

// firstLine returns the start of a text, in one line.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return spelling.Brief(strings.TrimRight(first, "\r"), 100)
}

// Waiting returns a line for each entry, with the start of the text.
func Waiting(entries []queue.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		to, about := "every agent", []string{}
		if e.Agents != nil {
			to = strings.Join(e.Agents, ", ")
		}
		if e.Source != "" {
			about = append(about, "from "+e.Source)
		}
		if e.Matcher != "" {
			about = append(about, "after "+e.Matcher)
		}
		if !e.Expires.IsZero() {
			about = append(about, "until "+e.Expires.Local().Format(time.DateTime))
		}
		about = append(about, e.Strategy, fmt.Sprintf("%d bytes", len(e.Content)))
		line := fmt.Sprintf("%s to %s (%s): %s", e.ID, to, strings.Join(about, ", "), firstLine(e.Content))
		b.WriteString(terminal.Visible(line) + "\n")
	}
	return b.String()
}

// Readers counts the texts given to each agent. Deferred texts do not count: they may not have arrived.
func Readers(records []queue.Record) []Reader {
	readers := []Reader{}
	for _, r := range records {
		for _, e := range r.Events {
			if e.Agent == nil || e.Status != queue.Delivered && e.Status != queue.Drained {
				continue
			}
			i, known := slices.BinarySearchFunc(readers, *e.Agent, func(r Reader, agent string) int {
				return cmp.Compare(r.Agent, agent)
			})
			if !known {
				readers = slices.Insert(readers, i, Reader{Agent: *e.Agent})
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
func readersText(before string, readers []Reader) string {
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
