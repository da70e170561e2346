package process

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// stat is what /proc/PID/stat says about a process.
type stat struct {
	pid, parent, group int
	dead               bool   // it waits to be reaped
	kernel             bool   // it is a thread of the kernel
	started            uint64 // in ticks since the system started
}

// kernelThread is PF_KTHREAD of the kernel's include/linux/sched.h.
const kernelThread = 0x00200000

func readStat(pid int) (s stat, ok bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	// The name, in brackets, may contain spaces and brackets.
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return s, false
	}
	s.pid = pid
	s.dead = f[0][0] == 'Z' || f[0][0] == 'X'
	s.parent, _ = strconv.Atoi(string(f[1]))
	s.group, _ = strconv.Atoi(string(f[2]))
	flags, _ := strconv.ParseUint(string(f[6]), 10, 64)
	s.kernel = flags&kernelThread != 0
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

// descendants returns the running processes of the leader's group and its descendants, without the leader. An orphan
// has lost its parent, but its environment still says by RunVariable which run it belongs to. An orphan that wiped its
// environment is found only if this process is a subreaper, so that the orphan becomes our child, and had no other
// child that it could descend from.
//
// A descendant that was found once is remembered, because the tree falls apart as its members are killed.
func (l *leader) descendants() (pids []int) {
	all := processes()
	leader := all[l.pid]
	known := func(pid int) bool {
		started, ok := l.seen[pid]
		return ok && all[pid].started == started // else the pid belongs to another process by now
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
		mark, ok, wiped := runOf(s.pid)
		if ok {
			return mark == l.mark
		}
		if isLive(s.pid) { // a watchdog has no RunVariable
			return false
		}
		if l.only && starts.Load() == l.number && s.parent == os.Getpid() {
			return true
		}
		return wiped && !s.kernel && l.afterExec(s)
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

// execTime is how long a process without an environment may be in the middle of an exec.
const execTime = 200 * time.Millisecond

// afterExec reports whether a process that had no environment is of this run. In the middle of an exec it has none for
// a moment, and an orphan that is not recognised survives. Nobody waits twice for one that wiped its environment.
func (l *leader) afterExec(s stat) bool {
	if l.wiped[s.pid] == s.started {
		return false
	}
	for until := time.Now().Add(execTime); time.Now().Before(until); time.Sleep(pollTime) {
		switch mark, ok, wiped := runOf(s.pid); {
		case ok:
			return mark == l.mark
		case !wiped:
			return false
		}
	}
	if l.wiped == nil {
		l.wiped = map[int]uint64{}
	}
	l.wiped[s.pid] = s.started
	return false
}

// runOf returns the value of RunVariable in a process's environment. wiped: the process has no environment at all.
func runOf(pid int) (run string, ok, wiped bool) {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false, false
	}
	for _, v := range bytes.Split(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(v, []byte(RunVariable+"=")); ok {
			return string(value), true, false
		}
	}
	return "", false, len(env) == 0
}
