package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/fnmatch"
	"github.com/hookrun/hookrun/internal/toolmatch"
)

const maxContent = 1 << 20

// Entry is a text that waits for agents.
type Entry struct {
	ID       string   `json:"id"` // Put sets it: unique, and in the order of the entries of its session
	Session  string   `json:"session"`
	Agents   []string `json:"agents,omitempty"` // nil: a broadcast, which reaches each agent of the session once
	Strategy string   `json:"strategy"`         // "tool_result", which is the default, or "user_message"
	// globs with | between them, of the tools after which it is due; "": all
	Matcher string    `json:"matcher,omitempty"`
	Source  string    `json:"source,omitempty"`
	Content string    `json:"content"`
	Created time.Time `json:"created_at"`          // Put sets it where it is zero
	Expires time.Time `json:"expires_at,omitzero"` // zero: never
}

// put completes an entry for Put, or says why it cannot be one.
func (e Entry) put(now time.Time) (Entry, error) {
	e.ID = ""
	if e.Strategy == "" {
		e.Strategy = "tool_result"
	}
	if e.Created.IsZero() {
		e.Created = now
	}
	// Without the monotonic clock and the zone, so that what is read back is equal.
	e.Created, e.Expires = e.Created.UTC().Round(0), e.Expires.UTC().Round(0)
	e.Source = strings.ToLower(strings.TrimSpace(strings.ToValidUTF8(e.Source, "\uFFFD")))
	// A message with a broken character is better than none. A name with one would be the name of somebody else: see
	// check.
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
	if _, err := toolmatch.Check(e.Matcher, nil); err != nil {
		return Entry{}, err
	}
	if e.expired(now) {
		return Entry{}, fmt.Errorf("the entry expired at %s, before it was queued: give it a later time, or none",
			e.Expires.Format(time.RFC3339))
	}
	return e, nil
}

func (e Entry) expired(now time.Time) bool { return !e.Expires.IsZero() && now.After(e.Expires) }

// check is what holds for every entry, also for one that somebody has edited on disk.
func (e Entry) check() error {
	switch {
	case e.Session == "":
		return errors.New("an entry needs a session")
	case strings.TrimSpace(e.Content) == "":
		return errors.New("the content is empty: there is nothing to deliver")
	case len(e.Content) > maxContent:
		return fmt.Errorf("the content has %d bytes, of which at most %d are kept: put it into a file and queue the "+
			"path",
			len(e.Content), maxContent)
	case e.Strategy != "tool_result" && e.Strategy != "user_message":
		return fmt.Errorf("there is no strategy %q: use tool_result or user_message", e.Strategy)
	case e.Matcher != "" && len(fnmatch.NewList(e.Matcher)) == 0:
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

// encode leaves the id out: it is only known when the file is complete, and its name says it.
func (e Entry) encode() ([]byte, error) {
	return json.Marshal(struct {
		Entry
		ID string `json:"id,omitempty"`
	}{Entry: e})
}

func decode(text []byte, id string) (e Entry, err error) {
	if err := json.Unmarshal(text, &e); err != nil {
		return Entry{}, err
	}
	e.ID = id
	return e, e.check()
}
