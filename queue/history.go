package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Status is what became of an entry, or of an agent's share of it.
type Status string

const (
	Queued    Status = "queued"    // it waits
	Delivered Status = "delivered" // an agent was given it with the result of a tool
	Drained   Status = "drained"   // it was taken out at the end of a turn
	// it was taken out to be handed on by other means; nobody knows yet if the agent has it
	Deferred Status = "deferred"
	Expired  Status = "expired" // nobody took it in time
	Popped   Status = "popped"  // it was taken back
)

// Record is an entry and what became of it.
type Record struct {
	Entry           // Content is its beginning
	Bytes   int     `json:"bytes"` // of the whole content
	Status  Status  `json:"status"`
	Waiting bool    `json:"waiting,omitempty"` // it is in the queue still; a broadcast waits for agents to come
	Events  []Event `json:"events"`            // in order, the first is that it was queued
}

// Event is one thing that happened to an entry.
type Event struct {
	Status    Status    `json:"status"`
	At        time.Time `json:"at"`
	Agent     *string   `json:"agent,omitempty"` // who was given it; nil: nobody in particular
	Tool      string    `json:"tool,omitempty"`  // the call with whose result it was given
	ToolUseID string    `json:"tool_use_id,omitempty"`
}

// line is one event in the file of a session.
type line struct {
	// Two lines of one claim about one entry are one event, which was noted again after a crash.
	Claim string `json:"claim"`
	Entry Entry  `json:"entry"`
	Bytes int    `json:"bytes"`
	Event Event  `json:"event"`
}

const (
	// maxHistory is how large a session's file may be before it takes the place of the one before it.
	maxHistory = 256 << 10
	// maxExcerpt is how many bytes of a content are kept.
	maxExcerpt = 200
	// maxSessions is how many sessions' histories are kept, and maxAge how long one that nothing is added to.
	maxSessions = 1000
	maxAge      = 30 * 24 * time.Hour
)

// history is the file of a session's history, which outlives the session's folder.
func (s *session) history() string {
	return filepath.Join(filepath.Dir(filepath.Dir(s.path)), "history", filepath.Base(s.path))
}

// noted are the lines that Done leaves in the claim, so that what was delivered and that it was noted are on disk in
// one step: whoever ends the claim adds them to the history.
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
	if len(text) > maxHistory { // the last of them
		text = text[len(text)-maxHistory:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text
}

// remember adds lines to the history, whose size is bounded: the file before it has another name, and the one before
// that is gone. What cannot be added is lost to the history, and nothing else is: a text was delivered whether or not
// that can be looked up.
func (s *session) remember(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	path := s.history()
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() || own(info) != nil {
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
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append([]byte{'\n'}, lines...)) // a line that a crash cut ends here
	return err
}

// forgetSessions removes histories that nothing was added to for long, and the oldest of too many.
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

// History lists the entries of a session that wait or that something became of, in order. It goes back as far as its
// bounds: the last quarter of a megabyte of a session at least. An entry that somebody is just delivering is not in it.
func (q Queue) History(session string) ([]Record, error) {
	s, err := q.at(session)
	if err != nil {
		return nil, err
	}
	lines, err := s.lines()
	waiting, waitErr := q.waiting(session, true)
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
	for _, r := range records {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Record) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// lines reads a session's history, each event once.
func (s *session) lines() (lines []line, err error) {
	type key struct{ claim, id string }
	seen := map[key]bool{}
	for _, path := range []string{s.history() + ".1", s.history()} {
		text, readErr := readFile(path)
		if !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		for text := range strings.SplitSeq(string(text), "\n") {
			var l line
			if json.Unmarshal([]byte(text), &l) != nil || l.Entry.ID == "" { // cut by a crash
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
