package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

const (
	// drainTime is how long the pipes are read after the hook's exit, if somebody still holds them. Claude Code's own
	// half second: what a background child prints in it counts there, and must count here.
	drainTime = 500 * time.Millisecond
	// guardTime is how long a hook runs before it gets a guard. Most end sooner, and cost no second process.
	guardTime = 3 * time.Millisecond
	// termTime is what a hook has between SIGTERM and SIGKILL.
	termTime = 500 * time.Millisecond
	// killTime is how long killed processes are waited for. Only one that hangs in the kernel takes longer.
	killTime = 2 * time.Second
	// pollTime is the pause between two looks at what is left of a hook, which gets longer from look to look. Exits other
	// than the leader's are not announced.
	pollTime    = 2 * time.Millisecond
	pollTimeMax = 50 * time.Millisecond
)

// run starts one hook, feeds it, reads it, and ends it where it does not end itself. The precedence of what can happen
// is decided here: an exit before the deadline counts whatever the pipes do; then the deadline or the end of ctx; and
// what the hook printed before those is the dialect's to ignore.
func (r *Runner) run(ctx context.Context, h *projecthooks.Hook, c *protocol.Call, payload protocol.Payload, g *guard) (result protocol.Result) {
	begin := time.Now()
	result.Limit, result.Posted = r.Deadline(h, c), h.HTTP != nil
	deadline := time.NewTimer(result.Limit)
	defer deadline.Stop()
	defer func() { result.Duration = time.Since(begin) }()
	if result.Err = ctx.Err(); result.Err != nil {
		return result
	}

	env := r.Environment(h, *c)
	dir := Dir(h, c)
	path, argv, err := h.Program(dir, env)
	if err != nil {
		result.Err = err
		return result
	}
	if preamble := h.Preamble(); preamble != nil {
		payload = append(protocol.Payload{preamble}, payload...)
	}
	if h.Async {
		result.Err = r.detach(path, argv, dir, env, payload)
		result.Async = result.Err == nil
		return result
	}
	stdio, err := newStdio(payload.Size() > pipeSize)
	if err != nil {
		result.Err = err
		return result
	}
	detaches := h.Dialect.Detaches
	if result.Posted { // the body of an answer is no program that asks to be left alone
		detaches = nil
	}
	p, err := r.start(path, argv, dir, env, stdio.hook, detaches == nil)
	if err != nil {
		stdio.close()
		result.Err = err
		return result
	}
	g.join(p)
	pipes := stdio.serve(payload, detaches)
	exited := make(chan struct{})
	go func() {
		p.waitExit() // without reaping: until we do, nobody else can get the pid, and signals find the right group
		close(exited)
	}()

	guardFrom := time.NewTimer(guardTime)
	defer guardFrom.Stop()
	killed := false
	var leave, detached <-chan struct{} = nil, pipes.detached
	for waiting := true; waiting; {
		waiting = false
		select {
		case <-exited:
		case <-deadline.C:
			killed = true
		case <-ctx.Done():
			killed = true
		case <-detached: // it was promised its input all the same
			leave, detached, waiting = pipes.written, nil, true
		case <-leave:
			return p.leave(pipes, g, exited, result)
		case <-guardFrom.C:
			g.watch(p)
			waiting = true
		}
	}
	if killed {
		select {
		case <-exited: // in the same moment: it did end by itself
			killed = ctx.Err() != nil
		default:
		}
	}
	if killed {
		result.TimedOut = true
		if result.LeftRunning = p.end(exited); slices.Contains(result.LeftRunning, p.pid) {
			g.leave(p)
			p.reapLater(exited) // when the kernel lets go of it
			pipes.stop()
			result.Stdout, result.Stderr = pipes.kept()
			return result
		}
	} else {
		// What the exit left in the pipes is there at once. Longer takes only a child that holds them.
		pipes.readAtMost(drainTime)
	}
	g.leave(p) // before the hook is reaped: its number is still its own
	pipes.stop()
	result.Stdout, result.Stderr = pipes.kept()
	if result.ExitCode, result.Signal, err = p.reap(); err != nil && !killed {
		result.Err = err
	}
	if !killed {
		result.LeftRunning = p.leftInGroup()
		select {
		case <-pipes.detached: // it ended before we saw what it had said first
			result.Async = true
		default:
		}
	}
	p.forget()
	return result
}

// leave stops waiting for a hook that asks for that. What it prints from now on nobody reads.
func (p *process) leave(pipes *traffic, g *guard, exited <-chan struct{}, result protocol.Result) protocol.Result {
	g.leave(p)
	p.reapLater(exited)
	pipes.stop()
	result.Async = true
	result.Stdout, result.Stderr = pipes.kept()
	return result
}

// reapLater takes the exit status of a hook that is not waited for.
func (p *process) reapLater(exited <-chan struct{}) {
	go func() {
		<-exited
		p.reap()
		p.forget()
	}()
}

// detach starts a hook that nobody waits for, and that outlives this process: with its input in a file that has no name any
// more, since a pipe would need somebody to write it, and its output going nowhere.
func (r *Runner) detach(path string, argv []string, dir string, env []string, payload protocol.Payload) error {
	stdin, err := unnamed(payload)
	if err != nil {
		return err
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := r.start(path, argv, dir, env, [3]*os.File{stdin, null, null}, false)
	if err != nil {
		return err
	}
	exited := make(chan struct{})
	p.reapLater(exited)
	go func() {
		p.waitExit()
		close(exited)
	}()
	return nil
}

// unnamed writes a payload to a temporary file that only its descriptor leads to, and returns it open at its start.
func unnamed(payload protocol.Payload) (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-stdin-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // Windows keeps it, in the folder of temporary files
	for _, piece := range payload {
		if _, err = f.Write(piece); err != nil {
			break
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// end kills the hook with all that came of it: first gently, then not. It returns what could not be killed.
func (p *process) end(exited <-chan struct{}) (left []int) {
	p.terminate()
	if left = p.waitGone(exited, termTime); len(left) == 0 {
		return nil
	}
	for until := time.Now().Add(killTime); ; { // again and again: what is being killed may still be forking
		p.kill()
		if left = p.waitGone(exited, 2*pollTimeMax); len(left) == 0 || time.Now().After(until) {
			return left
		}
	}
}

// waitGone waits until neither the leader nor anything that came of it runs, and returns what still does.
func (p *process) waitGone(exited <-chan struct{}, limit time.Duration) (left []int) {
	until := time.Now().Add(limit)
	for pause := pollTime; ; pause = min(2*pause, pollTimeMax) {
		left = p.rest()
		select {
		case <-exited:
		default:
			left = append(left, p.pid)
		}
		if len(left) == 0 || !time.Now().Before(until) {
			return left
		}
		wait := time.NewTimer(pause)
		if slices.Contains(left, p.pid) {
			select {
			case <-exited:
			case <-wait.C:
			}
		} else {
			<-wait.C
		}
		wait.Stop()
	}
}

// stdio is the three pipes of a hook: its ends and ours.
type stdio struct {
	hook [3]*os.File
	in   pipeEnd
	out  [2]pipeEnd
}

// pipeSize is what a pipe holds. Through it every 64 KiB of a large payload cost two changes between processes.
const pipeSize = 64 << 10

// newStdio makes the pipes, wide ones if there is much to write.
func newStdio(wide bool) (*stdio, error) {
	s := &stdio{}
	for i := range s.hook {
		reader, writer, err := os.Pipe()
		if err != nil {
			s.close()
			return nil, err
		}
		if wide {
			widen(writer)
		}
		if i == 0 {
			s.hook[0], s.in.File = reader, writer
		} else {
			s.hook[i], s.out[i-1].File = writer, reader
		}
	}
	return s, nil
}

// close closes everything that is open.
func (s *stdio) close() {
	for _, f := range []*os.File{s.hook[0], s.hook[1], s.hook[2], s.in.File, s.out[0].File, s.out[1].File} {
		f.Close() // nil and closed files only return an error
	}
}

// traffic is what goes through the pipes of a running hook.
type traffic struct {
	*stdio
	captures [2]capture
	read     chan struct{} // both outputs came to their end
	written  chan struct{} // there is nothing more to write, or nobody to read it
	detached chan struct{} // closed when the first line says that nobody is to wait
}

// serve closes the hook's ends here, which would else keep the pipes open for ever, writes the payload and reads both
// outputs, all at the same time: a hook that answers before it has read would else wait for us, and we for it.
//
// detaches looks at the first line of stdout, unless it is nil.
func (s *stdio) serve(payload protocol.Payload, detaches func([]byte) bool) *traffic {
	for _, f := range s.hook {
		f.Close()
	}
	t := &traffic{stdio: s, read: make(chan struct{}), written: make(chan struct{}), detached: make(chan struct{})}
	if detaches != nil {
		t.captures[0].firstLine = func(line []byte) {
			if detaches(line) {
				close(t.detached)
			}
		}
	}
	go func() {
		defer close(t.written)
		for _, piece := range payload {
			if _, err := t.in.Write(piece); err != nil {
				break // it does not want to read, which is its right; its exit still counts
			}
		}
		t.in.Close()
	}()
	go func() {
		defer close(t.read)
		var other sync.WaitGroup
		other.Go(func() { t.captures[1].readFrom(&t.out[1]) })
		t.captures[0].readFrom(&t.out[0])
		other.Wait()
	}()
	return t
}

// readAtMost waits until both outputs are read. For what was not written it does not wait: the hook did without.
func (t *traffic) readAtMost(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.read:
	case <-timer.C:
	}
}

// stop ends all traffic and closes the pipes.
func (t *traffic) stop() {
	t.in.stop()
	t.out[0].stop()
	t.out[1].stop()
	<-t.written
	<-t.read
	t.close()
}

func (t *traffic) kept() (stdout, stderr protocol.Capture) {
	return t.captures[0].kept(), t.captures[1].kept()
}
