package process

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysProcAttr: a session and group of its own, and where it is to die with us death with the thread that starts it. Go ends no thread while the
// process lives, except of a goroutine that locked it; hooks are started by goroutines of the caller's, and a caller who
// does that gets a hook killed by SIGKILL, which is no approval.
func (l *leader) sysProcAttr(diesWithUs bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, PidFD: &l.pidfd}
	if diesWithUs {
		attr.Pdeathsig = unix.SIGKILL
	}
	return attr
}

// closeOnExec marks every descriptor that was inherited from the caller: what Go opened is marked already. Kernels before
// 5.11 cannot do it in one call.
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

func becomeSubreaper() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // 3.4 and later
}

// waitChange blocks until a child has changed in one of these ways, and leaves it to be reaped.
func waitChange(pid, ways int) {
	for unix.Waitid(unix.P_PID, pid, nil, ways|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// siPID is where siginfo_t has its si_pid: behind three ints, and padding where pointers are eight bytes.
const siPID = 12 + (unsafe.Sizeof(uintptr(0))/8)*4

// reapOrphans takes the exit status of children that are nobody's: orphans of hooks, which fall to a subreaper.
//
// It keeps hooks from being started meanwhile: one that ended before it was noted down would be taken for an orphan, and
// its verdict be lost.
func reapOrphans() {
	// Mostly there is none, or it is a hook that is about to be reaped: then nobody is kept from anything.
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

// endedChild returns a child that has ended and waits for somebody to take its exit status, 0 if there is none.
func endedChild() (pid int) {
	var info unix.Siginfo
	if unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != nil {
		return 0
	}
	return max(0, int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), siPID))))
}

// stat is what /proc/PID/stat says of a process.
type stat struct {
	pid, parent, group int
	dead               bool   // waits to be reaped
	started            uint64 // in ticks since the system started
}

func readStat(pid int) (s stat, ok bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	// The name, in brackets, may hold blanks and brackets itself.
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return s, false
	}
	s.pid = pid
	s.dead = f[0][0] == 'Z' || f[0][0] == 'X'
	s.parent, _ = strconv.Atoi(string(f[1]))
	s.group, _ = strconv.Atoi(string(f[2]))
	s.started, _ = strconv.ParseUint(string(f[19]), 10, 64)
	return s, true
}

// processes returns all processes of the system by pid.
func processes() map[int]stat {
	all := map[int]stat{}
	dir, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if s, ok := readStat(pid); ok {
				all[pid] = s
			}
		}
	}
	return all
}

// group returns the running processes of a process group.
func group(pgid int) (pids []int) {
	for pid, s := range processes() {
		if s.group == pgid && !s.dead {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants returns what runs of the hook but its leader: its group, what descends from it, and orphans. An orphan lost its
// place in the tree, but not its environment, which tells by HOOKRUN_RUN whose it is. One that wiped that as well is found
// only if this process is a subreaper, so that it fell to us, and had no other child that it could come of.
//
// What was found once is ours from then on: the tree falls apart as its members are killed.
func (l *leader) descendants() (pids []int) {
	all := processes()
	leader := all[l.pid]
	known := func(pid int) bool {
		started, ok := l.seen[pid]
		return ok && all[pid].started == started // else the number is somebody else's by now
	}
	ours := func(s stat) bool {
		if s.group == l.pid || known(s.pid) {
			return true
		}
		for up, steps := s, 0; steps < len(all); steps++ {
			if up.parent == l.pid || known(up.parent) {
				return true
			}
			parent, ok := all[up.parent]
			if !ok {
				break
			}
			up = parent
		}
		if s.started < leader.started || s.pid == os.Getpid() {
			return false
		}
		if mark, ok := runOf(s.pid); ok {
			return mark == l.mark
		}
		if isLive(s.pid) { // a watchdog has no mark
			return false
		}
		return l.only && runs.Load() == l.number && s.parent == os.Getpid()
	}
	for pid, s := range all {
		if pid != l.pid && !s.dead && ours(s) {
			pids = append(pids, pid)
		}
	}
	if l.seen == nil && len(pids) > 0 {
		l.seen = map[int]uint64{}
	}
	for _, pid := range pids {
		l.seen[pid] = all[pid].started
	}
	return pids
}

// runOf returns the value of HOOKRUN_RUN in a process's environment.
func runOf(pid int) (run string, ok bool) {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false
	}
	for _, v := range bytes.Split(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(v, []byte(RunVariable+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// childless reports whether this process has no child but hooks and watchdogs. An orphan falls to its first thread.
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

func isLive(pid int) bool {
	_, yes := live.Load(pid)
	return yes
}

// memoryFile makes a file that has no name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("hookrun-runs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "hookrun-runs"), nil
}
