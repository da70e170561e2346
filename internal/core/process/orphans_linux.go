package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeSubreaper makes this process adopt the orphans of its processes, and reports success.
func becomeSubreaper() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil // Linux 3.4 and later
}

// siPID is the offset of si_pid in siginfo_t: after three ints, and padding if pointers have eight bytes.
const siPID = 12 + (unsafe.Sizeof(uintptr(0))/8)*4

// reapOrphans reaps adopted orphans that have ended.
//
// It locks starting, because an unlocked start has a race: a process that ends before it is in live looks like an
// orphan, and its exit status would be lost.
func reapOrphans() {
	// Usually no child has ended, or only a leader that will be reaped soon. Then no lock is needed.
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

// endedChild returns a child that has ended and is not reaped yet, or 0.
func endedChild() (pid int) {
	var info unix.Siginfo
	if unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != nil {
		return 0
	}
	return max(0, int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), siPID))))
}

// noChild reports whether this process has no child at all. Unlike childless, it needs no /proc.
func noChild() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

// childless reports whether all children of this process are leaders and watchdogs. The first thread adopts orphans.
func childless() bool {
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
