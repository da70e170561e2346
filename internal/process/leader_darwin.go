package process

import (
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

// closeOnExec marks the descriptors that were inherited from the caller. Go marks those that it opens.
func closeOnExec() { closeOnExecEach("/dev/fd") }

// becomeSubreaper has no counterpart: launchd adopts orphans.
func becomeSubreaper() bool { return false }

// widen does nothing: a pipe grows by itself.
func (s *stdio) widen() {}

// unreadBytes cannot be known here.
func unreadBytes(*os.File) int { return -1 }

func reapOrphans() {}

// waitChange waits until a child has changed in one of these ways, and leaves it to be reaped. With WNOHANG it does not
// wait, and reports whether the child has. Package unix has no waitid here.
func waitChange(pid, ways int) (changed bool) {
	const onePID = 1   // P_PID
	var info [32]int32 // siginfo_t, which begins with the signal
	for {
		_, _, errno := unix.Syscall6(unix.SYS_WAITID, onePID, uintptr(pid), uintptr(unsafe.Pointer(&info)),
			uintptr(ways|unix.WNOWAIT), 0, 0)
		if errno != unix.EINTR {
			return errno != 0 || info[0] != 0 // after an error it is no child any more
		}
	}
}

// childless matters only where this process adopts orphans.
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

// descendants returns the running processes of the leader's group, without the leader. Those that left the group are
// not found.
func (l *leader) descendants() []int {
	return slices.DeleteFunc(group(l.pid), func(pid int) bool { return pid == l.pid })
}

// memoryFile makes a file without a name.
func memoryFile() (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-runs-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
