// Package queued gives an outcome the texts that wait in a queue for its session and agent. It is apart from package
// gate because package runner, which has no gate, does the same for Go programs.
package queued

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Claim adds to the outcome of a post-tool call the texts that the queue has for its session and agent, behind those of
// the hooks. It returns nil if there are none. An error of the queue is a warning in the outcome.
func Claim(ctx context.Context, q *queue.Queue, c *dialect.Call, o *protocol.Outcome) *queue.Claim {
	if q == nil || !Possible(c) {
		return nil
	}
	named := dialect.NewCall(*c)
	registry.NameTool(named, nil)
	claim, err := q.Claim(ctx, c.SessionID, c.AgentID,
		slices.Concat([]string{c.Tool}, named.ProjectTools(), registry.ToolAliases(c.Tool))...)
	if err != nil && !errors.Is(err, queue.ErrNoDir) { // without a folder nobody could put anything in
		o.Warnings = append(o.Warnings, fmt.Sprintf("the queue of session %q: %v", c.SessionID, err))
	}
	if claim == nil {
		return nil
	}
	claim.ToolUseID = c.ToolUseID
	for _, e := range claim.Entries {
		o.Texts = append(o.Texts, protocol.Text{Content: e.Content, Strategy: e.Strategy,
			Source: e.Source, ID: e.ID})
	}
	for _, e := range claim.Expired {
		o.Warnings = append(o.Warnings, Expired(e))
	}
	return claim
}

// Possible reports whether a queue can have something for a call.
func Possible(c *dialect.Call) bool {
	return c.SessionID != "" && dialect.Canonical(c.Event) == protocol.PostTool
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
