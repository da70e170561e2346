package runner

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// maxLate is how many late answers wait at most, and maxLateBytes how much text they have together. Of a session that makes no
// more calls nobody ever takes them.
const (
	maxLate      = 1024
	maxLateBytes = 8 << 20
)

// mailbox keeps what hooks answered that nobody waited for, until the next outcome of their session. The zero mailbox is
// empty.
type mailbox struct {
	mu      sync.Mutex
	letters []letter // oldest first
	bytes   int      // of their texts
	lost    int
}

type letter struct {
	session string
	hook    string
	verdict dialect.Verdict
}

// newLetter keeps of a verdict what is delivered, and not the output that it is a part of.
func newLetter(session, hook string, v dialect.Verdict) letter {
	return letter{session, hook, dialect.Verdict{
		Context: strings.Clone(v.Context), Truncated: v.Truncated, File: v.File,
		SystemMessage: strings.Clone(v.SystemMessage), Warnings: v.Warnings,
	}}
}

func (l letter) size() (n int) {
	for _, w := range l.verdict.Warnings {
		n += len(w)
	}
	return n + len(l.verdict.Context) + len(l.verdict.SystemMessage)
}

func (m *mailbox) put(l letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.letters = append(m.letters, l)
	for m.bytes += l.size(); len(m.letters) > maxLate || m.bytes > maxLateBytes; m.lost++ {
		m.bytes -= m.letters[0].size()
		m.letters = slices.Delete(m.letters, 0, 1)
	}
}

// deliver adds to the outcome what waits for its session, before what its own hooks say: it is older.
func (m *mailbox) deliver(session string, o *protocol.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.letters) == 0 && m.lost == 0 {
		return
	}
	var inject []protocol.Inject
	var messages, warnings []string
	others := m.letters[:0]
	for _, l := range m.letters {
		if l.session != session {
			others = append(others, l)
			continue
		}
		m.bytes -= l.size()
		v := l.verdict
		if v.Context != "" {
			inject = append(inject, protocol.Inject{Hook: l.hook, Content: v.Context, Truncated: v.Truncated, File: v.File})
		}
		if v.SystemMessage != "" {
			messages = append(messages, v.SystemMessage)
		}
		warnings = append(warnings, v.Warnings...)
	}
	clear(m.letters[len(others):])
	m.letters = others
	if m.lost > 0 {
		warnings = append(warnings, fmt.Sprintf("%d answers of async hooks were lost: more than %d, or %d MiB, waited for a call of their session", m.lost, maxLate, maxLateBytes>>20))
		m.lost = 0
	}
	o.Inject = append(inject, o.Inject...)
	o.SystemMessages = append(messages, o.SystemMessages...)
	o.Warnings = append(warnings, o.Warnings...)
}

// watch waits for a hook that its call does not wait for: to its deadline, or until Close.
func (r *Runner) watch(h *projecthooks.Hook, c protocol.Call, x *running) {
	r.running.Go(func() {
		x.pipes.said() // it was heard
		x.wait(r.end)
		if r.end.Err() == nil {
			r.answeredLate(h, &c, x.result)
		}
	})
}

// answeredLate keeps what a hook that was not waited for said in the end.
func (r *Runner) answeredLate(h *projecthooks.Hook, c *protocol.Call, result dialect.HookResult) {
	result.Async, result.AsyncResult = false, true
	v := rulesOf(h).Decode(c, shownName(h), &result)
	r.spill(h, &v)
	if v.Context != "" || v.SystemMessage != "" || len(v.Warnings) > 0 {
		r.late.put(newLetter(c.SessionID, h.Name, v))
	}
}
