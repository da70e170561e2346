package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Status is what became of an entry, or of one agent's share of it.
type Status string

const (
	Queued    Status = "queued"    // waiting in the queue
	Delivered Status = "delivered" // given to an agent with a tool result
	Drained   Status = "drained"   // taken at the end of a turn
	Deferred  Status = "deferred"  // taken to be handed on by other means; whether the agent got it is unknown
	Expired   Status = "expired"   // nobody took it in time
	Popped    Status = "popped"    // taken back
)

// Record is an entry and what became of it.
type Record struct {
	Entry           // Content is cut to its beginning
	Bytes   int     `json:"bytes"` // of the whole content
	Status  Status  `json:"status"`
	Waiting bool    `json:"waiting,omitempty"` // for an agent that it names, or for the first of all
	Events  []Event `json:"events"`            // in order; the first one is Queued
}

// Event is one event in the life of an entry.
type Event struct {
	Status    Status    `json:"status"`
	At        time.Time `json:"at"`
	Agent     *string   `json:"agent,omitempty"` // who got it; nil: nobody in particular
	Tool      string    `json:"tool,omitempty"`  // the call whose result carried it
	ToolUseID string    `json:"tool_use_id,omitempty"`
}

// line is one event in a session's history file.
type line struct {
	// Two lines with the same claim and entry are one event that was written again after a crash.
	Claim string `json:"claim"`
	Entry Entry  `json:"entry"`
	Bytes int    `json:"bytes"`
	Event Event  `json:"event"`
}

const (
	// maxHistory is the size at which a session's file becomes the previous file.
	maxHistory = 256 << 10
	// maxExcerpt is how many bytes of a content the history keeps.
	maxExcerpt = 200
	// maxSessions is how many sessions have a history. A history that gets no new lines is kept for maxAge.
	maxSessions = 1000
	maxAge      = 30 * 24 * time.Hour
)

// history returns the path of the session's history file. It outlives the session's folder.
func (s *session) history() string {
	return filepath.Join(filepath.Dir(filepath.Dir(s.path)), "history", filepath.Base(s.path))
}

// noted returns the history lines that Done leaves in the claim. The delivery and its lines reach the disk in one step,
// and whoever finishes the claim adds them to the history.
func (c *Claim) noted() []byte {
	var text []byte
	delivered := Event{Status: c.status, Agent: c.agent, Tool: c.tool, ToolUseID: c.ToolUseID}
	if c.Suppress {
		delivered.Status = Deferred
	}
	for i, e := range slices.Concat(c.Entries, c.Expired) {
		l := line{Claim: c.id, Entry: e, Bytes: len(e.Content), Event: Event{Status: Expired}}
		if i < len(c.Entries) {
			l.Event = delivered
		}
		l.Entry.Content = spelling.Brief(e.Content, maxExcerpt)
		l.Event.At = now().UTC().Round(0)
		if b, err := json.Marshal(l); err == nil {
			text = append(append(text, b...), '\n')
		}
	}
	if len(text) > maxHistory { // keep the last lines
		text = text[len(text)-maxHistory:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text
}

// remember appends lines to the history. When the file is full it replaces the previous file and a new one is begun.
// Lines that cannot be appended are lost, which changes nothing for the delivery.
func (s *session) remember(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	path := s.history()
	folder := filepath.Dir(path)
	if err := owner.Mkdir(folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() || own(folder, info) != nil {
		return errors.Join(err, errors.New("the folder of the history is somebody else's"))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		forgetSessions(folder)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("the history is no file")
	case info.Size()+int64(len(lines)) > maxHistory:
		// Where an open file cannot be moved, the history grows while somebody reads it.
		if err := os.Rename(path, path+".1"); err != nil && movesOpen {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append([]byte{'\n'}, lines...)) // ends a line that a crash has cut off
	return err
}

// forgetSessions removes histories that got no lines for maxAge, and the oldest ones beyond maxSessions.
func forgetSessions(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for i, info := range files {
		if now().Sub(info.ModTime()) > maxAge || len(files)-i >= maxSessions {
			os.Remove(filepath.Join(folder, info.Name()))
		}
	}
}

// forgetHistory removes the history of a session.
func (s *session) forgetHistory() error {
	err := errors.Join(removeFile(s.history()), removeFile(s.history()+".1"))
	os.Remove(filepath.Dir(s.history())) // if it is empty
	return err
}

// History lists the entries of a session that wait or were taken, in order. It goes back at least a quarter of a
// megabyte for a session. Entries of a claim in progress are not in it.
func (q *Queue) History(ctx context.Context, session string) ([]Record, error) {
	s, err := q.at(session)
	if err != nil {
		return nil, err
	}
	lines, err := s.lines()
	waiting, waitErr := q.waiting(ctx, session, true)
	err = errors.Join(err, waitErr)
	records := map[string]*Record{}
	at := func(e Entry, size int) *Record {
		r := records[e.ID]
		if r == nil {
			r = &Record{Entry: e, Bytes: size, Status: Queued, Events: []Event{{Status: Queued, At: e.Created}}}
			records[e.ID] = r
		}
		return r
	}
	for _, l := range lines {
		r := at(l.Entry, l.Bytes)
		r.Status = l.Event.Status
		r.Events = append(r.Events, l.Event)
	}
	for _, e := range waiting {
		size := len(e.Content)
		e.Content = spelling.Brief(e.Content, maxExcerpt)
		r := at(e, size)
		switch {
		case e.expired(now()):
			r.Status = Expired
			r.Events = append(r.Events, Event{Status: Expired, At: e.Expires})
		case e.Agents != nil: // those that it still waits for
			r.Status, r.Waiting = Queued, true
		default:
			r.Waiting = true
		}
	}
	var all []Record
	for _, id := range slices.Sorted(maps.Keys(records)) {
		all = append(all, *records[id])
	}
	return all, err
}

// lines reads a session's history, each event once.
func (s *session) lines() (lines []line, err error) {
	type key struct{ claim, id string }
	seen := map[key]bool{}
	for _, path := range []string{s.history() + ".1", s.history()} {
		text, readErr := atomic.Read(path)
		if !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		for text := range strings.SplitSeq(string(text), "\n") {
			var l line
			if json.Unmarshal([]byte(text), &l) != nil || l.Entry.ID == "" { // blank, or cut off by a crash
				continue
			}
			if k := (key{l.Claim, l.Entry.ID}); !seen[k] {
				seen[k] = true
				lines = append(lines, l)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.Event.At.Compare(b.Event.At) })
	return lines, err
}
