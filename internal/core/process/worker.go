package process

import (
	"context"
	"sync"
	"time"
)

// worker is a process of a pool. It is idle or has one call.
type worker struct {
	dir    string
	leader *leader
	stdio  *stdio
	stdout stream
	stderr stream
	exited chan struct{}
	copied sync.WaitGroup // the goroutines that read both outputs
	served bool           // has answered a call
	dead   bool           // has been killed
}

// start starts a process for calls in a directory.
func (p *Pool) start(dir string) (*worker, error) {
	program, err := p.program(dir)
	if err != nil {
		return nil, err
	}
	stdio, err := newStdio()
	if err != nil {
		return nil, &StartError{program, err}
	}
	w := &worker{dir: dir, stdio: stdio}
	if w.leader, err = p.supervisor.start(program, stdio.fds(), diesWithUs, &p.supervisor.watchdog); err != nil {
		stdio.close()
		return nil, err
	}
	stdio.closeTheirs()
	w.stdout.stopsFull = true
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

// outOfStep reports whether an idle process has printed output, has ended, or has left a part of its last line unread.
// Its next answer could belong to the last call.
func (w *worker) outOfStep() bool {
	return w.hasExited() || w.stdout.hasOutput() || unreadBytes(w.stdio.in.File) > 0
}

// exchange is the result of sending a line to a process.
type exchange int

const (
	failed   exchange = iota // no valid answer; the process was killed
	answered                 // a valid answer; the process may have ended
	unread                   // ended before it read any of the line: ask another process
)

// ask sends a line to the process and waits for the answer. If there is no valid answer, ask kills the process, because
// its next answer could belong to either call.
func (w *worker) ask(
	ctx context.Context, line Input, deadline <-chan time.Time, check func(*Reply) string,
) (reply Reply, how exchange) {
	if reply.Warm = w.served; w.served {
		w.stderr.take() // drop stderr printed between calls
	}
	input := w.write(line)
	switch w.wait(ctx, input, deadline) {
	case eventCancel, eventDeadline:
		reply.TimedOut, reply.NoAnswer = true, !w.stdout.line()
		reply.Survivors, _ = w.kill()
		<-input.done
		reply.Stderr = w.stderr.take()
		return reply, failed
	case eventLine:
		return w.takeAnswer(reply, input, check)
	}
	return w.exitWithoutLine(reply, input, check)
}

// takeAnswer takes and checks the line printed by the process.
func (w *worker) takeAnswer(reply Reply, input *lineInput, check func(*Reply) string) (_ Reply, how exchange) {
	w.stopWriting(input)
	early := w.unreadLine(input)
	reply.Stdout, reply.Stderr = w.stdout.take(), w.stderr.take()
	if early {
		reply.Problem = "it printed a line before it had read the one of this call"
	} else {
		reply.Problem = check(&reply)
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

// exitWithoutLine reports the end of a process that printed no line.
func (w *worker) exitWithoutLine(reply Reply, input *lineInput, check func(*Reply) string) (_ Reply, how exchange) {
	w.stopWriting(input)
	untouched := w.served && w.unreadLine(input) // a process started for this call ended because of the call
	left, status := w.kill()
	if untouched {
		return Reply{}, unread
	}
	reply.Survivors, reply.ExitCode, reply.Signal, reply.Err = left, status.code, status.signal, status.err
	reply.Stderr = w.stderr.take()
	if reply.ExitCode == 0 && reply.Signal == "" && reply.Err == nil {
		reply.Stdout = w.stdout.take() // empty, or an unfinished line
		reply.Problem = check(&reply)
	}
	return reply, failed
}

// lineInput is a line of input being written.
type lineInput struct {
	done    chan struct{} // closed when the line is written, or the process has stopped reading
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

// unreadLine reports whether the process has read no byte of the line. Call it after the writing has ended.
func (w *worker) unreadLine(input *lineInput) bool {
	return input.written == 0 || unreadBytes(w.stdio.in.File) == input.written
}

// stopWriting waits for the line to be written, or stops the writing if the process ends: a descendant may hold the
// pipe and never read.
func (w *worker) stopWriting(input *lineInput) {
	select {
	case <-input.done:
	case <-w.exited:
		w.stdio.in.stop()
		<-input.done
	}
}

// wait waits until the process has printed a line and read the input line (eventLine), has ended, or must be killed.
func (w *worker) wait(ctx context.Context, input *lineInput, deadline <-chan time.Time) waitEvent {
	for {
		changed, written := w.stdout.changed, (chan struct{})(nil)
		if w.stdout.line() {
			changed, written = nil, input.done // an unread rest would precede the next line
		}
		select {
		case <-changed:
		case <-written:
			return eventLine
		case <-w.exited:
			w.stdout.drain() // the last output is in the pipe
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

// end closes the input of an idle process, and kills the process as at a deadline if it does not exit.
func (w *worker) end() {
	w.stdio.in.Close()
	within(w.exited, TermTime)
	w.kill()
}

// kill kills the process and all its descendants. It returns the surviving pids and the exit status.
func (w *worker) kill() (left []int, status exitStatus) {
	left = w.leader.end(func(limit time.Duration) bool { return within(w.exited, limit) })
	w.leader.unwatch()
	if w.hasExited() {
		w.stderr.drain()
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
