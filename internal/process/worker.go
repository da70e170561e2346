package process

import (
	"context"
	"sync"
	"time"
)

// worker is one process of a pool. It belongs to one call at a time, or is idle.
type worker struct {
	dir    string
	leader *leader
	stdio  *stdio
	stdout stream
	stderr stream
	exited chan struct{}
	copied sync.WaitGroup // both outputs, to their end
	served bool           // it answered a call
	dead   bool           // it was ended
}

// start starts a process for calls in a directory.
func (p *Pool) start(dir string) (*worker, error) {
	program, err := p.program(dir)
	if err != nil {
		return nil, err
	}
	stdio, err := newStdio()
	if err != nil {
		return nil, err
	}
	w := &worker{dir: dir, stdio: stdio}
	if w.leader, err = p.supervisor.start(program, stdio.fds(), true, &p.supervisor.watchdog); err != nil {
		stdio.close()
		return nil, err
	}
	stdio.closeTheirs()
	w.stdout.begin(&stdio.out[0], keepHead+keepTail, true)
	w.stderr.begin(&stdio.out[1], 64<<10, false)
	w.copied.Go(w.stdout.follow)
	w.copied.Go(w.stderr.follow)
	w.exited = w.leader.exit()
	p.supervisor.background.Go(func() {
		<-w.exited
		p.exitedIdle(w)
	})
	return w, nil
}

// hasExited reports whether the process has ended.
func (w *worker) hasExited() bool {
	select {
	case <-w.exited:
		return true
	default:
		return false
	}
}

// unfit reports whether the process printed something, or ended, while it had no call, or left a part of its last line unread.
// The answer to the next call could not be told from one to that.
func (w *worker) unfit() bool {
	return w.hasExited() || w.stdout.some() || unreadBytes(w.stdio.in.File) > 0
}

// exchange is what came of giving a process a line.
type exchange int

const (
	failed   exchange = iota // there is no valid answer, and no process any more
	answered                 // the process may have ended all the same
	unread                   // it had ended before it read anything of the line: another one can be asked
)

// ask gives the process its line and waits for the answer. Whatever else happens, the process is ended: nobody would know
// which call it answers next.
func (w *worker) ask(ctx context.Context, line Input, deadline <-chan time.Time, check func(*Reply) string) (reply Reply, how exchange) {
	if w.served {
		w.stderr.take() // what it said between calls is no call's
	}
	written, wrote := make(chan struct{}), 0
	write := func() {
		defer close(written)
		for _, piece := range line {
			n, err := w.stdio.in.Write(piece)
			wrote += n
			if err != nil { // it reads no more: it has ended, which shows
				return
			}
		}
	}
	// unheard reports whether it read nothing of the line, once that is written.
	unheard := func() bool { return wrote == 0 || unreadBytes(w.stdio.in.File) == wrote }
	// The pipe is empty, and takes at once what fits into the smallest one there is.
	if line.size() <= smallestPipe && unreadBytes(w.stdio.in.File) == 0 {
		write()
	} else {
		go write()
	}
	hasAnswer, killed := w.answer(ctx, written, deadline)
	switch {
	case killed:
		reply.TimedOut, reply.NoLine = true, !w.stdout.line()
		reply.Left, _ = w.kill()
		<-written
		reply.Stderr = w.stderr.take()
		return reply, failed
	case hasAnswer:
		w.stopWriting(written)
		early := unheard()
		reply.Stdout, reply.Stderr = w.stdout.take(), w.stderr.take()
		if reply.Problem = check(&reply); reply.Problem == "" && early {
			reply.Problem = "it printed a line before it had read the one of this call"
		}
		if reply.Problem != "" || w.hasExited() {
			w.kill()
		}
		if reply.Problem != "" {
			return reply, failed
		}
		w.served = true
		return reply, answered
	}
	w.stopWriting(written)
	untouched := w.served && unheard() // one that was started for this call died of it
	left, status := w.kill()
	if untouched {
		return Reply{}, unread
	}
	reply.Left, reply.ExitCode, reply.Signal, reply.Err = left, status.code, status.signal, status.err
	reply.Stderr = w.stderr.take()
	if reply.ExitCode == 0 && reply.Signal == "" && reply.Err == nil {
		reply.Stdout = w.stdout.take() // a line without an end, or nothing
		reply.Problem = check(&reply)
	}
	return reply, failed
}

// stopWriting ends the writing where the process has ended: a child of it may hold the pipe, and never read.
func (w *worker) stopWriting(written chan struct{}) {
	select {
	case <-written:
	case <-w.exited:
		w.stdio.in.stop()
		<-written
	}
}

// answer waits until the process has printed a line and read its own, has ended, or is to be killed.
func (w *worker) answer(ctx context.Context, written chan struct{}, deadline <-chan time.Time) (hasAnswer, killed bool) {
	for {
		if w.stdout.line() {
			select {
			case <-written: // a line that was not read to its end is the next call's beginning
				return true, false
			case <-w.exited:
				return true, false
			case <-deadline:
				return false, true
			case <-ctx.Done():
				return false, true
			}
		}
		select {
		case <-w.stdout.news:
		case <-w.exited: // what it printed last is in the pipe
			w.stdout.look()
			return w.stdout.line(), false
		case <-deadline:
			return false, true
		case <-ctx.Done():
			return false, true
		}
	}
}

// end ends a process that has no call: with the end of its input, and if it does not go by itself, as at a deadline.
func (w *worker) end() {
	w.stdio.in.Close()
	within(w.exited, termTime)
	w.kill()
}

type exitStatus struct {
	code   int
	signal string
	err    error
}

// kill ends the process, if it still runs, with all that came of it: what it started for many calls is over with it. It returns
// what could not be killed, and how the process had ended.
func (w *worker) kill() (left []int, status exitStatus) {
	left = w.leader.end(func(limit time.Duration) bool { return within(w.exited, limit) })
	w.leader.unwatch()
	if w.hasExited() {
		w.stderr.look()
		w.stop()
		status.code, status.signal, status.err = w.leader.reap()
		w.leader.forget()
	} else { // it hangs in the kernel
		w.leader.reapLater()
		w.stop()
	}
	w.dead = true
	return left, status
}

// stop ends all traffic and closes the pipes.
func (w *worker) stop() {
	w.stdio.in.stop()
	for i := range w.stdio.out {
		w.stdio.out[i].stop()
	}
	w.copied.Wait()
	w.stdio.close()
}
