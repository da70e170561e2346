//go:build linux

// Package processtest is for tests that start processes. A Bench is a folder in which scripts say that they are ready
// and wait until the test lets them go on, and the proof that nothing is left of them: no process, zombie, descriptor
// or goroutine.
//
//	b := processtest.New(t)
//	open := b.Gate("gate")
//	… start the script processtest.AtGate("gate") + "echo done" in b.Dir, with b.Mark in its environment
//	pid := b.ReadyAll(1)[0]
//	open()
package processtest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Patience is how long a test waits for what must happen. It bounds a failure and measures nothing.
const Patience = 30 * time.Second

// Bench is the working directory of a test's processes, and the check that nothing is left of them at the test's end.
type Bench struct {
	*testing.T
	Dir   string
	Mark  string   // NAME=VALUE for their environment, by which all their descendants are found
	ready *os.File // the fifo "ready", open on both sides so that no process waits for us
	lines *bufio.Reader
}

var marks atomic.Int64

// benches are those in use. Tests that run beside each other are one process: what was open when the first of them
// began must be what is open when the last has ended.
var benches struct {
	sync.Mutex
	inUse, looking  int // looking: tests that wait for what the last of them has left to go
	fds, goroutines int
}

// New returns a bench for a test. A test whose subtests run beside each other, each on a bench of its own, takes one
// for itself before they start: then no goroutine of a subtest hides one that was left.
func New(t *testing.T) *Bench {
	b := &Bench{T: t, Dir: t.TempDir(), Mark: fmt.Sprintf("TEST_MARK=%d.%d", os.Getpid(), marks.Add(1))}
	benches.Lock()
	defer benches.Unlock()
	first := benches.inUse+benches.looking == 0
	benches.inUse++
	t.Cleanup(func() {
		marked := b.Marked()
		benches.Lock()
		defer benches.Unlock()
		benches.inUse--
		require.Empty(t, marked, "processes are left")
		nothingIsLeft(t)
	})
	b.ready = b.fifo("ready")
	b.lines = bufio.NewReader(b.ready) // one for all lines: it may read several of them at once
	// Without the fifo, which is closed before anybody looks.
	if first {
		benches.fds, benches.goroutines = OpenFDs(t)-1, goroutines()
	}
	return b
}

// nothingIsLeft looks if no bench is in use. Where another test begins one meanwhile, the last of those looks. The
// lock is held but while this waits.
func nothingIsLeft(t *testing.T) {
	if benches.inUse == 0 {
		require.Empty(t, Zombies(), "zombies are left")
	}
	benches.looking++
	defer func() { benches.looking-- }()
	for until := time.Now().Add(Patience); benches.inUse == 0; {
		// Fewer are no leak: what an earlier test of the same process had closed may have gone only now.
		running, fds := goroutines(), OpenFDs(t)
		if running <= benches.goroutines && fds <= benches.fds {
			return
		}
		if time.Now().After(until) {
			require.LessOrEqual(t, running, benches.goroutines, "goroutines are left")
			require.LessOrEqual(t, fds, benches.fds, "descriptors are left")
		}
		benches.Unlock()
		runtime.Gosched() // a server closes its side when it sees our end
		benches.Lock()
	}
}

// goroutines counts those that are no tests. Tests that wait until they may run beside others are goroutines, and when
// they end as many that were left would not be seen.
func goroutines() int {
	stacks := make([]byte, 256<<10)
	stacks = stacks[:runtime.Stack(stacks, true)]
	all, tests := bytes.Count(stacks, []byte("\n\ngoroutine "))+1, bytes.Count(stacks, []byte("by testing.(*T).Run "))
	return all - tests
}

// fifo makes a fifo that is open on both sides until the end of the test.
func (b *Bench) fifo(name string) *os.File {
	b.Helper()
	require.NoError(b, syscall.Mkfifo(b.Path(name), 0o600))
	f, err := os.OpenFile(b.Path(name), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	return f
}

// Path is that of a file in the working directory.
func (b *Bench) Path(name string) string { return filepath.Join(b.Dir, name) }

// Read returns the text of a file.
func (b *Bench) Read(name string) string {
	b.Helper()
	text, err := os.ReadFile(b.Path(name))
	require.NoError(b, err)
	return string(text)
}

// PID returns the process id that a file holds.
func (b *Bench) PID(file string) int {
	b.Helper()
	return Number(b, strings.TrimSpace(b.Read(file)))
}

// Ready waits for a line that a process writes to the fifo "ready", and returns its words, mostly process ids.
func (b *Bench) Ready() (words []string) {
	b.Helper()
	require.NoError(b, b.ready.SetReadDeadline(time.Now().Add(Patience)))
	line, err := b.lines.ReadString('\n')
	require.NoError(b, err, "no process said that it is ready")
	return strings.Fields(line)
}

// ReadyAll waits for the lines of n processes, and returns the process id at the start of each.
func (b *Bench) ReadyAll(n int) (pids []int) {
	b.Helper()
	for range n {
		pids = append(pids, Number(b, b.Ready()[0]))
	}
	return pids
}

// Gate makes a fifo at which scripts wait until the test opens it: see AtGate. It is open at the end of the test.
func (b *Bench) Gate(name string) (open func()) {
	b.Helper()
	f := b.fifo(name)
	return func() { f.Close() }
}

// AtGate is the beginning of a script that says it is ready and goes on when the gate is open.
func AtGate(name string) string {
	return "exec 3<" + name + "; echo $$ >ready; read x <&3; exec 3<&-; "
}

// Marked describes the running processes that have the mark in their environment.
func (b *Bench) Marked() (left []string) {
	for _, pid := range PIDs() {
		if HasVariable(pid, b.Mark) && Alive(pid) {
			left = append(left, Describe(pid))
		}
	}
	return left
}

// Spare ends a process that was rightly left alone.
func (b *Bench) Spare(pid int) {
	b.Helper()
	require.True(b, Alive(pid), "process %d should have been left alone", pid)
	require.NoError(b, syscall.Kill(pid, syscall.SIGKILL))
	b.Gone(pid)
}

// Gone waits until a process has ended.
func (b *Bench) Gone(pid int) {
	b.Helper()
	require.Eventually(b, func() bool { return !Alive(pid) }, Patience, time.Millisecond, "process %d", pid)
}

// Reaped waits until a process has ended and its exit status was taken.
func (b *Bench) Reaped(pid int) {
	b.Helper()
	require.Eventually(b, func() bool { return StatField(pid, 0) == "" }, Patience, time.Millisecond, "process %d", pid)
}

// Childless checks that this process has no child, or none of this bench where others are in use beside it.
func (b *Bench) Childless() {
	b.Helper()
	benches.Lock()
	alone := benches.inUse == 1
	benches.Unlock()
	for _, pid := range Children() {
		require.False(b, alone || HasVariable(pid, b.Mark), "a child is left: %s", Describe(pid))
	}
}

// ForgetSubreaper undoes at the end of the test that this process became a subreaper.
func (b *Bench) ForgetSubreaper() {
	b.Cleanup(func() { require.NoError(b, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)) })
}

// PIDs returns all process ids of the system.
func PIDs() (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// StatField returns a field of /proc/PID/stat, counted from the state, which is 0; "" if there is no such process.
func StatField(pid, n int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))[n]
}

// Alive reports whether a process runs; a zombie does not.
func Alive(pid int) bool {
	state := StatField(pid, 0)
	return state != "" && state != "Z" && state != "X"
}

// HasVariable reports whether NAME=VALUE is in the environment of a process.
func HasVariable(pid int, variable string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append(env, 0), []byte(variable+"\x00"))
}

// Cmdline returns the arguments of a process.
func Cmdline(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// Describe returns the id and the arguments of a process.
func Describe(pid int) string { return fmt.Sprint(pid, " ", strings.Join(Cmdline(pid), " ")) }

// Children are the children of this process that are not reaped, whatever their state.
func Children() (all []int) {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // to read of all processes takes much longer
	}
	for _, pid := range PIDs() {
		if StatField(pid, 1) == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}

// Zombies are the children of this process that ended and that nobody reaped.
func Zombies() (all []int) {
	for _, pid := range Children() {
		if StatField(pid, 0) == "Z" {
			all = append(all, pid)
		}
	}
	return all
}

// Watchdogs are the watchdogs of this process: see package process.
func Watchdogs() (all []int) {
	for _, pid := range Children() {
		args := Cmdline(pid)
		if len(args) == 3 && args[0] == "sh" && args[1] == "-c" && strings.Contains(args[2], "kill -s KILL") {
			all = append(all, pid)
		}
	}
	return all
}

// OpenFDs is the number of open descriptors of this process.
func OpenFDs(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// Number reads a decimal number.
func Number(t testing.TB, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
