package process

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr requests a new session and group. For a program that dies with us it also requests SIGKILL for the end of
// the starting thread. While this process lives, Go ends a thread only if a goroutine that locked the thread ends. A
// process started from such a thread is killed early, but by SIGKILL, so the caller sees no exit 0.
func (l *leader) sysProcAttr(life lifetime) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if life == diesWithUs {
		attr.Pdeathsig = unix.SIGKILL
	}
	return attr
}

// closeOnExec marks the descriptors inherited from the caller. Go marks the descriptors that it opens. Kernels before
// 5.11 need a call for each descriptor.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		closeOnExecEach("/proc/self/fd")
	}
}

// widen gives the pipes the largest size that every user may set.
func widen(pipes [3]uintptr) {
	const size = 1 << 20
	for _, fd := range pipes {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size)
	}
}

// unreadBytes returns the number of unread bytes in a pipe.
func unreadBytes(pipe *os.File) int {
	var n uint32
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetUint32(int(fd), unix.TIOCINQ) })
	}
	return int(n)
}

// waitChange waits until a child has changed in one of these ways, and leaves the child to be reaped. With WNOHANG it
// does not wait, and reports whether the child has changed.
func waitChange(pid, ways int) (changed bool) {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, ways|unix.WNOWAIT, nil)
	for err == unix.EINTR {
		err = unix.Waitid(unix.P_PID, pid, &info, ways|unix.WNOWAIT, nil)
	}
	return err != nil || info.Signo != 0 // after an error it is no longer a child
}

// waitExit blocks until the leader has ended, without reaping it. A descriptor of the process needs no thread while it
// waits. Kernels before 5.10 have no such descriptor.
func (l *leader) waitExit() {
	if fd, err := unix.PidfdOpen(l.pid, unix.PIDFD_NONBLOCK); err == nil {
		f := os.NewFile(uintptr(fd), "pidfd")
		defer f.Close()
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Read(func(uintptr) bool { return l.hasEnded() }) // an error: the poller does not take it
		}
	}
	waitChange(l.pid, unix.WEXITED)
}

// memoryFile creates a file without a name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("hookrun-runs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "hookrun-runs"), nil
}
