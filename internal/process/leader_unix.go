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

// leader is the process that a program was started as. It leads a session and a process group, which have its pid for
// their number.
type leader struct {
	pid   int
	pidfd int // becomes readable when the process ends (Linux); -1: there is none

	mark   string         // the value of RunVariable in its environment and that of its descendants
	number uint64         // of this start
	adopts bool           // its orphans fall to us
	only   bool           // they do, and we had no other child when it was started
	seen   map[int]uint64 // descendants that were found, and when each was started

	watchdog *watchdog
	record   int64 // the number of its record in the watchdog's file; -1: it has none
}

// What all supervisors share: the children of this process are one set, whoever started them.
var (
	live     sync.Map      // pid of each leader that runs, and of each watchdog
	leaders  atomic.Int64  // that run
	starts   atomic.Uint64 // so far
	starting sync.RWMutex  // held for reading while a process is started and noted in live
)

// start starts a program. diesWithUs: it is killed when this process dies. w watches it; nil: it is left alone.
//
// It calls ForkExec. os.StartProcess and os/exec first try out what the kernel can do, with a process of their own,
// which costs a program that starts one process as much as that process. And they cannot wait for a process without
// reaping it, after which its pid, and so that of its group, may be somebody else's.
func (s *Supervisor) start(program Program, stdio [3]uintptr, diesWithUs bool, w *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	closeOnExec()
	l := &leader{number: starts.Add(1), adopts: s.adopts, pidfd: -1}
	l.mark = fmt.Sprintf("%d.%d.%d", os.Getpid(), l.number, time.Now().UnixNano())
	l.only = leaders.Add(1) == 1 && s.adopts && childless()
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
	if l.adopts {
		reapOrphans()
	}
}

// waitExit blocks until the leader has ended, and leaves it to be reaped.
func (l *leader) waitExit() { waitChange(l.pid, unix.WEXITED) }

// reap takes the exit status. If somebody else took it nobody knows it, and that is no exit with 0.
func (l *leader) reap() exitStatus {
	var status unix.WaitStatus
	_, err := unix.Wait4(l.pid, &status, 0, nil)
	for err == unix.EINTR {
		_, err = unix.Wait4(l.pid, &status, 0, nil)
	}
	switch {
	case err != nil:
		return exitStatus{code: -1, err: fmt.Errorf("its exit status is lost: %w", err)}
	case status.Signaled():
		return exitStatus{code: -1, signal: signalName(status.Signal())}
	}
	return exitStatus{code: status.ExitStatus()}
}

// signalName is SIGKILL for 9, and a number where the system has no name.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

func (l *leader) terminate() { l.signal(unix.SIGTERM) }
func (l *leader) kill()      { l.signal(unix.SIGKILL) }

// signal reaches the group at once and what left it one by one. It looks for those first: the leader's end makes
// orphans of them, which are harder to find.
func (l *leader) signal(s syscall.Signal) {
	found := l.descendants()
	_ = unix.Kill(-l.pid, s) // ESRCH: all gone
	for _, pid := range found {
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
