package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeSubreaper makes this process the parent of its processes' orphans, and reports whether it did.
func becomeSubreaper() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil // Linux 3.4 and later
}

// siPID is where siginfo_t has its si_pid: behind three ints, and padding where pointers are eight bytes.
const siPID = 12 + (unsafe.Sizeof(uintptr(0))/8)*4

// reapOrphans takes the exit status of children that are nobody's: orphans of our processes, which fall to a
// subreaper.
//
// It keeps processes from being started meanwhile: one that ended before it was noted in live would be taken for an
// orphan, and its exit status be lost.
func reapOrphans() {
	// Mostly there is none, or it is a leader that is about to be reaped. Then nobody is kept from anything.
	if pid := endedChild(); pid == 0 || isLive(pid) {
		return
	}
	starting.Lock()
	defer starting.Unlock()
	for {
		pid := endedChild()
		if pid == 0 || isLive(pid) {
			return
		}
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
	}
}

// endedChild returns a child that has ended and is not reaped, 0 if there is none.
func endedChild() (pid int) {
	var info unix.Siginfo
	if unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != nil {
		return 0
	}
	return max(0, int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), siPID))))
}

// childless reports whether this process has no child but leaders and watchdogs. Orphans fall to its first thread.
func childless() bool {
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err == unix.ECHILD {
		return true
	}
	file, err := unix.Open("/proc/self/task/"+strconv.Itoa(os.Getpid())+"/children", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(file)
	var children [512]byte
	n, err := unix.Read(file, children[:])
	return err == nil && n < len(children) && !slices.ContainsFunc(bytes.Fields(children[:n]), func(field []byte) bool {
		pid, err := strconv.Atoi(string(field))
		return err != nil || !isLive(pid)
	})
}

// isLive reports whether a process is a leader or a watchdog of ours.
func isLive(pid int) bool {
	_, yes := live.Load(pid)
	return yes
}
