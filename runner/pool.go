package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

const (
	// From the second death in a row without an answer, a persistent hook is started again after backoff, which doubles from
	// death to death up to backoffMax. Calls until then fail at once: to wait would only look like a slow gate.
	backoff    = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// pool is the processes of one persistent hook. They start when a call needs them, and stay.
type pool struct {
	turns chan struct{} // as many as there may be processes; a call holds one

	mu     sync.Mutex
	idle   []*worker
	closed bool // what is idle ends

	deaths    int // in a row
	lastDeath string
	notBefore time.Time // a process is started again
}

func newPool(h *projecthooks.Hook) *pool {
	return &pool{turns: make(chan struct{}, max(h.Workers, 1))}
}

// ask gives the call to a process that is free, and waits for one if all have a call already. The deadline is that of the
// answer: it begins when the process gets its line, or is started for it. A gate that is busy is not passed by waiting.
func (p *pool) ask(ctx context.Context, r *Runner, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload) (result dialect.HookResult) {
	begin := time.Now()
	defer func() { result.Duration = time.Since(begin) }()
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		result.Err = ctx.Err()
		return result
	}
	defer func() { <-p.turns }()
	result.Limit = r.Deadline(h, c)
	for { // as often as there are processes that ended, or are not fit for a call, while they were idle
		w, err := p.take(r, h, c)
		if err != nil {
			result.Err = err
			return result
		}
		if w.served && w.unfit() {
			w.all.Go(w.end) // which may take a while, and this call has its own time
			continue
		}
		deadline := time.NewTimer(result.Limit)
		said := w.ask(ctx, payload, deadline.C, &result)
		deadline.Stop()
		p.give(w, said, &result)
		if said == notHeard && ctx.Err() == nil { // an idle process may end at any time, and did at this one
			continue
		}
		return result
	}
}

// take returns an idle process that stands in the call's workspace, or starts one.
func (p *pool) take(r *Runner, h *projecthooks.Hook, c *protocol.Call) (*worker, error) {
	p.mu.Lock()
	var other *worker
	for i := len(p.idle) - 1; i >= 0; i-- {
		if w := p.idle[i]; w.dir == c.Workspace {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.mu.Unlock()
			return w, nil
		}
	}
	if len(p.idle)+len(p.turns) > cap(p.turns) { // there may be no more processes than turns, of which this call holds one
		other, p.idle = p.idle[0], p.idle[1:]
	}
	wait, deaths, last := time.Until(p.notBefore), p.deaths, p.lastDeath
	p.mu.Unlock()
	if other != nil {
		other.all.Go(other.end)
	}
	if wait > 0 {
		return nil, fmt.Errorf("it ended %d times in a row without an answer (at last: %s), and is started again in %v", deaths, last, wait.Round(time.Millisecond))
	}
	return r.newWorker(h, c, p)
}

// give takes a process back after a call, and counts its deaths.
func (p *pool) give(w *worker, said asked, result *dialect.HookResult) {
	p.mu.Lock()
	if said == answeredIt {
		p.deaths = 0
	}
	if w.dead {
		if said == failedIt && !result.TimedOut {
			p.deaths++
			p.lastDeath = describeDeath(result)
			if p.deaths > 1 {
				p.notBefore = time.Now().Add(min(backoff<<min(p.deaths-2, 10), backoffMax))
			}
		}
		p.mu.Unlock()
		return
	}
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if closed {
		w.all.Go(w.end) // the call need not wait for that
		return
	}
	select {
	case <-w.exited: // while it was neither asked nor idle
		p.leave(w)
	default:
	}
}

func describeDeath(result *dialect.HookResult) string {
	switch {
	case result.Signal != "":
		return "killed by " + result.Signal
	case result.ProtocolError != "":
		return result.ProtocolError
	}
	return fmt.Sprintf("exit %d", result.ExitCode)
}

// leave ends a process that ended by itself while it was idle: it must be reaped.
func (p *pool) leave(w *worker) {
	p.mu.Lock()
	idle := false
	for i := range p.idle {
		if p.idle[i] == w {
			idle = true
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
	if idle {
		w.end()
	}
}

// close ends the processes that are idle, and those with a call when they are done with it.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, w := range idle {
		all.Go(w.end)
	}
	all.Wait()
}
