package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/glob"
	"github.com/hookrun/hookrun/internal/lib/glob/lint"
)

const maxContent = 1 << 20

// Entry is a text waiting for agents.
type Entry struct {
	ID       string    `json:"id"` // set by Put: unique, and sorts in the order of the session's entries
	Session  string    `json:"session"`
	Agents   []string  `json:"agents,omitempty"`  // nil: a broadcast, which reaches each agent of the session once
	Strategy string    `json:"strategy"`          // "tool_result" (the default) or "user_message"
	Matcher  string    `json:"matcher,omitempty"` // globs separated by |; due after these tools; "": after all
	Source   string    `json:"source,omitempty"`
	Content  string    `json:"content"`
	Created  time.Time `json:"created_at"`          // set by Put if zero
	Expires  time.Time `json:"expires_at,omitzero"` // zero: never
}

// put fills in the defaults of an entry for Put and checks the entry.
func (e Entry) put(now time.Time) (Entry, error) {
	e.ID = ""
	if e.Strategy == "" {
		e.Strategy = "tool_result"
	}
	if e.Created.IsZero() {
		e.Created = now
	}
	// Drop the monotonic clock and the zone, so the entry reads back equal.
	e.Created, e.Expires = e.Created.UTC().Round(0), e.Expires.UTC().Round(0)
	e.Source = strings.ToLower(strings.TrimSpace(strings.ToValidUTF8(e.Source, "\uFFFD")))
	// A message with a replaced character is better than no message. A name with a replaced character would be another
	// name, so check refuses it.
	e.Content = strings.ToValidUTF8(e.Content, "\uFFFD")
	if e.Agents != nil {
		agents := make([]string, 0, len(e.Agents))
		for _, agent := range e.Agents {
			if !slices.Contains(agents, agent) {
				agents = append(agents, agent)
			}
		}
		e.Agents = agents
	}
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	if _, err := lint.Check(e.Matcher, nil); err != nil {
		return Entry{}, err
	}
	if e.expired(now) {
		return Entry{}, fmt.Errorf("the entry expired at %s, before it was queued: give it a later time, or none",
			e.Expires.Format(time.RFC3339))
	}
	return e, nil
}

func (e Entry) expired(now time.Time) bool { return !e.Expires.IsZero() && now.After(e.Expires) }

// check returns an error for an invalid entry, for example after a manual edit on disk.
func (e Entry) check() error {
	switch {
	case e.Session == "":
		return errors.New("an entry needs a session")
	case strings.TrimSpace(e.Content) == "":
		return errors.New("the content is empty: there is nothing to deliver")
	case len(e.Content) > maxContent:
		return fmt.Errorf(
			"the content has %d bytes, of which at most %d are kept: put it into a file and queue the path",
			len(e.Content), maxContent)
	case e.Strategy != "tool_result" && e.Strategy != "user_message":
		return fmt.Errorf("there is no strategy %q: use tool_result or user_message", e.Strategy)
	case e.Matcher != "" && len(glob.NewList(e.Matcher)) == 0:
		return fmt.Errorf("the matcher %q names no tool: leave it out to match every tool", e.Matcher)
	case e.Agents != nil && len(e.Agents) == 0:
		return errors.New("the list of agents is empty: name one, or leave the list out to reach all of them")
	case slices.Contains(e.Agents, ""):
		return errors.New("an agent in the list has no name: leave the list out to reach all agents")
	}
	for _, name := range append([]string{e.Session, e.Matcher}, e.Agents...) {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%q is not valid UTF-8", name)
		}
	}
	return nil
}

// encode leaves the id out, because it is known only when the file is complete; the file name holds it. The last member
// is a checksum of all bytes before it.
func (e Entry) encode() ([]byte, error) {
	text, err := json.Marshal(struct {
		Entry
		ID string `json:"id,omitempty"`
	}{Entry: e})
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	return fmt.Appendf(text, checksumMember, crc32.ChecksumIEEE(text)), nil
}

// checksumMember ends an entry's file, and checksumLength is its length.
const (
	checksumMember = `,"crc32":"%08x"}`
	checksumLength = len(`,"crc32":"00000000"}`)
)

// decode parses the file of an entry. Files of older versions have no checksum.
func decode(text []byte, id string) (e Entry, err error) {
	if at := len(text) - checksumLength; at >= 0 && bytes.HasPrefix(text[at:], []byte(`,"crc32":"`)) {
		if !bytes.Equal(text[at:], fmt.Appendf(nil, checksumMember, crc32.ChecksumIEEE(text[:at]))) {
			return Entry{}, errors.New("it is not what was written: its checksum is that of another text")
		}
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return Entry{}, err
	}
	e.ID = id
	return e, e.check()
}
