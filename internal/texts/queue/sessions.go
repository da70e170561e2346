package queue

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sessions returns the sessions with a queue or a history, sorted. It locks no session, so a session may be gone soon
// after. An error beside sessions is about other sessions.
func (q *Queue) Sessions() (sessions []string, err error) {
	at, err := q.at("any")
	if err != nil {
		return nil, err
	}
	queues := filepath.Dir(at.path)
	for _, parent := range []string{queues, filepath.Join(filepath.Dir(queues), "history")} {
		entries, readErr := os.ReadDir(parent)
		if !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".1") // previous history file; escaped names have no dot
			id, ok := unescape(name)
			if !ok {
				id = (&session{path: filepath.Join(queues, name)}).id()
			}
			if id != "" {
				sessions = append(sessions, id)
			}
		}
	}
	slices.Sort(sessions)
	return slices.Compact(sessions), err
}

// id returns the ID of a session whose folder name is a hash. It searches entries and history for an ID with this hash,
// and returns "" if no ID fits.
func (s *session) id() string {
	waiting, _ := s.entries("entries")
	read, _ := s.entries("read")
	for _, n := range slices.Concat(waiting, read) {
		if e, _, err := s.load(n); err == nil && folder(e.Session) == filepath.Base(s.path) {
			return e.Session
		}
	}
	lines, _ := s.lines()
	for _, l := range lines {
		if folder(l.Entry.Session) == filepath.Base(s.path) {
			return l.Entry.Session
		}
	}
	return ""
}
