package process

import (
	"context"
	"sync"
	"time"
)

// worker is one process of a pool. It is idle or has one call.
type worker struct {
	dir    string
	leader *leader
	stdio  *stdio
	stdout stream
	stderr stream
	exited chan struct{}
	copied sync.WaitGroup // the goroutines that read both outputs
	served bool           // it has answered a call
	dead   bool           // it was killed
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
	if w.leader, err = p.supervisor.start(program, stdio.fds(), diesWithUs, &p.supervisor.watchdog); err != nil {
		stdio.close()
		return nil, err
	}
	stdio.closeTheirs()
	w.stdout.waits = true
	w.stdout.begin(&stdio.out[0], keepStdout)
	w.stderr.begin(&stdio.out[1], 64<<10)
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

// unfit reports whether the process has printed something or ended while it had no call, or has left a part of its last
// line unread. Its next answer could belong to the last call.
func (w *worker) unfit() bool {
	return w.hasExited() || w.stdout.some() || unreadBytes(w.stdio.in.File) > 0
}

// exchange is the result of sending a line to a process.
type exchange int

const (
	failed   exchange = iota // no valid answer; the process was killed
	answered                 // a valid answer; the process may have ended
	unread                   // the process ended before it read any of the line: ask another one
)

// ask sends a line to the process and waits for the answer. Without a valid answer the process is killed: nobody could
// tell which call it answers next.
func (w *worker) ask(
	ctx context.Context, line Input, deadline <-chan time.Time, check func(*Reply) string,
) (reply Reply, how exchange) {
	if w.served {
		w.stderr.take() // stderr from between calls belongs to no call
	}
	input := w.write(line)
	switch w.wait(ctx, input, deadline) {
	case eventCancel, eventDeadline:
		reply.TimedOut, reply.NoLine = true, !w.stdout.line()
		reply.Left, _ = w.kill()
		<-input.done
		reply.Stderr = w.stderr.take()
		return reply, failed
	case eventLine:
		return w.answered(input, check)
	}
	return w.died(input, check)
}

// answered takes the line that the process has printed.
func (w *worker) answered(input *lineInput, check func(*Reply) string) (reply Reply, how exchange) {
	w.stopWriting(input)
	early := w.readNothing(input)
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

// died reports how a process ended that printed no line.
func (w *worker) died(input *lineInput, check func(*Reply) string) (reply Reply, how exchange) {
	w.stopWriting(input)
	untouched := w.served && w.readNothing(input) // a process started for this call was ended by it
	left, status := w.kill()
	if untouched {
		return Reply{}, unread
	}
	reply.Left, reply.ExitCode, reply.Signal, reply.Err = left, status.code, status.signal, status.err
	reply.Stderr = w.stderr.take()
	if reply.ExitCode == 0 && reply.Signal == "" && reply.Err == nil {
		reply.Stdout = w.stdout.take() // an unfinished line, or nothing
		reply.Problem = check(&reply)
	}
	return reply, failed
}

// lineInput is a line that is being written.
type lineInput struct {
	done    chan struct{} // closed when it is written, or the process has stopped reading
	written int           // bytes; valid after done
}

// write begins to write a line.
func (w *worker) write(line Input) *lineInput {
	input := &lineInput{done: make(chan struct{})}
	w.stdio.write(line, func(written int) {
		input.written = written
		close(input.done)
	})
	return input
}

// readNothing reports whether the process has read nothing of a line, after the line was written.
func (w *worker) readNothing(input *lineInput) bool {
	return input.written == 0 || unreadBytes(w.stdio.in.File) == input.written
}

// stopWriting stops the writing after the process has ended: a descendant may hold the pipe and never read.
func (w *worker) stopWriting(input *lineInput) {
	select {
	case <-input.done:
	case <-w.exited:
		w.stdio.in.stop()
		<-input.done
	}
}

// wait waits until the process has printed a line and read its own (eventLine), has ended, or must be killed.
func (w *worker) wait(ctx context.Context, input *lineInput, deadline <-chan time.Time) waitEvent {
	for {
		news, written := w.stdout.news, (chan struct{})(nil)
		if w.stdout.line() {
			news, written = nil, input.done // unread input would be the beginning of the next line
		}
		select {
		case <-news:
		case <-written:
			return eventLine
		case <-w.exited:
			w.stdout.look() // its last output is in the pipe
			if w.stdout.line() {
				return eventLine
			}
			return eventExit
		case <-deadline:
			return eventDeadline
		case <-ctx.Done():
			return eventCancel
		}
	}
}

// end ends an idle process: it closes its input, and if the process does not exit, kills it as at a deadline.
func (w *worker) end() {
	w.stdio.in.Close()
	within(w.exited, TermTime)
	w.kill()
}

// kill kills the process, if it still runs, with all its descendants. It returns what could not be killed, and how the
// process ended.
func (w *worker) kill() (left []int, status exitStatus) {
	left = w.leader.end(func(limit time.Duration) bool { return within(w.exited, limit) })
	w.leader.unwatch()
	if w.hasExited() {
		w.stderr.look()
		w.stop()
		status = w.leader.reap()
		w.leader.forget()
	} else { // it hangs in the kernel
		w.leader.reapLater()
		w.stop()
	}
	w.dead = true
	return left, status
}

// stop stops reading and writing and closes the pipes.
func (w *worker) stop() {
	w.stdio.in.stop()
	for i := range w.stdio.out {
		w.stdio.out[i].stop()
	}
	w.copied.Wait()
	w.stdio.close()
}
