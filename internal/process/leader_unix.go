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

// leader is a started process. It leads a session and a process group, both of which have its pid as their number.
type leader struct {
	pid int

	mark   string         // the value of RunVariable in its environment and that of its descendants
	number uint64         // of this start
	adopts bool           // this process adopts its orphans
	only   bool           // adopts, and there was no other child at its start
	seen   map[int]uint64 // descendants that were found, and when each started

	watchdog *watchdog
	record   int64 // the number of its record in the watchdog's file; -1: none
}

// State of all supervisors: the children of this process are one set, whoever started them.
//
// Locks are taken in this order: watchdog.mu, then starting. Whoever holds starting, for reading too, takes no other
// lock. Otherwise a goroutine that waits for starting.Lock would keep out the readers that others wait for.
var (
	live     sync.Map      // pids of running leaders and watchdogs
	leaders  atomic.Int64  // how many run
	starts   atomic.Uint64 // how many were started
	starting sync.RWMutex  // read-locked while a process is started and noted in live
)

// start starts a program. w watches it; nil: nothing does.
//
// It calls ForkExec. os.StartProcess and os/exec first start a process of their own to find out what the kernel can do.
// For a caller that starts one process this doubles the cost. And they cannot wait for a process without reaping it.
// After that its pid, which is also the number of its group, may belong to another process.
func (s *Supervisor) start(program Program, stdio [3]uintptr, life lifetime, w *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	closeOnExec()
	l := &leader{number: starts.Add(1), adopts: s.adopts}
	l.mark = fmt.Sprintf("%d.%d.%d", os.Getpid(), l.number, time.Now().UnixNano())
	l.only = leaders.Add(1) == 1 && s.adopts && childless()
	w.enter(l, program)
	attr := &syscall.ProcAttr{
		Dir:   program.Dir,
		Env:   append(program.Env, RunVariable+"="+l.mark),
		Files: stdio[:],
		Sys:   l.sysProcAttr(life),
	}
	var err error
	if l.pid, err = forkExec(program.Path, program.Args, attr); err != nil {
		l.unwatch()
		leaders.Add(-1)
		return nil, &StartError{program, err}
	}
	l.started()
	return l, nil
}

// forkExec starts a child and notes it in live.
func forkExec(path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	starting.RLock()
	defer starting.RUnlock()
	if pid, err = syscall.ForkExec(path, args, attr); err == nil {
		live.Store(pid, true)
	}
	return pid, err
}

// forget is called after a process was reaped.
func (l *leader) forget() {
	live.Delete(l.pid)
	leaders.Add(-1)
	if l.adopts {
		reapOrphans()
	}
}

// waitExit blocks until the leader has ended, without reaping it.
func (l *leader) waitExit() { waitChange(l.pid, unix.WEXITED) }

// hasEnded reports whether the leader has ended.
func (l *leader) hasEnded() bool { return waitChange(l.pid, unix.WEXITED|unix.WNOHANG) }

// reap reaps the leader and returns its exit status. If something else reaped it the status is unknown, which is no
// exit with 0.
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

// signalName returns SIGKILL for 9, or the number if the signal has no name.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

func (l *leader) terminate() { l.signal(unix.SIGTERM) }
func (l *leader) kill()      { l.signal(unix.SIGKILL) }

// signal sends a signal to the group, and to each descendant that left it. It looks for those first: once the leader
// has ended they are orphans, which are harder to find.
func (l *leader) signal(s syscall.Signal) {
	found := l.descendants()
	_ = unix.Kill(-l.pid, s) // ESRCH: the group is empty
	for _, pid := range found {
		_ = unix.Kill(pid, s)
	}
}

// leftInGroup returns what still runs in the group after the leader was reaped. It is nearly always empty, and one
// system call shows that.
func (l *leader) leftInGroup() []int {
	if unix.Kill(-l.pid, 0) == unix.ESRCH {
		return nil
	}
	return group(l.pid)
}

// closeOnExecEach marks the descriptors that a folder lists.
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
