package process

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// After two deaths in a row without an answer, the program is restarted only after backoff, which doubles with each
	// death up to backoffMax. Until then calls fail at once, because waiting would look like a slow process.
	backoff    = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// Pool keeps the persistent processes of one program. Each process handles one call at a time: it answers a line of
// input with a line of output. A process is started when a call needs it, and kept for later calls.
type Pool struct {
	supervisor *Supervisor
	program    func(dir string) (Program, error)
	turns      chan struct{} // limits the number of processes; a call holds one

	mu     sync.Mutex
	idle   []*worker
	closed bool // end processes instead of keeping them

	deaths    int // in a row
	lastDeath string
	notBefore time.Time // when a process may be started again
}

// NewPool returns a pool of at most size processes. program returns the Program to start for calls in a directory.
func (s *Supervisor) NewPool(size int, program func(dir string) (Program, error)) *Pool {
	return &Pool{supervisor: s, program: program, turns: make(chan struct{}, max(size, 1))}
}

// Reply is the answer of a persistent process, or the way in which the process ended without an answer.
type Reply struct {
	Result
	NoAnswer bool   // timed out before a line was printed
	Warm     bool   // an earlier call had started the process
	Problem  string // why the line is no valid answer; the process was killed
}

// Ask sends a line of input to an idle process of this directory, and returns the process's answer. If all processes
// are busy, Ask waits. The limit begins when the line is sent or a process is started for the call, because a busy pool
// is not a slow process.
//
// check returns the error in reply.Stdout as a text, or "". It is called at most once, and decides alone. A process
// without a valid answer is killed with all its descendants, because its next answer could belong to either call.
func (p *Pool) Ask(
	ctx context.Context, dir string, line Input, limit time.Duration, check func(*Reply) (problem string),
) Reply {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return Reply{Result: Result{Err: ctx.Err()}}
	}
	defer func() { <-p.turns }()
	for { // retry: idle processes may have ended or be out of step
		w, err := p.take(dir)
		if err != nil {
			return Reply{Result: Result{Err: err}}
		}
		if w.served && w.outOfStep() {
			p.endLater(w)
			continue
		}
		deadline := time.NewTimer(limit)
		reply, how := w.ask(ctx, line, deadline.C, check)
		deadline.Stop()
		p.put(w, how, &reply)
		if how == unread && ctx.Err() == nil { // ended while idle, just before the line arrived
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
	// There may be at most cap(turns) processes, and this call holds a turn.
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

// put takes a process back after a call, and counts deaths.
func (p *Pool) put(w *worker, how exchange, reply *Reply) {
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
	case p.closed || w.hasExited(): // it ended after exitedIdle had searched the idle processes
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

// exitedIdle reaps a process that ended while idle.
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

// PIDs returns the processes that wait for a call.
func (p *Pool) PIDs() (pids []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		pids = append(pids, w.leader.pid)
	}
	return pids
}

// endLater ends a process in the background, so the call need not wait.
func (p *Pool) endLater(w *worker) { p.supervisor.background.Go(w.end) }

// Close ends the idle processes now, and the busy ones after their calls.
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
