//go:build linux

// Package processtest helps to test code that starts processes. A Bench is a folder in which scripts report that they
// are ready and wait until the test releases them. At the end of the test the Bench checks that no process, zombie,
// descriptor or goroutine is left.
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

// Patience is how long a test waits for an expected event. It bounds a failure; no result depends on its length.
const Patience = 30 * time.Second

// Bench is the working directory of a test's processes, and the check at the test's end that no process is left.
type Bench struct {
	*testing.T
	Dir   string
	Mark  string   // NAME=VALUE for their environment, to find all their descendants
	ready *os.File // the fifo "ready", open on both sides, so no process waits for us
	lines *bufio.Reader
}

var marks atomic.Int64

// benches counts the benches in use. Parallel tests share a process, so descriptors and goroutines are compared between
// the start of the first test and the end of the last.
var benches struct {
	sync.Mutex
	inUse, looking  int // looking: tests waiting for descriptors and goroutines to go
	fds, goroutines int
}

// New returns a bench for a test. A test with parallel subtests, each on a bench of its own, takes a bench before they
// start. Otherwise the goroutine of a subtest could hide a leaked one.
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
		checkLeaks(t)
	})
	b.ready = b.fifo("ready")
	b.lines = bufio.NewReader(b.ready) // a single reader, because it may read several lines at once
	// -1: the fifo is closed before the check.
	if first {
		benches.fds, benches.goroutines = OpenFDs(t)-1, goroutines()
	}
	return b
}

// checkLeaks checks for leaks if no bench is in use. If another test takes a bench meanwhile, the last test checks. The
// caller holds the lock of benches; checkLeaks releases the lock while waiting.
func checkLeaks(t *testing.T) {
	benches.looking++
	defer func() { benches.looking-- }()
	for until := time.Now().Add(Patience); benches.inUse == 0; {
		// Smaller numbers are no leak: goroutines and descriptors of an earlier test may have gone only now.
		running, fds, zombies := goroutines(), OpenFDs(t), Zombies()
		if running <= benches.goroutines && fds <= benches.fds && len(zombies) == 0 {
			return
		}
		if time.Now().After(until) {
			require.Empty(t, zombies, "zombies are left")
			require.LessOrEqual(t, running, benches.goroutines, "goroutines are left")
			require.LessOrEqual(t, fds, benches.fds, "descriptors are left")
		}
		benches.Unlock()
		runtime.Gosched() // a server closes its side when it sees our end, and a goroutine reaps a killed process
		benches.Lock()
	}
}

// goroutines returns the number of goroutines that run no test. Tests waiting to run in parallel are goroutines too,
// and their ends would hide as many leaked goroutines.
func goroutines() int {
	stacks := make([]byte, 256<<10)
	stacks = stacks[:runtime.Stack(stacks, true)]
	all, tests := bytes.Count(stacks, []byte("\n\ngoroutine "))+1, bytes.Count(stacks, []byte("by testing.(*T).Run "))
	return all - tests
}

// fifo makes a fifo that stays open on both sides until the end of the test.
func (b *Bench) fifo(name string) *os.File {
	b.Helper()
	require.NoError(b, syscall.Mkfifo(b.Path(name), 0o600))
	f, err := os.OpenFile(b.Path(name), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	return f
}

// Path returns the path of a file in the working directory.
func (b *Bench) Path(name string) string { return filepath.Join(b.Dir, name) }

// Read returns the text of a file.
func (b *Bench) Read(name string) string {
	b.Helper()
	text, err := os.ReadFile(b.Path(name))
	require.NoError(b, err)
	return string(text)
}

// PID returns the process id in a file.
func (b *Bench) PID(file string) int {
	b.Helper()
	return Number(b, strings.TrimSpace(b.Read(file)))
}

// Ready waits for a line from a process in the fifo "ready", and returns the words, usually process ids.
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

// Gate makes a fifo at which scripts wait until the test opens it: see AtGate. The end of the test opens it, too.
func (b *Bench) Gate(name string) (open func()) {
	b.Helper()
	f := b.fifo(name)
	return func() { f.Close() }
}

// AtGate returns the beginning of a script. The script reports that it is ready, and continues when the gate opens.
func AtGate(name string) string {
	return "exec 3<" + name + "; echo $$ >ready; read x <&3; exec 3<&-; "
}

// Marked describes the running processes with b.Mark in their environment.
func (b *Bench) Marked() (left []string) {
	for _, pid := range PIDs() {
		if HasVariable(pid, b.Mark) && Alive(pid) {
			left = append(left, Describe(pid))
		}
	}
	return left
}

// Spare kills a process that must still run.
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

// Reaped waits until a process has ended and been reaped.
func (b *Bench) Reaped(pid int) {
	b.Helper()
	require.Eventually(b, func() bool { return StatField(pid, 0) == "" }, Patience, time.Millisecond, "process %d", pid)
}

// Childless checks that this process has no child, or no child of this bench if other benches are in use.
func (b *Bench) Childless() {
	b.Helper()
	benches.Lock()
	alone := benches.inUse == 1
	benches.Unlock()
	for _, pid := range Children() {
		require.False(b, alone || HasVariable(pid, b.Mark), "a child is left: %s", Describe(pid))
	}
}

// ForgetSubreaper resets this process's state as a subreaper at the end of the test.
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

// StatField returns a field of /proc/PID/stat. Field 0 is the state. "": the process does not exist.
func StatField(pid, n int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))[n]
}

// Alive reports whether a process runs. A zombie does not.
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

// Children returns the children of this process that are not reaped, running or not.
func Children() (all []int) {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // reading all processes takes much longer
	}
	for _, pid := range PIDs() {
		if StatField(pid, 1) == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}

// Zombies returns the children of this process that ended and are not reaped.
func Zombies() (all []int) {
	for _, pid := range Children() {
		if StatField(pid, 0) == "Z" {
			all = append(all, pid)
		}
	}
	return all
}

// Watchdogs returns the watchdogs of this process: see package process.
func Watchdogs() (all []int) {
	for _, pid := range Children() {
		args := Cmdline(pid)
		if len(args) == 3 && args[0] == "sh" && args[1] == "-c" && strings.Contains(args[2], "kill -s KILL") {
			all = append(all, pid)
		}
	}
	return all
}

// OpenFDs returns the number of open descriptors of this process.
func OpenFDs(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// Number parses a decimal number.
func Number(t testing.TB, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
