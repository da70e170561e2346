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
	"sort"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Status is the state of an entry, or of one agent's share of an entry.
type Status string

const (
	Queued    Status = "queued"    // waiting in the queue
	Delivered Status = "delivered" // given to an agent with a tool result
	Drained   Status = "drained"   // taken at the end of a turn
	Deferred  Status = "deferred"  // handed on by other means; delivery is unknown
	Expired   Status = "expired"   // not taken in time
	Popped    Status = "popped"    // taken back
)

// Record is an entry with its events.
type Record struct {
	Entry           // Content is cut to an excerpt
	Bytes   int     `json:"bytes"` // of the uncut content
	Status  Status  `json:"status"`
	Waiting bool    `json:"waiting,omitempty"` // for a named agent, or a broadcast for its first agent
	Events  []Event `json:"events"`            // in order; the first one is Queued
}

// Event is one event in the life of an entry.
type Event struct {
	Status    Status    `json:"status"`
	At        time.Time `json:"at"`
	Agent     *string   `json:"agent,omitempty"` // the receiver; nil: no particular agent
	Tool      string    `json:"tool,omitempty"`  // the call with the result that carried the entry
	ToolUseID string    `json:"tool_use_id,omitempty"`
}

// line is an event in a session's history file.
type line struct {
	// Two lines with the same claim and entry are one event, written again after a crash.
	Claim string `json:"claim"`
	Entry Entry  `json:"entry"`
	Bytes int    `json:"bytes"`
	Event Event  `json:"event"`
}

const (
	// maxHistory is the size at which a session's file becomes the previous file.
	maxHistory = 256 << 10
	// maxExcerpt is the number of bytes of a content in the history.
	maxExcerpt = 200
	// maxSessions is the number of sessions with a history. A history without new lines is kept for maxAge.
	maxSessions = 1000
	maxAge      = 30 * 24 * time.Hour
)

// history returns the path of the session's history file. The file outlives the session's folder.
func (s *session) history() string {
	return filepath.Join(filepath.Dir(filepath.Dir(s.path)), "history", filepath.Base(s.path))
}

// historyLines returns the lines that Done writes into the claim. The delivery and its lines reach the disk in one
// step, and the process that finishes the claim appends the lines to the history.
func (c *Claim) historyLines() []byte {
	var text []byte
	delivered := Event{Status: c.status, Agent: c.agent, Tool: c.tool, ToolUseID: c.ToolUseID}
	if c.Deferred {
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

// appendHistory appends lines to the history. A full file replaces the previous file, and a new file begins. Lines that
// cannot be appended are lost, without an effect on the delivery.
func (s *session) appendHistory(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	path := s.history()
	folder := filepath.Dir(path)
	if err := owner.Mkdir(folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() || checkOwner(folder, info) != nil {
		return errors.Join(err, errors.New("the folder of the history is somebody else's"))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		trimHistories(folder)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("the history is no file")
	case info.Size()+int64(len(lines)) > maxHistory:
		// If the system cannot move an open file, the history grows while a reader has it open.
		if err := os.Rename(path, path+".1"); err != nil && canMoveOpen {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append([]byte{'\n'}, lines...)) // ends a line cut off by a crash
	return err
}

// trimHistories removes histories that got no lines for maxAge, and the oldest histories beyond maxSessions.
func trimHistories(folder string) {
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
	sort.Slice(files, func(i, j int) bool { return files[i].ModTime().Before(files[j].ModTime()) })
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

// History returns the entries of a session that wait or were taken, in order. For a session it goes back at least a
// quarter of a megabyte. Entries of a claim in progress are missing.
func (q *Queue) History(ctx context.Context, session string) ([]Record, error) {
	s, err := q.at(session)
	if err != nil {
		return nil, err
	}
	lines, err := s.lines()
	waiting, waitErr := q.waiting(ctx, session, true)
	err = errors.Join(err, waitErr)
	records := recordsOf(lines)
	for _, e := range waiting {
		size := len(e.Content)
		e.Content = spelling.Brief(e.Content, maxExcerpt)
		r := records.of(e, size)
		switch {
		case e.expired(now()):
			r.Status = Expired
			r.Events = append(r.Events, Event{Status: Expired, At: e.Expires})
		case e.Agents != nil: // agents still waiting for the entry
			r.Status, r.Waiting = Queued, true
		default:
			r.Waiting = true
		}
	}
	return records.inOrder(), err
}

// Ended is History without the entries that only wait, which costs no lock. It returns nil if the history has no lines
// since a time.
func (q *Queue) Ended(session string, since time.Time) ([]Record, error) {
	s, err := q.at(session)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(s.history())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.ModTime().Before(since) {
		return nil, nil
	}
	lines, err := s.lines()
	return recordsOf(lines).inOrder(), err
}

// records are entries with their events, by the id of the entry.
type records map[string]*Record

func recordsOf(lines []line) records {
	all := records{}
	for _, l := range lines {
		r := all.of(l.Entry, l.Bytes)
		r.Status = l.Event.Status
		r.Events = append(r.Events, l.Event)
	}
	return all
}

// of returns the record of an entry.
func (all records) of(e Entry, size int) *Record {
	r := all[e.ID]
	if r == nil {
		r = &Record{Entry: e, Bytes: size, Status: Queued, Events: []Event{{Status: Queued, At: e.Created}}}
		all[e.ID] = r
	}
	return r
}

func (all records) inOrder() (list []Record) {
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[id])
	}
	return list
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
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].Event.At.Before(lines[j].Event.At) })
	return lines, err
}
