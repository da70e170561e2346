// Package delivery gives an outcome what waits in a queue for its session and agent.
package delivery

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Claim adds to the outcome of a call after its tool what the queue has for its session and agent, behind what the
// hooks say. The claim is to be ended when it is known what became of the outcome: Done where the model has the texts,
// Release where it has not. A queue that cannot be read is a warning, no verdict: what waits in it waits on. nil is a
// queue without entries.
func Claim(q *queue.Queue, c *protocol.Call, o *protocol.Outcome) *queue.Claim {
	if q == nil || !Possible(c) {
		return nil
	}
	named := *c
	if named.ProjectTool() == named.Tool { // nobody named it yet
		all.NameTool(&named, nil)
	}
	claim, err := q.Claim(c.SessionID, c.AgentID,
		slices.Concat([]string{c.Tool}, named.ProjectTools(), all.ToolAliases(c.Tool))...)
	if err != nil && !errors.Is(err, queue.ErrNoPlace) { // without a place nobody could put anything in
		o.Warnings = append(o.Warnings, fmt.Sprintf("the queue of session %q: %v", c.SessionID, err))
	}
	if claim == nil {
		return nil
	}
	claim.ToolUseID = c.ToolUseID
	for _, e := range claim.Entries {
		o.Inject = append(o.Inject, protocol.Inject{Content: e.Content, Strategy: protocol.Strategy(e.Strategy),
			Source: e.Source, ID: e.ID})
	}
	for _, e := range claim.Expired {
		o.Warnings = append(o.Warnings, Expired(e))
	}
	return claim
}

// Possible reports whether a queue can have something for a call.
func Possible(c *protocol.Call) bool {
	return c.SessionID != "" && c.Event.Canonical() == protocol.PostTool
}

// Expired says that an entry of a queue was dropped.
func Expired(e queue.Entry) string {
	from := ""
	if e.Source != "" {
		from = " from " + strings.Trim(strconv.Quote(e.Source), `"`) // it stands in one line
	}
	return fmt.Sprintf("a text%s in the queue expired at %s before anybody could be given it: %s", from,
		e.Expires.UTC().Format(time.RFC3339), strconv.Quote(spelling.Brief(e.Content, 100)))
}
