package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/protocol"
)

// maxAsyncResults is how many async results wait at most, and maxAsyncBytes how many bytes of text they have together.
// A session without further calls never takes its results.
const (
	maxAsyncResults = 1024
	maxAsyncBytes   = 8 << 20
)

// asyncResults keeps the answers of async hooks until the next outcome of their conversation. The zero value is empty.
type asyncResults struct {
	mu    sync.Mutex
	kept  []asyncResult // oldest first
	bytes int           // of text
	lost  int
}

type asyncResult struct {
	conversation
	hook    string
	verdict dialect.Verdict
}

// conversation names the calls that can get an async result: the calls of a session or, without a session, the calls of
// the same connection.
type conversation struct {
	session    string
	connection context.Context // nil: no connection
}

// conversation returns the call's conversation.
func (p *Plan) conversation() conversation {
	if id := p.call.SessionID; id != "" {
		return conversation{session: id}
	}
	return conversation{connection: p.settings.Connection}
}

// ended reports whether the conversation can have no further call.
func (c conversation) ended() bool { return c.connection != nil && c.connection.Err() != nil }

// newAsyncResult copies the delivered parts of a verdict, so the hook's whole output can be freed.
func newAsyncResult(of conversation, hook string, v dialect.Verdict) asyncResult {
	return asyncResult{of, hook, dialect.Verdict{
		Context: strings.Clone(v.Context), Truncated: v.Truncated, File: v.File,
		SystemMessage: strings.Clone(v.SystemMessage), Warnings: v.Warnings,
	}}
}

func (r asyncResult) size() (n int) {
	for _, w := range r.verdict.Warnings {
		n += len(w)
	}
	return n + len(r.verdict.Context) + len(r.verdict.SystemMessage)
}

func (a *asyncResults) put(r asyncResult) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = append(a.kept, r)
	a.bytes += r.size()
	a.kept = slices.DeleteFunc(a.kept, func(r asyncResult) bool {
		if r.ended() {
			a.bytes -= r.size()
			return true
		}
		return false
	})
	for ; len(a.kept) > maxAsyncResults || a.bytes > maxAsyncBytes; a.lost++ {
		a.bytes -= a.kept[0].size()
		a.kept = slices.Delete(a.kept, 0, 1)
	}
}

// deliver adds the waiting results of a conversation to the outcome, before the texts of its own hooks: they are older.
func (a *asyncResults) deliver(to conversation, o *protocol.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.kept) == 0 && a.lost == 0 {
		return
	}
	var inject []protocol.Text
	var messages, warnings []string
	others := a.kept[:0]
	for _, r := range a.kept {
		if r.conversation != to {
			others = append(others, r)
			continue
		}
		a.bytes -= r.size()
		v := r.verdict
		if v.Context != "" {
			inject = append(inject, dialect.WithDisplay(protocol.Text{
				Hook: r.hook, Content: v.Context, Truncated: v.Truncated, File: v.File}))
		}
		if v.SystemMessage != "" {
			messages = append(messages, v.SystemMessage)
		}
		warnings = append(warnings, v.Warnings...)
	}
	clear(a.kept[len(others):])
	a.kept = others
	if a.lost > 0 {
		warnings = append(warnings, fmt.Sprintf("%d answers of async hooks were lost: "+
			"more than %d, or %d MiB, waited for a call of their session", a.lost, maxAsyncResults, maxAsyncBytes>>20))
		a.lost = 0
	}
	o.Texts = append(inject, o.Texts...)
	o.SystemMessages = append(messages, o.SystemMessages...)
	o.Warnings = append(warnings, o.Warnings...)
}

// keepAsyncResult keeps the answer of an async hook that has ended.
func (r *Runner) keepAsyncResult(of conversation, h *hook.Hook, c *dialect.Call, result dialect.HookResult) {
	v, err := asyncVerdict(h, c, result)
	if err != nil {
		lost := fmt.Sprintf("the answer of the async hook '%s' is lost: %v", shownName(h), err)
		v = dialect.Verdict{Warnings: []string{lost}}
	}
	if v.Context != "" || v.SystemMessage != "" || len(v.Warnings) > 0 {
		r.asyncResults.put(newAsyncResult(of, h.Name, v))
	}
}

// asyncVerdict reads the answer of an async hook. An error is a panic in hookrun.
func asyncVerdict(h *hook.Hook, c *dialect.Call, result dialect.HookResult) (v dialect.Verdict, err error) {
	defer crash.Catch(&err)
	result.Async, result.AsyncResult = false, true
	v = h.Dialect.Hooks.Decode(c, shownName(h), &result)
	if h.Observes(time.Now()) {
		v.Context = ""
	}
	saveContext(h, &v)
	return v, nil
}
