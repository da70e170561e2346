package runner

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// worker is one process of a persistent hook. It belongs to one call at a time, or is idle in its pool.
type worker struct {
	dir    string
	p      *process
	stdio  *stdio
	stdout stream
	stderr stream
	exited chan struct{}
	copied sync.WaitGroup  // both outputs, to their end
	served bool            // it answered a call
	dead   bool            // it was ended
	all    *sync.WaitGroup // of the runner's processes that stay, for what Close must wait for
}

// newWorker starts a process. Its environment has nothing of the call but the workspace: it will see others.
func (r *Runner) newWorker(h *projecthooks.Hook, c *protocol.Call, home *pool) (*worker, error) {
	program, err := r.program(h, &protocol.Call{Workspace: c.Workspace})
	if err != nil {
		return nil, err
	}
	stdio, err := newStdio()
	if err != nil {
		return nil, err
	}
	w := &worker{dir: c.Workspace, stdio: stdio, all: &r.workers}
	if w.p, err = r.start(program, stdio.fds(), true, &r.watchdog); err != nil {
		stdio.close()
		return nil, err
	}
	for _, f := range stdio.hook {
		f.Close()
	}
	w.stdout.begin(&stdio.out[0], keepHead+keepTail, true)
	w.stderr.begin(&stdio.out[1], 64<<10, false) // as much as an outcome shows
	w.copied.Go(w.stdout.follow)
	w.copied.Go(w.stderr.follow)
	w.exited = w.p.exit()
	r.workers.Go(func() {
		<-w.exited
		home.leave(w)
	})
	return w, nil
}

// unfit reports whether the process printed something, or ended, while it had no call, or left a part of its last line unread.
// The answer to the next call could not be told from one to that.
func (w *worker) unfit() bool {
	select {
	case <-w.exited:
		return true
	default:
		return w.stdout.some() || unread(w.stdio.in.File) > 0
	}
}

// asked is what came of asking a process.
type asked int

const (
	failedIt   asked = iota // there is no answer, and no process any more
	answeredIt              // the process may have ended all the same
	notHeard                // it had ended before it read anything of the line: another one can be asked
)

// ask gives the process its line and waits for the answer. Whatever else happens, the process is ended: nobody would know
// which call it answers next.
func (w *worker) ask(ctx context.Context, payload dialect.Payload, deadline <-chan time.Time, result *dialect.HookResult) asked {
	if w.served {
		w.stderr.take() // what it said between calls is no call's
	}
	written, wrote := make(chan struct{}), 0
	write := func() {
		defer close(written)
		for _, piece := range payload {
			n, err := w.stdio.in.Write(piece)
			wrote += n
			if err != nil { // it reads no more: it has ended, which shows
				return
			}
		}
	}
	// unheard reports whether it read nothing of the line, once that is written.
	unheard := func() bool { return wrote == 0 || unread(w.stdio.in.File) == wrote }
	// The pipe is empty, and takes at once what fits into the smallest one there is.
	small := payload.Size() <= smallestPipe && unread(w.stdio.in.File) == 0
	if small {
		write()
	} else {
		go write()
	}
	answered, killed := w.answer(ctx, written, deadline)
	switch {
	case killed:
		result.TimedOut, result.NoLine = true, !w.stdout.line()
		result.LeftRunning, _ = w.kill()
		<-written
	case answered:
		w.hush(written)
		early := unheard()
		result.Stdout = w.stdout.take()
		result.Stderr = w.stderr.take()
		if result.ReadLine(); early && result.ProtocolError == "" {
			result.ProtocolError = "it printed a line before it had read the one of this call"
		}
		select {
		case <-w.exited:
			w.kill()
		default:
			if result.ProtocolError != "" {
				w.kill()
			}
		}
		if result.ProtocolError == "" {
			w.served = true
			return answeredIt
		}
		return failedIt
	default:
		w.hush(written)
		untouched := w.served && unheard() // one that was started for this call died of it
		var status exitStatus
		result.LeftRunning, status = w.kill()
		result.ExitCode, result.Signal, result.Err = status.code, status.signal, status.err
		if untouched {
			*result = dialect.HookResult{Limit: result.Limit}
			return notHeard
		}
		if result.ExitCode == 0 && result.Signal == "" && result.Err == nil {
			result.Stdout = w.stdout.take()
			result.ReadLine() // which says what is wrong
		}
	}
	result.Stderr = w.stderr.take()
	return failedIt
}

// hush ends the writing where the process has ended: a child of it may hold the pipe, and never read.
func (w *worker) hush(written chan struct{}) {
	select {
	case <-written:
	case <-w.exited:
		w.stdio.in.stop()
		<-written
	}
}

// answer waits until the process has printed a line and read its own, has ended, or is to be killed.
func (w *worker) answer(ctx context.Context, written chan struct{}, deadline <-chan time.Time) (answered, killed bool) {
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
	left = w.p.end(func(limit time.Duration) bool { return within(w.exited, limit) })
	w.p.unwatch()
	select {
	case <-w.exited:
		w.stderr.look()
		w.stop()
		status.code, status.signal, status.err = w.p.reap()
		w.p.forget()
	default: // it hangs in the kernel
		w.p.reapLater()
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

// stream is one output of a process that stays. It can be looked at: what was printed before something else is there then,
// though a goroutine reads as well. follow and look are the system's.
type stream struct {
	pipe  *pipeEnd
	most  int           // bytes that are kept
	waits bool          // with so many it is not read on: nobody asked for more
	news  chan struct{} // has something when there is something

	mu   sync.Mutex // of reading and of what was read
	kept dialect.Capture
}

func (s *stream) begin(pipe *pipeEnd, most int, waits bool) {
	s.pipe, s.most, s.waits, s.news = pipe, most, waits, make(chan struct{}, 1)
}

// add keeps what was read. It reports whether there is room for more. The lock is held.
func (s *stream) add(b []byte) (more bool) {
	s.kept.Head = append(s.kept.Head, b[:min(len(b), s.most-len(s.kept.Head))]...)
	s.kept.Total += int64(len(b))
	s.tell()
	return !s.waits || s.kept.LeftOut() == 0
}

// tell says that there is news: something was printed, or the stream ended.
func (s *stream) tell() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// some reports whether anything was printed.
func (s *stream) some() bool {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.Total > 0
}

// line reports whether there is a line, or more than one may have.
func (s *stream) line() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.LeftOut() > 0 || bytes.IndexByte(s.kept.Head, '\n') >= 0
}

// take returns what was printed since it was last taken.
func (s *stream) take() dialect.Capture {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept
	s.kept = dialect.Capture{}
	return kept
}
