package process

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// From the second death in a row without an answer, a program is restarted only after backoff, which doubles with
	// each death up to backoffMax. Until then calls fail at once: waiting would look like a slow process.
	backoff    = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// Pool keeps the persistent processes of one program. Each answers one line of input with one line of output, one call
// at a time. They are started when a call needs them, and kept for the next.
type Pool struct {
	supervisor *Supervisor
	program    func(dir string) (Program, error)
	turns      chan struct{} // limits the number of processes; a call holds one

	mu     sync.Mutex
	idle   []*worker
	closed bool // idle processes end

	deaths    int // in a row
	lastDeath string
	notBefore time.Time // when a process may be started again
}

// NewPool returns a pool of at most size processes. program returns what to start for calls in a directory.
func (s *Supervisor) NewPool(size int, program func(dir string) (Program, error)) *Pool {
	return &Pool{supervisor: s, program: program, turns: make(chan struct{}, max(size, 1))}
}

// Reply is the answer of a persistent process, or how it ended without one.
type Reply struct {
	Result
	NoLine  bool   // it timed out before it printed a line
	Problem string // what is wrong with its line; the process was killed
}

// Ask sends a line of input to a free process of this directory, and returns its answer. If all are busy, it waits for
// one. The limit begins when the process gets the line, or is started for it: a busy pool is not a slow process.
//
// check returns what is wrong with the process's output, reply.Stdout, or "". It is called at most once. If there is no
// valid answer the process is killed with all its descendants, since nobody could tell which call it answers next.
func (p *Pool) Ask(
	ctx context.Context, dir string, line Input, limit time.Duration, check func(*Reply) (problem string),
) Reply {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return Reply{Result: Result{Err: ctx.Err()}}
	}
	defer func() { <-p.turns }()
	for { // retry: idle processes may have ended, or be unfit for a call
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
		if how == unread && ctx.Err() == nil { // the process ended while it was idle, just before the line reached it
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
	// There may be no more processes than turns, and this call holds one of these.
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
	case p.closed || w.hasExited(): // it ended after exitedIdle had looked for it among the idle ones
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

// exitedIdle reaps a process that ended while it was idle.
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

// endLater ends a process in the background, so that the call does not wait for it.
func (p *Pool) endLater(w *worker) { p.supervisor.background.Go(w.end) }

// Close ends the idle processes, and the others after their call.
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
