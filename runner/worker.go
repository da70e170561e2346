package runner

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// worker is one process of a persistent hook. It belongs to one call at a time, or is idle in its pool.
type worker struct {
	dir    string
	p      *process
	guard  *guard
	stdio  *stdio
	stderr bounded
	lines  chan line     // what it prints, one at a time; closed at the end of its stdout
	quit   chan struct{} // nobody takes lines any more
	exited chan struct{}
	read   sync.WaitGroup // of both outputs
	dead   bool           // it was reaped
}

// line is what a process printed for one call.
type line struct {
	text    []byte
	more    bool // something follows already, though nobody asked
	tooLong bool
}

// newWorker starts a process. Its environment has nothing of the call but the workspace: it will see others.
func (r *Runner) newWorker(h *projecthooks.Hook, c *protocol.Call, home *pool) (*worker, error) {
	program, err := r.program(h, &protocol.Call{Workspace: c.Workspace})
	if err != nil {
		return nil, err
	}
	stdio, err := newStdio(false)
	if err != nil {
		return nil, err
	}
	w := &worker{dir: c.Workspace, guard: &r.guard, stdio: stdio, lines: make(chan line), quit: make(chan struct{})}
	if w.p, err = r.start(program, stdio.fds(), true); err != nil {
		stdio.close()
		return nil, err
	}
	w.guard.watch(w.p) // at once: it is there to stay
	for _, f := range stdio.hook {
		f.Close()
	}
	w.read.Go(w.readLines)
	w.read.Go(func() { _, _ = io.Copy(&w.stderr, struct{ io.Reader }{&stdio.out[1]}) })
	w.exited = w.p.exit()
	go func() {
		<-w.exited
		home.leave(w)
	}()
	return w, nil
}

// readLines reads stdout to its end. It keeps a line until somebody takes it, so a process that prints more than it is asked
// for waits for us, and costs no memory.
func (w *worker) readLines() {
	defer close(w.lines)
	var held []byte
	buffer := make([]byte, 64<<10)
	for {
		n, err := w.stdio.out[0].Read(buffer)
		held = append(held, buffer[:n]...)
		end := bytes.IndexByte(held, '\n')
		l := line{text: held}
		switch {
		case end >= 0:
			l.text, l.more = held[:end], end+1 < len(held)
		case len(held) > keepHead+keepTail:
			l.tooLong = true
		case err != nil && len(held) > 0: // the last line may have no end
		case err != nil:
			return
		default:
			continue
		}
		select {
		case w.lines <- l:
		case <-w.quit:
			return
		}
		held = nil
		if err != nil || l.more || l.tooLong {
			return
		}
	}
}

// spoke reports whether the process printed something, or ended, while it had no call. The answer to the next call could not
// be told from that.
func (w *worker) spoke() bool {
	select {
	case <-w.lines:
		return true
	case <-w.exited:
		return true
	default:
		return false
	}
}

// ask gives the process its line and waits for the answer. Whatever else happens, the process is ended: nobody would know
// which call it answers next. It reports whether there was an answer.
func (w *worker) ask(ctx context.Context, payload protocol.Payload, deadline <-chan time.Time, result *protocol.Result) bool {
	written := make(chan struct{})
	write := func() {
		defer close(written)
		for _, piece := range payload {
			if _, err := w.stdio.in.Write(piece); err != nil {
				break // it has ended, which shows
			}
		}
	}
	if payload.Size() <= pipeSize/2 {
		write() // the pipe is empty and takes it whole
	} else {
		go write()
	}
	var l line
	var answered, killed bool
	select {
	case l, answered = <-w.lines:
		if answered {
			select {
			case <-written: // a line that was not read to its end is the next call's beginning
			case <-deadline:
				killed = true
			case <-ctx.Done():
				killed = true
			}
		} else { // it closed its stdout; mostly it is just ending
			select {
			case <-w.exited:
			case <-deadline:
				killed = true
			case <-ctx.Done():
				killed = true
			}
		}
	case <-w.exited: // what it printed last may still be on its way to us
		wait := time.NewTimer(drainTime)
		select {
		case l, answered = <-w.lines:
		case <-wait.C:
		}
		wait.Stop()
	case <-deadline:
		killed = true
	case <-ctx.Done():
		killed = true
	}
	switch {
	case killed:
		result.TimedOut = true
		result.LeftRunning = w.kill()
		<-written
	case answered && !l.more && !l.tooLong:
		result.Stdout = protocol.Capture{Head: l.text, Total: int64(len(l.text))}
		result.ReadLine()
		select {
		case <-w.exited:
			w.finish()
		default:
			if result.Garbled != "" {
				w.kill()
			}
		}
		<-written
	case answered:
		w.kill()
		<-written
		result.Garbled = "it printed more than one line for one call; other texts belong on stderr"
		if l.tooLong {
			result.Garbled = "its line is too long: 1 MiB of output is kept"
		}
	default:
		result.ExitCode, result.Signal, result.Err = w.finish()
		<-written
		if result.ExitCode == 0 && result.Signal == "" && result.Err == nil {
			result.ReadLine() // which says that there is none
		}
	}
	if stderr := w.stderr.take(); result.Stderr.Total == 0 {
		result.Stderr = stderr
	}
	return answered && result.Garbled == ""
}

// end ends a process that has no call: with the end of its input, and if it does not go by itself, as at a deadline.
func (w *worker) end() {
	w.stdio.in.Close()
	if within(w.exited, termTime) {
		w.finish()
	} else {
		w.kill()
	}
}

// kill ends the process with all that came of it, and returns what could not be killed.
func (w *worker) kill() (left []int) {
	left = w.p.end(func(limit time.Duration) bool { return within(w.exited, limit) })
	select {
	case <-w.exited:
		w.finish()
	default: // it hangs in the kernel
		w.guard.leave(w.p)
		w.p.reapLater()
		w.stop()
		w.dead = true
	}
	return left
}

// finish takes the exit status of a process that has ended, and closes what was open for it.
func (w *worker) finish() (code int, signal string, err error) {
	w.guard.leave(w.p) // before it is reaped: its number is still its own
	w.stop()
	code, signal, err = w.p.reap()
	w.p.forget()
	w.dead = true
	return code, signal, err
}

// stop ends all traffic and closes the pipes.
func (w *worker) stop() {
	close(w.quit)
	w.stdio.in.stop()
	for i := range w.stdio.out {
		w.stdio.out[i].stop()
	}
	w.read.Wait()
	w.stdio.close()
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	mu   sync.Mutex
	kept protocol.Capture
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 64 << 10 // as much as an outcome shows
	b.kept.Head = append(b.kept.Head, p[:min(len(p), most-len(b.kept.Head))]...)
	b.kept.Total += int64(len(p))
	return len(p), nil
}

// take returns what was written since it was last taken.
func (b *bounded) take() protocol.Capture {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.kept
	b.kept = protocol.Capture{}
	return kept
}
