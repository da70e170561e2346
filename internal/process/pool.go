package process

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// From the second death in a row without an answer, a program is started again after backoff, which doubles from
	// death to death up to backoffMax. Calls until then fail at once: to wait would only look like a slow process.
	backoff    = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// Pool is the persistent processes of one program. Each answers one line of input with one line of output, one call
// at a time. They start when a call needs them, and stay for the next.
type Pool struct {
	supervisor *Supervisor
	program    func(dir string) (Program, error)
	turns      chan struct{} // as many as there may be processes; a call holds one

	mu     sync.Mutex
	idle   []*worker
	closed bool // what is idle ends

	deaths    int // in a row
	lastDeath string
	notBefore time.Time // a process is started again
}

// NewPool returns a pool of at most so many processes. program returns what to start for calls in a directory.
func (s *Supervisor) NewPool(size int, program func(dir string) (Program, error)) *Pool {
	return &Pool{supervisor: s, program: program, turns: make(chan struct{}, max(size, 1))}
}

// Reply is what a persistent process answered, or how it ended instead.
type Reply struct {
	Result
	NoLine  bool   // it timed out before it had printed a line
	Problem string // what is wrong with its line; the process was ended
}

// Ask gives a line of input to a free process that was started for this directory, and returns its answer. If all are
// busy, it waits until one is free. The limit begins when the process gets the line, or is started for it: a busy
// pool is not a slow process.
//
// check looks at what the process printed, which is reply.Stdout, and returns what is wrong with it, or "". It is
// called once at most. Whatever is no valid answer ends the process with all its descendants, since nobody could tell
// which call it answers next.
func (p *Pool) Ask(
	ctx context.Context, dir string, line Input, limit time.Duration, check func(*Reply) (problem string),
) Reply {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return Reply{Result: Result{Err: ctx.Err()}}
	}
	defer func() { <-p.turns }()
	for { // as often as there are processes that ended, or are not fit for a call, while they were idle
		w, err := p.take(dir)
		if err != nil {
			return Reply{Result: Result{Err: err}}
		}
		if w.served && w.unfit() {
			p.endLater(w)
			continue
		}
		deadline := time.NewTimer(limit)
		reply, how := w.ask(ctx, line, deadline.C, check)
		deadline.Stop()
		p.give(w, how, &reply)
		if how == unread && ctx.Err() == nil { // an idle process may end at any time, and did at this one
			continue
		}
		return reply
	}
}

// take returns an idle process of this directory, or starts one.
func (p *Pool) take(dir string) (*worker, error) {
	p.mu.Lock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if w := p.idle[i]; w.dir == dir {
			p.idle = slices.Delete(p.idle, i, i+1)
			p.mu.Unlock()
			return w, nil
		}
	}
	// There may be no more processes than turns, of which this call holds one.
	if len(p.idle)+len(p.turns) > cap(p.turns) {
		p.endLater(p.idle[0])
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	wait, deaths, last := time.Until(p.notBefore), p.deaths, p.lastDeath
	p.mu.Unlock()
	if wait > 0 {
		return nil, fmt.Errorf("it ended %d times in a row without an answer (at last: %s), and is started again in %v",
			deaths, last, wait.Round(time.Millisecond))
	}
	return p.start(dir)
}

// give takes a process back after a call, and counts deaths.
func (p *Pool) give(w *worker, how exchange, reply *Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if how == answered {
		p.deaths = 0
	}
	switch {
	case w.dead && how == failed && !reply.TimedOut:
		p.deaths++
		p.lastDeath = describeDeath(reply)
		if p.deaths > 1 {
			p.notBefore = time.Now().Add(min(backoff<<min(p.deaths-2, 10), backoffMax))
		}
	case w.dead:
	case p.closed || w.hasExited(): // the goroutine that waits for its exit did not find it among the idle ones
		p.endLater(w)
	default:
		p.idle = append(p.idle, w)
	}
}

func describeDeath(reply *Reply) string {
	switch {
	case reply.Signal != "":
		return "killed by " + reply.Signal
	case reply.Problem != "":
		return reply.Problem
	}
	return fmt.Sprintf("exit %d", reply.ExitCode)
}

// exitedIdle ends a process that ended by itself while it was idle: it must be reaped.
func (p *Pool) exitedIdle(w *worker) {
	p.mu.Lock()
	i := slices.Index(p.idle, w)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		w.end()
	}
}

// endLater ends a process without keeping the call, which has its own time.
func (p *Pool) endLater(w *worker) { p.supervisor.background.Go(w.end) }

// Close ends the processes that are idle, and those with a call when they are done with it.
func (p *Pool) Close() {
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
