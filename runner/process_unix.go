//go:build linux || darwin

package runner

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/projecthooks"
)

// process is the leader of a hook's session and process group, which have its pid for their number.
type process struct {
	pid      int
	number   uint64 // of the run
	only     bool   // we are a subreaper and had no other child when it was started
	mark     string // the value of HOOKRUN_RUN in its environment and that of its descendants
	reaper   bool   // orphans fall to us
	record   int64  // of the run, in the watchdog's file; -1: it has none
	watchdog *watchdog
	seen     map[int]uint64 // descendants that were found, and when each was started

	pidfd int // tells its end, where the system has that; -1: it does not
}

// What the runners of this process share: its children are one set, whoever started them.
var (
	live     sync.Map      // pid of each running hook's leader, and of each watchdog
	leaders  atomic.Int64  // hooks that run
	runs     atomic.Uint64 // started so far
	starting sync.RWMutex  // held for reading while a hook is started and noted in live
)

// start starts a hook. It does so by ForkExec: os.StartProcess and os/exec first try out what the kernel can do, with a process of
// their own, which costs a one-shot call as much as its hook. And they cannot wait for the leader without reaping it, after which
// its pid, and so that of its group, may be somebody else's. withUs: it dies when this process does. g watches it; nil: it is left
// to itself.
func (r *Runner) start(what program, stdio [3]uintptr, withUs bool, g *watchdog) (*process, error) {
	closeOnExec()
	p := &process{number: runs.Add(1), reaper: r.options.Subreaper, pidfd: -1}
	p.mark = strconv.Itoa(os.Getpid()) + "." + strconv.FormatUint(p.number, 10) + "." + strconv.FormatInt(time.Now().UnixNano(), 10)
	p.only = leaders.Add(1) == 1 && r.options.Subreaper && childless()
	g.enter(p, what)
	attr := &syscall.ProcAttr{
		Dir:   what.dir,
		Env:   append(what.env, runVariable+"="+p.mark),
		Files: stdio[:],
		Sys:   p.sysProcAttr(withUs),
	}
	starting.RLock()
	defer starting.RUnlock()
	var err error
	p.pid, err = syscall.ForkExec(what.path, what.argv, attr)
	if err == nil {
		live.Store(p.pid, true)
		p.started()
		return p, nil
	}
	p.unwatch()
	leaders.Add(-1)
	if why := projecthooks.MarkFault(what.path, what.argv[0]); why != "" {
		return nil, errors.New(why)
	}
	if errors.Is(err, unix.ENOEXEC) {
		return nil, fmt.Errorf("%s: %w; a script needs a #! line", what.argv[0], err)
	}
	if why := projecthooks.StartFault(what.path, what.argv[0], what.dir, what.env); why != "" {
		return nil, errors.New(why)
	}
	if errors.Is(err, unix.ENOENT) { // the program itself was found before
		return nil, fmt.Errorf("%s: %w: the interpreter of its #! line, or the workspace", what.argv[0], err)
	}
	return nil, fmt.Errorf("%s: %w", what.argv[0], err)
}

// forget is called when a process was reaped.
func (p *process) forget() {
	live.Delete(p.pid)
	leaders.Add(-1)
	if p.pidfd >= 0 {
		_ = unix.Close(p.pidfd)
		p.pidfd = -1
	}
	if p.reaper {
		reapOrphans()
	}
}

// reapOrphansUntil takes the exit status of orphans that end while no hook does.
func reapOrphansUntil(over <-chan struct{}) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			reapOrphans()
		case <-over:
			return
		}
	}
}

// waitExit blocks until the leader has ended, and leaves it to be reaped.
func (p *process) waitExit() { waitChange(p.pid, unix.WEXITED) }

// reap returns how the leader ended. If somebody else reaped it nobody knows, and that is no exit with 0.
func (p *process) reap() (code int, signal string, err error) {
	var status unix.WaitStatus
	_, err = unix.Wait4(p.pid, &status, 0, nil)
	for err == unix.EINTR {
		_, err = unix.Wait4(p.pid, &status, 0, nil)
	}
	if err != nil {
		return -1, "", fmt.Errorf("its exit status is lost: %w", err)
	}
	if status.Signaled() {
		return -1, signalName(status.Signal()), nil
	}
	return status.ExitStatus(), "", nil
}

func (p *process) terminate() { p.signal(unix.SIGTERM) }
func (p *process) kill()      { p.signal(unix.SIGKILL) }

// signal reaches the group at once and what left it one by one. It looks for those first: the leader's end makes
// orphans of them, which are harder to tell.
func (p *process) signal(s syscall.Signal) {
	rest := p.rest()
	_ = unix.Kill(-p.pid, s) // ESRCH: all gone
	for _, pid := range rest {
		_ = unix.Kill(pid, s)
	}
}

// leftInGroup returns what still runs of the group after the leader was reaped. Nearly always that is nothing, and one
// system call tells.
func (p *process) leftInGroup() []int {
	if unix.Kill(-p.pid, 0) == unix.ESRCH {
		return nil
	}
	return group(p.pid)
}

// closeOnExecEach marks the descriptors that a folder of them lists.
func closeOnExecEach(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// foldName: names of variables differ by case.
func foldName(name string) string { return name }

// pipeEnd is our end of a pipe.
type pipeEnd struct{ *os.File }

// stop makes reads and writes return, at once and from now on.
func (e *pipeEnd) stop() { _ = e.SetDeadline(time.Unix(1, 0)) }

// signalName is SIGKILL for 9, and a number where the system has no name.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
