package process

import (
	"bytes"
	"os"
	"strconv"
	"sync"
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

// table is all processes of the system at one moment.
type table struct {
	stats    []stat
	children map[int][]int // indexes of stats, by the pid of the parent

	mu   sync.Mutex
	runs map[int]*run // of the processes that somebody asked about, by pid
}

// scan is a look at all processes. Those who ask while another look goes on share the next one: if hundreds of
// processes are ended together, each of them looks again and again.
type scan struct {
	sharers int
	done    chan struct{}
	table   *table
}

var scans struct {
	mu      sync.Mutex
	next    *scan      // that has not begun; nil: nobody waits for one
	reading sync.Mutex // held by the one that goes on
	count   int        // that have begun
}

// processes returns all processes as they are at some moment after the call.
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
	scans.next = nil // what began before a call is not for it
	scans.count++
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

// descendants returns the running processes of the leader's group and its descendants, without the leader. An orphan
// has lost its parent, but its environment still says by RunVariable which run it belongs to. An orphan that wiped its
// environment is found only if this process is a subreaper, so that the orphan becomes our child, and had no other
// child that it could descend from.
//
// A descendant that was found once is remembered, because the tree falls apart as its members are killed.
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
	var begun uint64 // when the leader was started
	for i, s := range t.stats {
		if s.pid == l.pid {
			begun = s.started
		}
		// If the time is another one, the pid belongs to another process by now.
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

// isMarked reports whether the environment of a process says that it is of this run, or nothing says that it is not.
func (l *leader) isMarked(t *table, s stat) bool {
	r := t.runOf(s)
	switch {
	case r.known:
		return r.mark == l.mark
	case isLive(s.pid): // a watchdog has no RunVariable
		return false
	case l.only && starts.Load() == l.number && s.parent == os.Getpid():
		return true
	}
	return r.wiped && !s.kernel && r.afterExec(s) && r.mark == l.mark
}

// run is what the environment of a process says.
type run struct {
	mark         string // of RunVariable
	known, wiped bool   // it has the variable; it has no environment at all

	wait sync.Once
}

// runOf reads the environment of a process, once for all who have the table.
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

// execTime is how long a process without an environment may be in the middle of an exec.
const execTime = 200 * time.Millisecond

// wiped are processes that had no environment for execTime, and when each started. Nobody waits for one again.
var wiped struct {
	sync.Mutex
	started map[int]uint64
}

// forgetWiped forgets processes that are gone.
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

// afterExec waits until a process that had no environment has one, and reports whether that has a mark. In the middle
// of an exec it has none for a moment, and an orphan that is not recognised survives. All who have the table wait
// together.
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
