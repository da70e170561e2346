//go:build linux

package runner_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// patience is how long a test waits for what must happen. It bounds a failure and measures nothing.
const patience = 20 * time.Second

// bench is a workspace for hooks, a mark by which all that comes of them is found, and the proof that nothing is left.
type bench struct {
	*testing.T
	dir    string
	mark   string
	signal *os.File // the fifo "ready", open on both sides so that no hook waits for us
	lines  *bufio.Reader
}

var marks atomic.Int64

// newBench checks at the end of the test that no process, descriptor or goroutine is left.
func newBench(t *testing.T) *bench {
	b := &bench{T: t, dir: t.TempDir(), mark: fmt.Sprintf("TEST_MARK=%d.%d", os.Getpid(), marks.Add(1))}
	require.NoError(t, syscall.Mkfifo(b.path("ready"), 0o600))
	var err error
	b.signal, err = os.OpenFile(b.path("ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	b.lines = bufio.NewReader(b.signal) // one for all lines: it may read several of them at once
	t.Cleanup(func() { b.signal.Close() })
	fds, goroutines := openFDs(t), runtime.NumGoroutine()
	t.Cleanup(func() {
		require.Empty(t, b.marked(), "processes of a hook are left")
		require.Empty(t, zombies(), "zombies are left")
		for until := time.Now().Add(patience); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
			require.True(t, time.Now().Before(until), "goroutines are left")
		}
		require.Equal(t, fds, openFDs(t), "descriptors are left")
	})
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// hook is an entry of a hooks file.
type hook map[string]any

// sh is a hook of a shell script, which runs in bench.dir.
func sh(script string, more ...hook) hook {
	h := hook{"name": "h", "command": script, "events": []string{"pre-execute", "pre-tool", "post-tool"}}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

func (b *bench) config(hooks ...hook) *projecthooks.Config {
	b.Helper()
	for i, h := range hooks[min(1, len(hooks)):] {
		if h["name"] == "h" { // equal names load with a warning
			h["name"] = fmt.Sprintf("h%d", i+2)
		}
	}
	doc, err := json.Marshal(map[string]any{"hooks": hooks})
	require.NoError(b, err)
	cfg, err := projecthooks.Parse(projecthooks.FileName, doc)
	require.NoError(b, err)
	return cfg
}

func (b *bench) runner(o runner.Options, hooks ...hook) *runner.Runner {
	b.Helper()
	return b.with(o, b.config(hooks...))
}

// pre is a pre-tool call.
func (b *bench) pre() protocol.Call {
	return protocol.Call{Event: protocol.PreTool, Workspace: b.dir, Tool: "shell", Args: `{"command":"ls"}`}
}

func (b *bench) post() protocol.Call {
	c := b.pre()
	c.Event, c.Result = protocol.PostTool, "done"
	return c
}

// fire asks the hooks about a pre-tool call.
func (b *bench) fire(hooks ...hook) protocol.Outcome {
	b.Helper()
	o, err := b.runner(runner.Options{}, hooks...).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	return o
}

// ready waits for the line that a hook writes to the fifo "ready", and returns its words, mostly pids.
func (b *bench) ready() (words []string) {
	b.Helper()
	require.NoError(b, b.signal.SetReadDeadline(time.Now().Add(patience)))
	line, err := b.lines.ReadString('\n')
	require.NoError(b, err, "no hook said that it is ready")
	return strings.Fields(line)
}

// during fires, calls then with what the hook wrote to "ready" while it runs, and returns the outcome.
func (b *bench) during(ctx context.Context, r *runner.Runner, then func(words []string)) (o protocol.Outcome, err error) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		o, err = r.Fire(ctx, b.pre())
	}()
	then(b.ready())
	<-done
	return o, err
}

// marked returns the running processes that have the mark in their environment.
func (b *bench) marked() (left []string) {
	for _, pid := range pids() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(append(env, 0), []byte(b.mark+"\x00")) && alive(pid) {
			left = append(left, describe(pid))
		}
	}
	return left
}

func describe(pid int) string {
	cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(cmd, []byte{0}, []byte{' '}))
}

func pids() (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// statField returns a field of /proc/PID/stat, counted from the state, which is 0.
func statField(pid, n int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))[n]
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	state := statField(pid, 0)
	return state != "" && state != "Z" && state != "X"
}

// zombies returns our own children that nobody reaped.
func zombies() (all []int) {
	for _, pid := range pids() {
		if statField(pid, 1) == strconv.Itoa(os.Getpid()) && statField(pid, 0) == "Z" {
			all = append(all, pid)
		}
	}
	return all
}

func openFDs(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// spare ends a process at the end of the test that the hook was right to leave.
func (b *bench) spare(pid int) {
	b.Helper()
	require.True(b, alive(pid), "process %d should have been left alone", pid)
	require.NoError(b, syscall.Kill(pid, syscall.SIGKILL))
	b.gone(pid)
}

// gone waits until a process is.
func (b *bench) gone(pid int) {
	b.Helper()
	require.Eventually(b, func() bool { return !alive(pid) }, patience, time.Millisecond, "process %d", pid)
}

func number(t testing.TB, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
