//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// leader is the leader of a hook's session and process group, which have its pid for their number.
type leader struct {
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

// start starts a program. It does so by ForkExec: os.StartProcess and os/exec first try out what the kernel can do, with a process
// of their own, which costs a one-shot call as much as its hook. And they cannot wait for the leader without reaping it, after which
// its pid, and so that of its group, may be somebody else's. diesWithUs: it is killed when this process dies. w watches it; nil: it
// is left alone.
func (s *Supervisor) start(program Program, stdio [3]uintptr, diesWithUs bool, w *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	closeOnExec()
	l := &leader{number: runs.Add(1), reaper: s.Subreaper, pidfd: -1}
	l.mark = strconv.Itoa(os.Getpid()) + "." + strconv.FormatUint(l.number, 10) + "." + strconv.FormatInt(time.Now().UnixNano(), 10)
	l.only = leaders.Add(1) == 1 && s.Subreaper && childless()
	w.enter(l, program)
	attr := &syscall.ProcAttr{
		Dir:   program.Dir,
		Env:   append(program.Env, RunVariable+"="+l.mark),
		Files: stdio[:],
		Sys:   l.sysProcAttr(diesWithUs),
	}
	starting.RLock()
	defer starting.RUnlock()
	var err error
	if l.pid, err = syscall.ForkExec(program.Path, program.Args, attr); err != nil {
		l.unwatch()
		leaders.Add(-1)
		return nil, &StartError{program, err}
	}
	live.Store(l.pid, true)
	l.started()
	return l, nil
}

// forget is called when a process was reaped.
func (l *leader) forget() {
	live.Delete(l.pid)
	leaders.Add(-1)
	if l.pidfd >= 0 {
		_ = unix.Close(l.pidfd)
		l.pidfd = -1
	}
	if l.reaper {
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
func (l *leader) waitExit() { waitChange(l.pid, unix.WEXITED) }

// reap returns how the leader ended. If somebody else reaped it nobody knows, and that is no exit with 0.
func (l *leader) reap() (code int, signal string, err error) {
	var status unix.WaitStatus
	_, err = unix.Wait4(l.pid, &status, 0, nil)
	for err == unix.EINTR {
		_, err = unix.Wait4(l.pid, &status, 0, nil)
	}
	if err != nil {
		return -1, "", fmt.Errorf("its exit status is lost: %w", err)
	}
	if status.Signaled() {
		return -1, signalName(status.Signal()), nil
	}
	return status.ExitStatus(), "", nil
}

func (l *leader) terminate() { l.signal(unix.SIGTERM) }
func (l *leader) kill()      { l.signal(unix.SIGKILL) }

// signal reaches the group at once and what left it one by one. It looks for those first: the leader's end makes
// orphans of them, which are harder to tell.
func (l *leader) signal(s syscall.Signal) {
	rest := l.descendants()
	_ = unix.Kill(-l.pid, s) // ESRCH: all gone
	for _, pid := range rest {
		_ = unix.Kill(pid, s)
	}
}

// leftInGroup returns what still runs of the group after the leader was reaped. Nearly always that is nothing, and one
// system call tells.
func (l *leader) leftInGroup() []int {
	if unix.Kill(-l.pid, 0) == unix.ESRCH {
		return nil
	}
	return group(l.pid)
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
