package process

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr asks for a new session and group. With diesWithUs it also asks for SIGKILL when the starting thread ends.
// Go ends no thread while this process lives, except that of a goroutine which has locked it. A process that is started
// there is killed early, but by SIGKILL, which is no exit with 0.
func (l *leader) sysProcAttr(diesWithUs bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, PidFD: &l.pidfd}
	if diesWithUs {
		attr.Pdeathsig = unix.SIGKILL
	}
	return attr
}

// closeOnExec marks the descriptors that were inherited from the caller. Go marks those that it opens. Kernels before
// 5.11 cannot do it in one call.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		closeOnExecEach("/proc/self/fd")
	}
}

// unreadBytes returns how many bytes in a pipe have not been read.
func unreadBytes(pipe *os.File) int {
	var n uint32
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetUint32(int(fd), unix.TIOCINQ) })
	}
	return int(n)
}

// waitChange blocks until a child has changed in one of these ways, and leaves it to be reaped.
func waitChange(pid, ways int) {
	for unix.Waitid(unix.P_PID, pid, nil, ways|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// memoryFile makes a file without a name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("hookrun-runs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "hookrun-runs"), nil
}
