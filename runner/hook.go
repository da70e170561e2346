package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

const (
	// briefTime is how long most hooks run at most. One that runs for longer is worth a watchdog and a place in Go's poller.
	briefTime = time.Millisecond
	// drainTime is how long the pipes are read after the hook's exit, if somebody still holds them. Claude Code's own
	// half second: what a background child prints in it counts there, and must count here.
	drainTime = 500 * time.Millisecond
	// termTime is what a hook has between SIGTERM and SIGKILL.
	termTime = 500 * time.Millisecond
	// killTime is how long killed processes are waited for. Only one that hangs in the kernel takes longer.
	killTime = 2 * time.Second
	// pollTime is the pause between two looks at what is left of a hook, which gets longer from look to look. Exits other
	// than the leader's are not announced.
	pollTime    = 2 * time.Millisecond
	pollTimeMax = 50 * time.Millisecond
)

// run starts one hook for one call, feeds it, reads it, and ends it where it does not end itself.
func (r *Runner) run(ctx context.Context, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload, g *watchdog) (result dialect.HookResult) {
	begin := time.Now()
	result.Limit = r.Deadline(h, c)
	defer func() { result.Duration = time.Since(begin) }()
	if result.Err = ctx.Err(); result.Err != nil {
		return result
	}
	if h.Async && r.options.OneShot {
		result.Err = r.detach(h, c, payload)
		result.Async = result.Err == nil
		return result
	}
	x, err := r.begin(h, c, payload, g, result)
	if err != nil {
		result.Err = err
		return result
	}
	if h.Async {
		r.watch(h, *c, x)
		result.Async = true
		return result
	}
	if x.wait(ctx) {
		result = x.result
		if result.Async && !r.options.OneShot {
			r.answeredLate(h, c, result)
		}
		if h.Persistent && !result.TimedOut && result.ExitCode == 0 && result.Signal == "" {
			result.ReadLine()
		}
		return result
	}
	result.Async, result.WentAsync = true, true
	if r.options.OneShot {
		return x.leave()
	}
	r.watch(h, *c, x)
	return result
}

// running is a hook's process and what waits for it.
type running struct {
	p        *process
	pipes    pipes
	watchdog *watchdog
	begun    time.Time
	result   dialect.HookResult
}

// begin starts the process of a hook, which wait or leave must end.
func (r *Runner) begin(h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload, g *watchdog, result dialect.HookResult) (*running, error) {
	x := &running{watchdog: g, begun: time.Now(), result: result}
	program, err := r.program(h, c)
	if err != nil {
		return nil, err
	}
	detaches := rulesOf(h).GoesAsync
	if h.Async { // it is so already
		detaches = nil
	}
	var hooks [3]uintptr
	if x.pipes, hooks, err = newPipes(payload, detaches); err != nil {
		return nil, err
	}
	withUs := detaches == nil || !r.options.OneShot // else it may have to outlive us
	if x.p, err = r.start(program, hooks, withUs, g); err != nil {
		x.pipes.stop()
		return nil, err
	}
	x.pipes.serve(x.p)
	return x, nil
}

// happening is what ends a wait for a hook, or interrupts it.
type happening int

const (
	exits    happening = iota // the leader has ended; it is not reaped
	detaches                  // it said that nobody is to wait, and has its whole input
	givenUp                   // ctx ended
	timeUp
)

// wait waits for the end of the hook, and completes x.result. It returns false if the hook said that it is not to be waited
// for; it runs on then.
//
// The precedence of what can happen is decided here: an exit before the deadline counts whatever the pipes do; then the
// deadline or the end of ctx; and what the hook printed before those is the dialect's to ignore.
func (x *running) wait(ctx context.Context) bool {
	p, result := x.p, &x.result
	deadline := x.begun.Add(result.Limit)
	killed := false
	what := x.pipes.wait(ctx, earlier(deadline, x.begun.Add(briefTime)))
	if what == timeUp && time.Now().Before(deadline) {
		x.watchdog.begin()
		what = x.pipes.wait(ctx, deadline)
	}
	switch what {
	case exits:
	case detaches:
		return false
	case givenUp:
		killed = true
	case timeUp:
		killed = !x.pipes.exited(0) // in the same moment it did end by itself
	}
	if killed {
		result.TimedOut = true
		if result.LeftRunning = p.end(x.pipes.exited); slices.Contains(result.LeftRunning, p.pid) {
			p.unwatch()
			p.reapLater() // when the kernel lets go of it
			result.Stdout, result.Stderr = x.pipes.stop()
			return true
		}
	} else {
		// What the exit left in the pipes is there at once. Longer takes only a child that holds them.
		x.pipes.drain(drainTime)
	}
	p.unwatch()
	result.Stdout, result.Stderr = x.pipes.stop()
	var err error
	if result.ExitCode, result.Signal, err = p.reap(); err != nil && !killed {
		result.Err = err
	}
	if !killed {
		result.LeftRunning = p.leftInGroup()
		result.Async = x.pipes.said() // it ended before we saw what it had said first
		result.WentAsync = result.Async
	}
	p.forget()
	return true
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// leave leaves a hook to itself that asks for that. What it prints from now on nobody reads.
func (x *running) leave() dialect.HookResult {
	x.p.unwatch()
	x.p.reapLater()
	x.result.Async, x.result.WentAsync = true, true
	x.result.Stdout, x.result.Stderr = x.pipes.stop()
	return x.result
}

// exit returns what is closed when the leader has ended. It is not reaped: until we do, nobody else can get the pid, and
// signals find the right group.
func (p *process) exit() chan struct{} {
	exited := make(chan struct{})
	go func() {
		p.waitExit()
		close(exited)
	}()
	return exited
}

// reapLater takes the exit status of a hook that is not waited for.
func (p *process) reapLater() {
	go func() {
		p.waitExit()
		p.reap()
		p.forget()
	}()
}

// detach starts a hook that nobody waits for, and that outlives this process: with its input in a file that has no name any
// more, since a pipe would need somebody to write it, and its output going nowhere.
func (r *Runner) detach(h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload) error {
	program, err := r.program(h, c)
	if err != nil {
		return err
	}
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
	p, err := r.start(program, [3]uintptr{stdin.Fd(), null.Fd(), null.Fd()}, false, nil)
	if err != nil {
		return err
	}
	p.reapLater()
	return nil
}

// program is what a hook's process is made of.
type program struct {
	path string
	argv []string
	dir  string
	env  []string
}

func (r *Runner) program(h *projecthooks.Hook, c *protocol.Call) (p program, err error) {
	p.env, p.dir = r.Environment(h, *c), Dir(h, c)
	p.path, p.argv, err = h.Program(p.dir, p.env)
	return p, err
}

// unnamed writes a payload to a temporary file that only its descriptor leads to, and returns it open at its start.
func unnamed(payload dialect.Payload) (*os.File, error) {
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

// end kills the hook with all that came of it: first gently, then not. It returns what could not be killed. exited waits for
// the end of the leader, so long at most, and reports whether it came.
func (p *process) end(exited func(time.Duration) bool) (left []int) {
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
func (p *process) waitGone(exited func(time.Duration) bool, limit time.Duration) (left []int) {
	until := time.Now().Add(limit)
	for pause := pollTime; ; pause = min(2*pause, pollTimeMax) {
		left = p.rest()
		leader := !exited(0)
		if leader {
			left = append(left, p.pid)
		}
		if len(left) == 0 || !time.Now().Before(until) {
			return left
		}
		if leader {
			exited(pause)
		} else {
			time.Sleep(pause)
		}
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

// smallestPipe is what a pipe holds at least, where a user has so many of them that the system gives no more.
const smallestPipe = 4 << 10

// newStdio makes the pipes.
func newStdio() (*stdio, error) {
	s := &stdio{}
	for i := range s.hook {
		reader, writer, err := os.Pipe()
		if err != nil {
			s.close()
			return nil, err
		}
		if i == 0 {
			s.hook[0], s.in.File = reader, writer
		} else {
			s.hook[i], s.out[i-1].File = writer, reader
		}
	}
	return s, nil
}

// fds are the hook's ends.
func (s *stdio) fds() [3]uintptr {
	return [3]uintptr{s.hook[0].Fd(), s.hook[1].Fd(), s.hook[2].Fd()}
}

// within waits for something to be done, so long at most, and reports whether it was.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// close closes everything that is open.
func (s *stdio) close() {
	for _, f := range []*os.File{s.hook[0], s.hook[1], s.hook[2], s.in.File, s.out[0].File, s.out[1].File} {
		f.Close() // nil and closed files only return an error
	}
}
