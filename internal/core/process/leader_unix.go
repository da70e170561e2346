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

// leader is a started process. It leads a session and a process group, both numbered by its pid.
type leader struct {
	pid int

	mark      string         // the value of RunVariable for the process and its descendants
	number    uint64         // of this start
	adopts    bool           // this process adopts the leader's orphans
	onlyChild bool           // adopts is set, and this process had no other child at the start
	seen      map[int]uint64 // start times of the descendants found so far

	watchdog *watchdog
	record   int64 // index in the watchdog's file; -1: no record
}

// State of all supervisors: the children of this process are one set, whichever supervisor started them.
//
// Lock order: watchdog.mu, then starting. A holder of starting, even for reading, takes no other lock. Otherwise a
// goroutine waiting in starting.Lock would block new readers, on which others wait.
var (
	live     sync.Map      // pids of running leaders and watchdogs
	leaders  atomic.Int64  // running leaders
	starts   atomic.Uint64 // leaders started so far
	starting sync.RWMutex  // read-locked while a process is started and added to live
)

// start starts a program under the watchdog w; w may be nil.
//
// It calls ForkExec, because os.StartProcess and os/exec first start a process of their own to probe the kernel, and so
// double the cost for a caller that starts one process. They also cannot wait for a process without reaping it. Once a
// process is reaped, the system may give its pid, and so its group number, to another process.
func (s *Supervisor) start(program Program, stdio [3]uintptr, life lifetime, w *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	closeOnExec()
	l := &leader{number: starts.Add(1), adopts: s.adopts}
	l.mark = strconv.Itoa(os.Getpid()) + "." + strconv.FormatUint(l.number, 10) + "." +
		strconv.FormatInt(time.Now().UnixNano(), 10)
	first := leaders.Add(1) == 1 && s.adopts
	l.onlyChild = first && noChild()
	w.watch(l, program)
	attr := &syscall.ProcAttr{
		Dir:   program.Dir,
		Env:   append(program.Env, RunVariable+"="+l.mark),
		Files: append(stdio[:], program.inherits...),
		Sys:   l.sysProcAttr(life),
	}
	var err error
	if l.pid, err = forkExec(program.Path, program.Args, attr); err != nil {
		l.unwatch()
		leaders.Add(-1)
		return nil, &StartError{program, err}
	}
	l.started()
	l.onlyChild = l.onlyChild || first && childless() // now, while the system loads the program
	return l, nil
}

// forkExec starts a child and adds it to live.
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

// hasEnded reports whether the leader has ended.
func (l *leader) hasEnded() bool { return waitChange(l.pid, unix.WEXITED|unix.WNOHANG) }

// reap reaps the leader and returns its exit status. The status is an error, not exit 0, if other code reaped the
// leader.
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

// signal sends a signal to the group, and to each descendant that left the group. It finds the descendants first: once
// the leader has ended they are orphans, and harder to find.
func (l *leader) signal(s syscall.Signal) {
	found := l.descendants()
	_ = unix.Kill(-l.pid, s) // ESRCH: the group is empty
	for _, pid := range found {
		_ = unix.Kill(pid, s)
	}
}

// leftInGroup returns the processes still running in the group after the leader was reaped. The group is nearly always
// empty, and a single system call shows that.
func (l *leader) leftInGroup() []int {
	if unix.Kill(-l.pid, 0) == unix.ESRCH {
		return nil
	}
	return group(l.pid)
}

// closeOnExecEach marks the descriptors listed in a folder.
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
