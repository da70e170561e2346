package process

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr asks for a session and group of its own and, where the process is to die with us, for SIGKILL when the
// thread ends that starts it. Go ends no thread while this process lives, except that of a goroutine which locked it.
// A caller who starts a process there gets one that was killed by SIGKILL, which is no exit with 0.
func (l *leader) sysProcAttr(diesWithUs bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, PidFD: &l.pidfd}
	if diesWithUs {
		attr.Pdeathsig = unix.SIGKILL
	}
	return attr
}

// closeOnExec marks every descriptor that was inherited from the caller: what Go opened is marked already. Kernels
// before 5.11 cannot do it in one call.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		closeOnExecEach("/proc/self/fd")
	}
}

// unreadBytes is how many bytes in a pipe nobody has read.
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

// memoryFile makes a file that has no name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("hookrun-runs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "hookrun-runs"), nil
}
