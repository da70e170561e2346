// Package queued adds to an outcome the texts waiting in a queue for the session and agent. Packages gate and runner
// share it: runner does the same for Go programs, without a gate.
package queued

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/protocol"
)

// Claim adds the queue's texts for a session and agent to the outcome of a post-tool call, after the hooks' texts. It
// returns nil if the queue has no texts. An error of the queue becomes a warning in the outcome.
func Claim(ctx context.Context, q *queue.Queue, c *dialect.Call, clients dialect.Clients,
	o *protocol.Outcome) *queue.Claim {
	if q == nil || !Possible(c) {
		return nil
	}
	named := dialect.NewCall(*c)
	clients.NameTool(named, nil)
	claim, err := q.Claim(ctx, c.SessionID, c.AgentID,
		slices.Concat([]string{c.Tool}, named.ProjectTools(), named.Kinds, named.Known().Aliases)...)
	if err != nil && !errors.Is(err, queue.ErrNoDir) { // without a folder the queue is empty
		o.Warnings = append(o.Warnings, fmt.Sprintf("the queue of session %q: %v", c.SessionID, err))
	}
	if claim == nil {
		return nil
	}
	claim.ToolUseID = c.ToolUseID
	for _, e := range claim.Entries {
		o.Texts = append(o.Texts, dialect.WithDisplay(protocol.Text{Content: e.Content, Strategy: e.Strategy,
			Source: e.Source, ID: e.ID}))
	}
	for _, e := range claim.Expired {
		o.Warnings = append(o.Warnings, Expired(e))
	}
	return claim
}

// Possible reports whether a queue can have texts for a call.
func Possible(c *dialect.Call) bool {
	return c.SessionID != "" && c.Common() == protocol.PostTool
}

// Expired returns the warning about a dropped entry of a queue.
func Expired(e queue.Entry) string {
	from := ""
	if e.Source != "" {
		from = " from " + strings.Trim(strconv.Quote(e.Source), `"`) // on one line
	}
	return fmt.Sprintf("a text%s in the queue expired at %s before anybody could be given it: %s", from,
		e.Expires.UTC().Format(time.RFC3339), strconv.Quote(spelling.Brief(e.Content, 100)))
}
