package process

import (
	"io"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysProcAttr asks for a new session and group. macOS has no parent-death signal.
func (l *leader) sysProcAttr(lifetime) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// closeOnExec marks the descriptors inherited from the caller. Go marks the descriptors that it opens.
func closeOnExec() { closeOnExecEach("/dev/fd") }

// becomeSubreaper returns false: on macOS launchd adopts orphans.
func becomeSubreaper() bool { return false }

// widen does nothing: on macOS a pipe grows when needed.
func (s *stdio) widen() {}

// unreadBytes returns -1: unknown on macOS.
func unreadBytes(*os.File) int { return -1 }

func reapOrphans() {}

// waitChange waits until a child has changed in one of these ways, and leaves the child to be reaped. With WNOHANG it
// does not wait, and reports whether the child has changed. Package unix has no waitid for macOS.
func waitChange(pid, ways int) (changed bool) {
	const onePID = 1   // P_PID
	var info [32]int32 // siginfo_t, which begins with the signal
	for {
		_, _, errno := unix.Syscall6(unix.SYS_WAITID, onePID, uintptr(pid), uintptr(unsafe.Pointer(&info)),
			uintptr(ways|unix.WNOWAIT), 0, 0)
		if errno != unix.EINTR {
			return errno != 0 || info[0] != 0 // after an error it is no longer a child
		}
	}
}

// waitExit blocks until the leader has ended, without reaping it.
func (l *leader) waitExit() { waitChange(l.pid, unix.WEXITED) }

// noChild and childless return false: only subreapers need the answer.
func noChild() bool   { return false }
func childless() bool { return false }

// group returns the running processes of a process group.
func group(pgid int) (pids []int) {
	const zombie = 5 // SZOMB
	all, _ := unix.SysctlKinfoProcSlice("kern.proc.pgrp", pgid)
	for i := range all {
		if p := &all[i].Proc; p.P_stat != zombie {
			pids = append(pids, int(p.P_pid))
		}
	}
	return pids
}

// descendants returns the running processes of the leader's group, without the leader. Descendants that left the group
// are not found.
func (l *leader) descendants() []int {
	return slices.DeleteFunc(group(l.pid), func(pid int) bool { return pid == l.pid })
}

// memoryFile creates a file without a name.
func memoryFile() (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-runs-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

func (r unreadReader) Read(b []byte) (n int, err error) {
	raw, err := r.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = unix.EINTR
	_ = raw.Control(func(fd uintptr) {
		for err == unix.EINTR {
			n, err = unix.Read(int(fd), b)
		}
	})
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}
