package process

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"
)

// stat is a process as /proc/PID/stat describes it.
type stat struct {
	pid, parent, group int
	dead               bool   // a zombie: not reaped yet
	kernel             bool   // a thread of the kernel
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

// table is a snapshot of all processes of the system.
type table struct {
	stats    []stat
	children map[int][]int // indexes of stats, by the pid of the parent

	mu   sync.Mutex
	runs map[int]*run // by pid, for the processes whose environment was read
}

// scan is one pass over all processes. Callers that arrive during a pass share the next one, because hundreds of
// processes that are ended together scan again and again.
type scan struct {
	sharers int
	done    chan struct{}
	table   *table
}

var scans struct {
	mu      sync.Mutex
	next    *scan      // has callers and has not begun; or nil
	reading sync.Mutex // held during a pass
}

// processes returns a snapshot of all processes, taken after the call began.
func processes() *table {
	scans.mu.Lock()
	s := scans.next
	first := s == nil
	if first {
		s = &scan{done: make(chan struct{})}
		scans.next = s
	}
	s.sharers++
	scans.mu.Unlock()
	if !first {
		<-s.done
		return s.table
	}
	scans.reading.Lock()
	defer scans.reading.Unlock()
	scans.mu.Lock()
	scans.next = nil // later callers need a later snapshot
	scans.mu.Unlock()
	s.table = readTable()
	close(s.done)
	return s.table
}

func readTable() *table {
	t := &table{children: map[int][]int{}, runs: map[int]*run{}}
	dir, err := os.Open("/proc")
	if err != nil {
		return t
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if s, ok := readStat(pid); ok {
				t.children[s.parent] = append(t.children[s.parent], len(t.stats))
				t.stats = append(t.stats, s)
			}
		}
	}
	forgetWiped(t)
	return t
}

// group returns the running processes of a process group.
func group(pgid int) (pids []int) {
	for _, s := range processes().stats {
		if s.group == pgid && !s.dead {
			pids = append(pids, s.pid)
		}
	}
	return pids
}

// descendants returns the running members of the leader's group and the running descendants of the leader, without the
// leader. An orphan has lost the link to its parent, but RunVariable in its environment still names the run. An orphan
// with a wiped environment is found only if this process is a subreaper, so the orphan becomes our child, and no other
// child could be its ancestor.
//
// A descendant found once is remembered, because the tree falls apart as processes are killed.
func (l *leader) descendants() (pids []int) {
	t := processes()
	ours := make([]bool, len(t.stats))
	var add func(at int)
	add = func(at int) {
		if ours[at] || t.stats[at].pid == l.pid {
			return
		}
		ours[at] = true
		for _, child := range t.children[t.stats[at].pid] {
			add(child)
		}
	}
	var begun uint64 // start time of the leader
	for i, s := range t.stats {
		if s.pid == l.pid {
			begun = s.started
		}
		// If the start time differs, the pid belongs to another process by now.
		if started, known := l.seen[s.pid]; s.parent == l.pid || s.group == l.pid || known && started == s.started {
			add(i)
		}
	}
	for i, s := range t.stats {
		if !ours[i] && !s.dead && s.started >= begun && s.pid != os.Getpid() && s.pid != l.pid && l.isMarked(t, s) {
			add(i)
		}
	}
	if l.seen == nil {
		l.seen = map[int]uint64{}
	}
	for i, s := range t.stats {
		if ours[i] && !s.dead {
			pids = append(pids, s.pid)
			l.seen[s.pid] = s.started
		}
	}
	return pids
}

// isMarked reports whether a process belongs to this run: RunVariable in its environment names the run, or the process
// is an adopted orphan and no other run or child can be its ancestor.
func (l *leader) isMarked(t *table, s stat) bool {
	r := t.runOf(s)
	switch {
	case r.known:
		return r.mark == l.mark
	case isLive(s.pid): // watchdogs run without RunVariable
		return false
	case l.onlyChild && starts.Load() == l.number && s.parent == os.Getpid():
		return true
	}
	return r.wiped && !s.kernel && r.afterExec(s) && r.mark == l.mark
}

// run is the result of reading a process's environment.
type run struct {
	mark         string // value of RunVariable
	known, wiped bool   // the variable is set; the environment is empty

	wait sync.Once
}

// runOf reads the environment of a process once for all users of the table.
func (t *table) runOf(s stat) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.runs[s.pid]
	if r == nil {
		r = &run{}
		r.mark, r.known, r.wiped = runOf(s.pid)
		t.runs[s.pid] = r
	}
	return r
}

// execTime is the longest time for which an exec leaves a process without an environment.
const execTime = 200 * time.Millisecond

// wiped holds the start times of processes that had no environment for execTime. afterExec skips the wait for them.
var wiped struct {
	sync.Mutex
	started map[int]uint64
}

// forgetWiped forgets processes that have ended.
func forgetWiped(t *table) {
	wiped.Lock()
	defer wiped.Unlock()
	if len(wiped.started) == 0 {
		return
	}
	left := map[int]uint64{}
	for _, s := range t.stats {
		if wiped.started[s.pid] == s.started {
			left[s.pid] = s.started
		}
	}
	wiped.started = left
}

// afterExec waits up to execTime for a process without an environment to get one, and reports whether the new
// environment has a mark. In the middle of an exec the environment is empty for a moment, and an orphan not recognised
// then would survive. All users of the table wait together.
func (r *run) afterExec(s stat) (marked bool) {
	r.wait.Do(func() {
		wiped.Lock()
		again := wiped.started[s.pid] == s.started
		wiped.Unlock()
		if again {
			return
		}
		for until := time.Now().Add(execTime); time.Now().Before(until); time.Sleep(pollTime) {
			mark, _, none := runOf(s.pid)
			if !none {
				r.mark = mark
				return
			}
		}
		wiped.Lock()
		defer wiped.Unlock()
		if wiped.started == nil {
			wiped.started = map[int]uint64{}
		}
		wiped.started[s.pid] = s.started
	})
	return r.mark != ""
}

// runOf returns the value of RunVariable in a process's environment. If the environment is empty, wiped is true.
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
