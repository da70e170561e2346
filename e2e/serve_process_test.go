//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serving is a `hookrun serve` in a workspace of its own, which is gone with all of its hooks at the end of the test.
type serving struct {
	*claudeCall
	socket string
	files  int // that the server may have open; 0: as many as we
}

// newServing makes the workspace. Nothing runs yet.
func newServing(t *testing.T, hooks ...hook) *serving {
	s := &serving{claudeCall: newClaudeCall(t, "PreToolUse")}
	short, err := os.MkdirTemp("", "hr") // the address of a socket has little room
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(short) })
	s.socket = filepath.Join(short, "s")
	writeHooks(t, s.dir, hooks...)
	return s
}

// launch starts the server on these streams.
func (s *serving) launch(in, out *os.File, flags ...string) {
	s.Helper()
	s.cmd = exec.Command(hookrun, append([]string{"serve", "-C", s.dir}, flags...)...)
	if s.files > 0 {
		s.cmd = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, s.files), "sh"}, s.cmd.Args...)...)
	}
	s.cmd.Env = append(os.Environ(), s.mark)
	s.cmd.Stderr = &s.err
	if in != nil {
		s.cmd.Stdin, s.cmd.Stdout = in, out
	}
	require.NoError(s, s.cmd.Start())
}

// listen starts the server on its socket, and returns when it can be called.
func (s *serving) listen(flags ...string) {
	s.Helper()
	s.launch(nil, nil, append(flags, "--socket", s.socket)...)
	s.wait()
}

// wait waits until somebody listens on the socket.
func (s *serving) wait() {
	s.Helper()
	require.Eventually(s, func() bool {
		c, err := net.Dial("unix", s.socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, patience, time.Millisecond, "nobody listens")
}

// dial makes a connection.
func (s *serving) dial() *rpcClient {
	s.Helper()
	conn, err := net.Dial("unix", s.socket)
	require.NoError(s, err)
	return newRPCClient(s.T, conn, conn)
}

// stdio starts the server on stdin and stdout.
func (s *serving) stdio(flags ...string) *rpcClient {
	s.Helper()
	in, input, err := os.Pipe()
	require.NoError(s, err)
	output, out, err := os.Pipe()
	require.NoError(s, err)
	s.launch(in, out, flags...)
	in.Close()
	out.Close()
	return newRPCClient(s.T, output, input)
}

// rpcReply is the answer to a request.
type rpcReply struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// outcome is the result of a call that had a verdict.
func (r rpcReply) outcome(t testing.TB) (o claudeOutcome) {
	t.Helper()
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &o))
	return o
}

// rpcClient is one connection. It may be used by several goroutines.
type rpcClient struct {
	testing.TB
	writing sync.Mutex
	w       io.WriteCloser

	mu    sync.Mutex
	next  int
	came  map[string]chan rpcReply
	count map[string]int
	ended chan struct{}
}

func newRPCClient(t *testing.T, r io.ReadCloser, w io.WriteCloser) *rpcClient {
	c := &rpcClient{TB: t, w: w, came: map[string]chan rpcReply{}, count: map[string]int{}, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var a rpcReply
			if json.Unmarshal(line, &a) != nil {
				a.ID = json.RawMessage("unreadable")
			}
			c.mu.Lock()
			c.count[string(a.ID)]++
			c.mu.Unlock()
			select {
			case c.answers(string(a.ID)) <- a:
			default: // nobody reads so many answers to one request: the count tells
			}
		}
	}()
	t.Cleanup(func() {
		w.Close()
		r.Close()
	})
	return c
}

func (c *rpcClient) answers(id string) chan rpcReply {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.came[id] == nil {
		c.came[id] = make(chan rpcReply, 4)
	}
	return c.came[id]
}

func (c *rpcClient) line(text string) {
	c.Helper()
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := io.WriteString(c.w, text+"\n")
	require.NoError(c, err)
}

// send sends a request and returns its id.
func (c *rpcClient) send(method string, params hook) string {
	c.Helper()
	c.mu.Lock()
	c.next++
	id := strconv.Itoa(c.next)
	c.mu.Unlock()
	text, err := json.Marshal(hook{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	require.NoError(c, err)
	c.line(string(text))
	return id
}

// answer waits for the answer to a request.
func (c *rpcClient) answer(id string) rpcReply {
	c.Helper()
	select {
	case a := <-c.answers(id):
		return a
	case <-time.After(patience):
		require.Fail(c, "no answer", "to the request %s", id)
	}
	return rpcReply{}
}

func (c *rpcClient) call(method string, params hook) rpcReply {
	c.Helper()
	return c.answer(c.send(method, params))
}

// tool asks the hooks before a tool.
func (c *rpcClient) tool(name string, more ...hook) claudeOutcome {
	c.Helper()
	return c.call("pre-tool", toolParams(name, more...)).outcome(c)
}

func toolParams(name string, more ...hook) hook {
	params := hook{"tool": name}
	for _, m := range more {
		for k, v := range m {
			params[k] = v
		}
	}
	return params
}

func (c *rpcClient) cancel(id string) {
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":%s}}`, id))
}

// once requires that every request so far has one answer and no more.
func (c *rpcClient) once() {
	c.Helper()
	require.Nil(c, c.call("ping", nil).Error)
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Len(c, c.count, c.next)
	for id, n := range c.count {
		require.Equal(c, 1, n, id)
	}
}

// family is a hook with a child of its own; both say so.
const family = `trap '' TERM; sh -c 'echo child $$ >ready; while :; do sleep 1; done' & echo hook $$ >ready; wait`

func before(name, matcher string, command any, more ...hook) hook {
	h := hook{"name": name, "command": command, "events": []string{"pre-tool"}, "matcher": matcher}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

func stayingShell(matcher, script string, more ...hook) hook {
	return before("staying", matcher, []string{"sh", "-c", script}, append(more, hook{"persistent": true})...)
}

func TestKilledServerTakesItsHooksAlong(t *testing.T) {
	start := `sh -c 'trap "" TERM; echo child $$ >ready; while :; do sleep 1; done' & `
	for name, test := range map[string]struct {
		hook  hook
		args  []string
		calls string
	}{
		"a hook":                         {before("h", "*", []string{"sh", "-c", family}), nil, "pre-tool"},
		"a hook of a shell":              {before("h", "*", family), nil, "pre-tool"},
		"a persistent hook with a call":  {stayingShell("*", start+`echo hook $$ >ready; while read -r line; do sleep 1000; done`), nil, "pre-tool"},
		"a persistent hook that is idle": {stayingShell("*", start+`while read -r line; do echo hook $$ >ready; echo '{}'; done`), nil, "pre-tool"},
		"an async hook":                  {nil, []string{"-c", "settings.json"}, "fire"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServing(t)
			if test.hook != nil {
				writeHooks(t, s.dir, test.hook)
			} else {
				settings := hook{"hooks": hook{"PreToolUse": []any{hook{"hooks": []hook{handler(family, hook{"async": true})}}}}}
				require.NoError(t, os.WriteFile(s.path("settings.json"), []byte(toJSON(t, settings)), 0o600))
				test.args = []string{"-c", s.path("settings.json")}
			}
			s.listen(test.args...)
			c := s.dial()
			params := toolParams("shell")
			if test.calls == "fire" {
				params = hook{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": hook{"command": "ls"}}
			}
			id := c.send(test.calls, params)
			pids := s.pids(2)
			if strings.Contains(name, "idle") || test.calls == "fire" {
				require.Nil(t, c.answer(id).Error)
			}
			require.Eventually(t, func() bool { return len(children(s.cmd.Process.Pid)) == 2 }, patience, time.Millisecond, "the hook and its guard")
			started := children(s.cmd.Process.Pid)
			looks := 0 // a guard is told of the hook as soon as it is a shell that waits
			require.Eventually(t, func() bool {
				for _, pid := range started {
					line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
					if bytes.Contains(line, []byte("groups=")) {
						looks++
					}
				}
				return looks == 50
			}, patience, time.Millisecond)
			require.NoError(t, s.cmd.Process.Kill())
			s.ends(-1)
			for _, pid := range pids {
				s.gone(pid)
			}
			for _, pid := range started {
				s.gone(pid)
			}
			require.Eventually(t, func() bool { return len(s.marked()) == 0 }, patience, time.Millisecond)
		})
	}
}

func TestClientThatIsGoneTakesItsCallsAlong(t *testing.T) {
	for name, h := range map[string]hook{
		"a hook":            before("h", "stay", family),
		"a persistent hook": stayingShell("stay", `while read -r line; do `+family+`; done`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newServing(t, h, before("other", "wait", waits("other")+"echo no >&2; exit 1"))
			open := s.gate()
			s.listen()
			leaver, stayer := s.dial(), s.dial()
			id := stayer.send("pre-tool", toolParams("wait"))
			other := s.pids(1)["other"]
			leaver.send("pre-tool", toolParams("stay"))
			pids := s.pids(2)
			require.NoError(t, leaver.w.Close())
			s.gone(pids["hook"])
			s.gone(pids["child"])
			require.True(t, alive(other))
			open()
			require.Equal(t, "no", stayer.answer(id).outcome(t).Reason)
			stayer.once()
		})
		t.Run(name+", at the end of stdin", func(t *testing.T) {
			s := newServing(t, h)
			c := s.stdio()
			c.send("pre-tool", toolParams("stay"))
			pids := s.pids(2)
			require.NoError(t, c.w.Close())
			s.ends(0)
			require.False(t, alive(pids["hook"]))
			require.False(t, alive(pids["child"]))
			require.Empty(t, s.marked())
		})
	}
}

func TestCancelKillsTheHooksOfThatCall(t *testing.T) {
	s := newServing(t, before("h", "stay", family), before("other", "wait", waits("other")+"echo no >&2; exit 1"))
	open := s.gate()
	s.listen()
	c := s.dial()
	other := c.send("pre-tool", toolParams("wait"))
	otherPID := s.pids(1)["other"]
	id := c.send("pre-tool", toolParams("stay"))
	pids := s.pids(2)
	c.cancel("1000") // nobody's
	c.cancel(id)
	c.cancel(id)
	a := c.answer(id)
	require.NotNil(t, a.Error)
	require.Equal(t, -32800, a.Error.Code)
	require.False(t, alive(pids["hook"]))
	require.False(t, alive(pids["child"]))
	require.True(t, alive(otherPID))
	c.cancel(id)
	open()
	require.Equal(t, "no", c.answer(other).outcome(t).Reason)
	c.once()
}

func TestCancelOfCallsOfAPersistentHook(t *testing.T) {
	s := newServing(t, stayingShell("*", `echo start $$ >ready; while read -r line; do case $line in *hang*) echo hang $$ >ready; sleep 1000 ;; esac; echo '{"exit_code":1,"stderr":"no"}'; done`))
	s.listen()
	c := s.dial()
	first := c.send("pre-tool", toolParams("hang"))
	require.Len(t, s.pids(2), 2)
	waiting := c.send("pre-tool", toolParams("hang")) // the only process has a call
	next := c.send("pre-tool", toolParams("shell"))
	require.Nil(t, c.call("ping", nil).Error)
	c.cancel(waiting)
	require.Equal(t, -32800, c.answer(waiting).Error.Code)
	c.cancel(first)
	require.Equal(t, -32800, c.answer(first).Error.Code)
	require.Equal(t, "no", c.answer(next).outcome(t).Reason)
	s.pids(1)
	c.once()
}

func TestShutdownAndSIGTERM(t *testing.T) {
	idle := stayingShell("idle", `while read -r line; do echo idle $$ >ready; echo '{}'; done`)
	for _, streams := range []string{"socket", "stdio"} {
		for _, way := range []string{"shutdown", "SIGTERM", "SIGINT"} {
			t.Run(way+" "+streams, func(t *testing.T) {
				s := newServing(t, before("h", "stay", family), idle)
				var c, last *rpcClient
				if streams == "socket" {
					s.listen()
					c, last = s.dial(), s.dial()
				} else {
					c = s.stdio()
					last = c
				}
				require.Equal(t, "continue", c.tool("idle").Decision)
				pids := s.pids(1)
				id := c.send("pre-tool", toolParams("stay"))
				for name, pid := range s.pids(2) {
					pids["stay "+name] = pid
				}
				code := 0
				switch way {
				case "shutdown":
					require.Equal(t, "null", string(last.call("shutdown", nil).Result))
				case "SIGTERM":
					code = 1
					require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
				case "SIGINT":
					code = 1
					require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
				}
				a := c.answer(id)
				require.NotNil(t, a.Error)
				require.Equal(t, -32001, a.Error.Code)
				s.ends(code)
				for name, pid := range pids {
					require.False(t, alive(pid), name)
				}
				require.Empty(t, s.marked())
				require.NoFileExists(t, s.socket)
				<-c.ended
				require.Equal(t, 1, c.count[id])
				if way == "shutdown" {
					require.Empty(t, s.err.String())
				} else {
					require.Contains(t, s.err.String(), "interrupted by "+way)
				}
			})
		}
	}
}

// A gate that another user could ask would tell what it keeps from whom, and run programs for them.
func TestSocketIsForItsOwnerOnly(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	s := newServing(t, before("h", "*", "echo >ran"))
	require.NoError(t, os.Chmod(filepath.Dir(s.socket), 0o755))
	s.listen()
	info, err := os.Stat(s.socket)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	// connect connects as another user, whom the system knows by the thread.
	connect := func() (fd int, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlock: the thread ends with us
			if fd, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
				return
			}
			const nobody, same = 65534, ^uintptr(0)
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, nobody, same); errno != 0 {
				err = errno
				return
			}
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: s.socket})
		}()
		<-done
		return fd, err
	}
	ask := func() (string, error) {
		fd, err := connect()
		if err != nil {
			syscall.Close(fd)
			return "", err
		}
		conn := os.NewFile(uintptr(fd), "socket")
		defer conn.Close()
		_, _ = conn.WriteString(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"shell"}}`+"\n", 3))
		out, err := io.ReadAll(conn)
		if errors.Is(err, syscall.ECONNRESET) { // what was written was not read
			err = nil
		}
		return string(out), err
	}
	_, err = ask()
	require.ErrorIs(t, err, syscall.EACCES, "the mode of the socket keeps others out")
	require.NoError(t, os.Chmod(s.socket, 0o666))
	out, err := ask()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	var a rpcReply
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, "null", string(a.ID))
	require.Equal(t, -32001, a.Error.Code)
	require.Contains(t, a.Error.Message, "another user")
	require.False(t, exists(s.dir, "ran"))
	require.Equal(t, "continue", s.dial().tool("shell").Decision)
	require.True(t, exists(s.dir, "ran"))
}

// A server that ends because too many clients came would take everybody's gates along.
func TestMoreConnectionsThanDescriptors(t *testing.T) {
	s := newServing(t)
	s.files = 24
	s.listen()
	var conns []net.Conn
	for range 2 * s.files {
		conn, err := net.Dial("unix", s.socket)
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	last := fmt.Sprintf("/proc/%d/fd/%d", s.cmd.Process.Pid, s.files-1)
	require.Eventually(t, func() bool {
		_, err := os.Lstat(last)
		return err == nil
	}, patience, time.Millisecond, "the server has descriptors left")
	waits := newRPCClient(t, conns[len(conns)-1], conns[len(conns)-1])
	id := waits.send("ping", nil)
	for _, conn := range conns[:len(conns)-1] {
		conn.Close()
	}
	require.Nil(t, waits.answer(id).Error, "the one that waited is served")
	require.Nil(t, s.dial().call("ping", nil).Error)
}

func TestPlaceOfTheSocket(t *testing.T) {
	refused := func(s *serving, what string) {
		t.Helper()
		s.launch(nil, nil, "--socket", s.socket)
		s.ends(1)
		require.Contains(t, s.err.String(), what)
		require.Contains(t, s.err.String(), s.socket)
		require.Equal(t, 1, strings.Count(s.err.String(), "\n"), s.err.String())
	}
	t.Run("a stale socket is replaced", func(t *testing.T) {
		s := newServing(t)
		s.listen()
		require.NoError(t, s.cmd.Process.Kill())
		s.ends(-1)
		require.FileExists(t, s.socket)
		s.listen()
		require.Nil(t, s.dial().call("ping", nil).Error)
	})
	t.Run("a link of another user is not followed", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can make links of other users")
		}
		s := newServing(t)
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Dir(s.socket), link))
		require.NoError(t, os.Lchown(link, 65534, 65534))
		s.socket = filepath.Join(link, "s")
		refused(s, "is a link of another user")
	})
	t.Run("a live one is not", func(t *testing.T) {
		s := newServing(t)
		s.listen()
		other := newServing(t)
		other.socket = s.socket
		refused(other, "another server listens on it")
		require.Nil(t, s.dial().call("ping", nil).Error)
	})
	t.Run("of many at once one wins", func(t *testing.T) {
		s := newServing(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(s.socket), 0o700))
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.socket, Net: "unix"})
		require.NoError(t, err)
		stale.SetUnlinkOnClose(false)
		require.NoError(t, stale.Close())
		ended := make(chan int, 8)
		for range cap(ended) {
			one := newServing(t)
			one.launch(nil, nil, "--socket", s.socket)
			go func() {
				_ = one.cmd.Wait()
				ended <- one.cmd.ProcessState.ExitCode()
			}()
		}
		for range cap(ended) - 1 {
			require.Equal(t, 1, <-ended)
		}
		require.Equal(t, "null", string(s.dial().call("shutdown", nil).Result))
		require.Equal(t, 0, <-ended)
	})
	t.Run("a file is left alone", func(t *testing.T) {
		s := newServing(t)
		require.NoError(t, os.WriteFile(s.socket, []byte("mine"), 0o600))
		refused(s, "no socket")
		text, err := os.ReadFile(s.socket)
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
	})
	t.Run("a link is left alone", func(t *testing.T) {
		s := newServing(t)
		require.NoError(t, os.Symlink("nowhere", s.socket))
		refused(s, "no socket")
		require.True(t, exists(filepath.Dir(s.socket), "s"))
		require.False(t, exists(filepath.Dir(s.socket), "nowhere"))
	})
	t.Run("a folder for others is refused", func(t *testing.T) {
		for _, mode := range []os.FileMode{0o777, 0o770, 0o707, os.ModeSticky | 0o777} {
			s := newServing(t)
			require.NoError(t, os.Chmod(filepath.Dir(s.socket), mode))
			refused(s, "can be written to by others")
			require.NoFileExists(t, s.socket)
		}
	})
	t.Run("a folder is made", func(t *testing.T) {
		s := newServing(t)
		s.socket = filepath.Join(filepath.Dir(s.socket), "new", "s")
		s.listen()
		info, err := os.Stat(filepath.Dir(s.socket))
		require.NoError(t, err)
		require.EqualValues(t, 0o700, info.Mode().Perm())
	})
	t.Run("odd names", func(t *testing.T) {
		for _, name := range []string{"a b", "ä\n\"", "-s", "@s", "s%20", "*"} {
			s := newServing(t)
			s.socket = filepath.Join(filepath.Dir(s.socket), name)
			s.listen()
			require.Equal(t, "null", string(s.dial().call("shutdown", nil).Result), name)
			s.ends(0)
			require.NoFileExists(t, s.socket)
		}
	})
	t.Run("one that is too long", func(t *testing.T) {
		s := newServing(t)
		s.socket = filepath.Join(filepath.Dir(s.socket), strings.Repeat("x", 200))
		refused(s, "longer than")
	})
}

// Persistent hooks.

// python3 is the interpreter itself: what stands in PATH may be a script that looks for it.
var python3 = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

func interpreter(t *testing.T) string {
	if python3() == "" {
		t.Skip("python3 is not installed")
	}
	return python3()
}

// pythonHook is a persistent hook that handles each call by these lines of Python: call is what came, tool the tool's name.
func (s *serving) pythonHook(lines string, more ...hook) hook {
	s.Helper()
	python := interpreter(s.T)
	program := `import json, os, signal, subprocess, sys, threading, time
def say(*words):
    with open("ready", "w") as f: f.write(" ".join(map(str, words)) + "\n")
def answer(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
def child():
    p = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    say("child", p.pid)
for line in sys.stdin:
    call = json.loads(line)
    tool = call["tool_name"]
    if tool == "pid":
        answer({"stdout": str(os.getpid())})
        continue
    if tool == "no":
        answer({"exit_code": 1, "stderr": "no"})
        continue
` + "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ") + "\n"
	file := s.path("hook.py")
	require.NoError(s, os.WriteFile(file, []byte(program), 0o600))
	return before("staying", "*", []string{python, file}, append([]hook{{"persistent": true}}, more...)...)
}

// python starts a server with that hook alone.
func (s *serving) python(lines string, more ...hook) *rpcClient {
	s.Helper()
	writeHooks(s.T, s.dir, s.pythonHook(lines, more...))
	s.listen()
	return s.dial()
}

// hookPID asks the hook for its number.
func (c *rpcClient) hookPID() int {
	c.Helper()
	o := c.tool("pid")
	require.Equal(c, "continue", o.Decision, o.Reason)
	require.Len(c, o.Inject, 1)
	pid, err := strconv.Atoi(o.Inject[0].Content)
	require.NoError(c, err)
	return pid
}

func (s *serving) reaped(pid int) {
	s.Helper()
	require.Eventually(s, func() bool { return !exists("/proc", strconv.Itoa(pid)) }, patience, time.Millisecond, "process %d", pid)
}

func TestPersistentHookStays(t *testing.T) {
	s := newServing(t)
	c := s.python("answer({})")
	pid := c.hookPID()
	for range 50 {
		require.Equal(t, pid, c.hookPID())
		require.Equal(t, "no", c.tool("no").Reason)
	}
	require.Equal(t, pid, s.dial().hookPID())
	c.once()
}

func TestDeadlineOfAPersistentHook(t *testing.T) {
	s := newServing(t)
	c := s.python("child()\nsay('hook', os.getpid())\ntime.sleep(1000)")
	pid := c.hookPID()
	id := c.send("pre-tool", toolParams("hang", hook{"timeout": 1}))
	pids := s.pids(2)
	o := c.answer(id).outcome(t)
	require.Equal(t, []string{"timeout"}, o.statuses())
	require.Equal(t, "continue", o.Decision)
	require.Equal(t, pid, pids["hook"])
	require.False(t, alive(pids["hook"]))
	require.False(t, alive(pids["child"]))
	require.NotEqual(t, pid, c.hookPID())
	o = c.tool("hang", hook{"timeout": 0.3, "on_failure": "block"})
	require.Equal(t, "block", o.Decision)
	require.Equal(t, "timeout", o.Cause)
}

func TestPersistentHookDiesInTheMiddleOfACall(t *testing.T) {
	for how, want := range map[string]struct{ lines, cause string }{
		"killed":                 {"os.kill(os.getpid(), 9)", "signal"},
		"exit 3":                 {"os._exit(3)", "exit"},
		"exit 0":                 {"os._exit(0)", "output"},
		"half an answer":         {"os.write(1, b'{\"exit_code\"')\nos._exit(0)", "output"},
		"stdout closed":          {"os.close(1)\ntime.sleep(0.2)\nos._exit(3)", "exit"},
		"an answer, then killed": {`os.write(1, b'{"exit_code":1,"stderr":"no"}\n')` + "\nos.kill(os.getpid(), 9)", "policy"},
	} {
		t.Run(how, func(t *testing.T) {
			s := newServing(t)
			c := s.python(want.lines)
			for range 3 {
				pid := c.hookPID()
				o := c.tool("die")
				require.Equal(t, "block", o.Decision)
				if how == "exit 3" || how == "stdout closed" {
					require.NotEmpty(t, o.Reason)
				} else {
					require.Equal(t, want.cause, o.Cause, o.Reason)
				}
				s.reaped(pid)
				require.NotEqual(t, pid, c.hookPID())
			}
			c.once()
		})
	}
}

func TestPersistentHookDiesWhileItIsIdle(t *testing.T) {
	s := newServing(t)
	c := s.python("answer({})", hook{"workers": 2})
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		pid := c.hookPID()
		require.NoError(t, syscall.Kill(pid, sig))
		s.reaped(pid)
		require.NotEqual(t, pid, c.hookPID())
		require.Equal(t, "no", c.tool("no").Reason)
	}
	c.once()
}

func TestPersistentHookPrintsTwoLines(t *testing.T) {
	s := newServing(t)
	c := s.python(`sys.stdout.write("{}\n{}\n")` + "\nsys.stdout.flush()")
	pid := c.hookPID()
	o := c.tool("two")
	require.Equal(t, "block", o.Decision)
	require.Equal(t, "output", o.Cause)
	require.Contains(t, o.Reason, "more than one line")
	require.False(t, alive(pid))
	require.NotEqual(t, pid, c.hookPID())
}

// What a process said before the next call was made is not the answer to that call, however soon that comes.
func TestPersistentHookSpeaksUnasked(t *testing.T) {
	for name, lines := range map[string]string{
		"right behind an answer": `answer({})
os.write(1, b"{}\n")
say(tool, os.getpid())`,
		"from another thread": `go = threading.Event()
def other():
    go.wait()
    time.sleep(0.02)
    os.write(1, b"{}\n")
    say(tool, os.getpid())
threading.Thread(target=other).start()
answer({})
go.set()`,
		"half a line": `answer({})
time.sleep(0.02)
os.write(1, b'{"stdout":')
say(tool, os.getpid())`,
		"an empty line": `answer({})
time.sleep(0.02)
os.write(1, b"\n")
say(tool, os.getpid())`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServing(t)
			c := s.python(lines)
			asked := 0
			for i := range 8 {
				tool := fmt.Sprint("speak", i)
				var o claudeOutcome
				require.Eventually(t, func() bool { // after two such answers in a row a start waits
					o = c.tool(tool)
					return o.Cause != "unstarted"
				}, patience, 10*time.Millisecond)
				if o.Decision == "block" {
					continue // both came at once, which was seen
				}
				asked++
				words := s.says()
				for words[0] != tool { // what was ended may have said so as well
					words = s.says()
				}
				o = c.tool("no")
				require.Equal(t, "block", o.Decision, "call %d was answered by what was said before", i)
				if name != "half a line" {
					require.Equal(t, "no", o.Reason, i)
				}
				pid, err := strconv.Atoi(words[1])
				require.NoError(t, err)
				s.reaped(pid)
			}
			if name != "right behind an answer" { // which may always be seen
				require.NotZero(t, asked)
			}
			c.once()
		})
	}
}

func TestPersistentHookAnswersTooMuch(t *testing.T) {
	for name, lines := range map[string]string{
		"a line":         `answer({"stdout": "x" * (2 << 20)})`,
		"a little":       `answer({"stdout": "x" * ((1 << 20) + 100)})`,
		"without an end": `os.write(1, b"x" * (3 << 20))` + "\ntime.sleep(1000)",
		"for ever":       `while True: os.write(1, b"x" * 65536)`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServing(t)
			c := s.python(lines)
			pid := c.hookPID()
			o := c.tool("much", hook{"timeout": 10})
			require.Equal(t, "block", o.Decision)
			require.Equal(t, "output", o.Cause, o.Reason)
			s.reaped(pid)
			require.NotEqual(t, pid, c.hookPID())
		})
	}
	t.Run("just not", func(t *testing.T) {
		s := newServing(t)
		c := s.python(`answer({"exit_code": 1, "stderr": "y" * 1000, "": "x" * 1000000})`)
		require.Equal(t, strings.Repeat("y", 1000), c.tool("much").Reason)
	})
}

func TestPersistentHookGetsMuch(t *testing.T) {
	const size = 10 << 20
	s := newServing(t)
	c := s.python(`answer({"exit_code": 1, "stderr": str(len(call["tool_input"]["text"]))})`)
	pid := c.hookPID()
	for range 3 {
		require.Equal(t, strconv.Itoa(size), c.tool("much", hook{"args": hook{"text": strings.Repeat("x", size)}}).Reason)
	}
	require.Equal(t, pid, c.hookPID())
}

func TestPersistentHookWritesMuchToStderr(t *testing.T) {
	s := newServing(t)
	c := s.python(`for _ in range(160): os.write(2, b"x" * 65536)` + "\n" + `answer({"exit_code": 1, "stderr": "no more"})`)
	pid := c.hookPID()
	for range 3 {
		require.Equal(t, "no more", c.tool("much").Reason)
	}
	require.Equal(t, pid, c.hookPID())
}

// What a process writes to stderr before it answers is that call's, not the next one's.
func TestStderrOfAPersistentHookIsThatOfItsCall(t *testing.T) {
	s := newServing(t)
	c := s.python(`os.write(2, tool.encode())` + "\n" + `answer({"exit_code": 1})`)
	for i := range 2000 {
		require.Equal(t, fmt.Sprintf("call %d", i), c.tool(fmt.Sprintf("call %d", i)).Reason)
	}
}

// A process that does not read what it is asked must not hold up more than its deadline.
func TestPersistentHookThatDoesNotRead(t *testing.T) {
	s := newServing(t)
	hooks := before("staying", "*", []string{"sh", "-c", `echo hook $$ >ready; exec sleep 1000`}, hook{"persistent": true})
	writeHooks(t, s.dir, hooks)
	s.listen()
	c := s.dial()
	for _, size := range []int{10, 1000, 30_000, 60_000, 200_000} {
		o := c.tool("shell", hook{"timeout": 0.2, "on_failure": "block", "args": hook{"text": strings.Repeat("x", size)}})
		require.Equal(t, "timeout", o.Cause)
	}
}

// A process that answers without reading leaves the questions in its pipe, until there is no more room for one. The deadline
// holds all the same, and so does the end of the server.
func TestPersistentHookThatAnswersWithoutReading(t *testing.T) {
	s := newServing(t, stayingShell("*", `while read -r go <gate; do echo '{}'; done`))
	require.NoError(t, syscall.Mkfifo(s.path("gate"), 0o600))
	gate, err := os.OpenFile(s.path("gate"), os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { gate.Close() })
	s.listen()
	c := s.dial()
	params := toolParams("shell", hook{"timeout": 1, "args": hook{"text": strings.Repeat("x", 14_000)}})
	for range 6 {
		id := c.send("pre-tool", params)
		_, err = gate.WriteString("\n")
		require.NoError(t, err)
		require.Nil(t, c.answer(id).Error)
	}
	c.once()
	require.Equal(t, "null", string(c.call("shutdown", nil).Result))
	s.ends(0)
}

func TestWorkersOfAPersistentHook(t *testing.T) {
	t.Run("four at once", func(t *testing.T) {
		s := newServing(t)
		open := s.gate()
		c := s.python(`if tool != "late":
    gate = open("gate")
    say(tool, os.getpid())
    gate.read()
answer({"exit_code": 1, "stderr": "%s %d" % (tool, os.getpid())})`, hook{"workers": 4})
		ids := map[string]string{}
		for i := range 4 {
			name := fmt.Sprintf("wait%d", i)
			ids[name] = c.send("pre-tool", toolParams(name))
		}
		pids := s.pids(4)
		late := c.send("pre-tool", toolParams("late"))
		require.Len(t, s.marked(), 1+4)
		different := map[int]bool{}
		for _, pid := range pids {
			different[pid] = true
		}
		require.Len(t, different, 4)
		open()
		for name, id := range ids {
			require.Equal(t, fmt.Sprint(name, " ", pids[name]), c.answer(id).outcome(t).Reason)
		}
		words := strings.Fields(c.answer(late).outcome(t).Reason)
		require.Equal(t, "late", words[0])
		pid, err := strconv.Atoi(words[1])
		require.NoError(t, err)
		require.True(t, different[pid], "a fifth process")
		c.once()
	})
	t.Run("one at a time", func(t *testing.T) {
		s := newServing(t)
		c := s.python(`with open("log", "a") as f: f.write("begin\n")
time.sleep(0.01)
with open("log", "a") as f: f.write("end\n")
answer({"exit_code": 1, "stderr": tool})`)
		var ids []string
		for i := range 20 {
			ids = append(ids, c.send("pre-tool", toolParams(fmt.Sprint("call", i))))
		}
		for i, id := range ids {
			require.Equal(t, fmt.Sprint("call", i), c.answer(id).outcome(t).Reason)
		}
		log, err := os.ReadFile(s.path("log"))
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("begin\nend\n", len(ids)), string(log))
		c.once()
	})
}

func TestReloadReplacesPersistentHooks(t *testing.T) {
	s := newServing(t)
	open := s.gate()
	c := s.python(`gate = open("gate")
say("old", os.getpid())
gate.read()
answer({"exit_code": 1, "stderr": "old"})`, hook{"workers": 2})
	idle := c.hookPID()
	first := c.send("pre-tool", toolParams("wait"))
	second := c.send("pre-tool", toolParams("wait"))
	one, two := s.pids(1)["old"], s.pids(1)["old"]
	require.Contains(t, []int{one, two}, idle)
	writeHooks(t, s.dir, stayingShell("*", `while read -r line; do echo new $$ >ready; echo '{"exit_code":1,"stderr":"new"}'; done`))
	require.Nil(t, c.call("reload", nil).Error)
	require.Equal(t, "new", c.tool("shell").Reason)
	s.pids(1)
	require.True(t, alive(one))
	require.True(t, alive(two))
	open()
	require.Equal(t, "old", c.answer(first).outcome(t).Reason)
	require.Equal(t, "old", c.answer(second).outcome(t).Reason)
	s.reaped(one)
	s.reaped(two)
	require.Equal(t, "new", c.tool("shell").Reason)
	s.pids(1)

	require.NoError(t, os.WriteFile(s.path(".tenex-hooks.json"), []byte("{"), 0o600))
	a := c.call("reload", nil)
	require.Equal(t, -32002, a.Error.Code)
	o := c.tool("shell")
	require.Equal(t, "new", o.Reason)
	require.Contains(t, strings.Join(o.Warnings, "\n"), "was changed")
	c.once()
}

// Programs that a persistent hook started are part of it, however it ends.
func TestChildrenOfAPersistentHookEndWithIt(t *testing.T) {
	for _, way := range []string{"shutdown", "the end of stdin", "reload", "exit in a call", "killed in a call", "killed while idle", "SIGTERM"} {
		t.Run(way, func(t *testing.T) {
			s := newServing(t)
			writeHooks(t, s.dir, s.pythonHook(`if tool == "start":
    child()
    answer({})
elif tool == "exit":
    os._exit(3)
elif tool == "kill":
    os.kill(os.getpid(), 9)`))
			c := s.stdio()
			pid := c.hookPID()
			require.Equal(t, "continue", c.tool("start").Decision)
			child := s.pids(1)["child"]
			code := 0
			switch way {
			case "shutdown":
				require.Equal(t, "null", string(c.call("shutdown", nil).Result))
			case "the end of stdin":
				require.NoError(t, c.w.Close())
			case "SIGTERM":
				code = 1
				require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
			case "reload":
				writeHooks(t, s.dir)
				require.Nil(t, c.call("reload", nil).Error)
			case "exit in a call":
				require.Equal(t, "block", c.tool("exit").Decision)
			case "killed in a call":
				require.Equal(t, "block", c.tool("kill").Decision)
			case "killed while idle":
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			}
			s.gone(pid)
			if way == "shutdown" || way == "the end of stdin" || way == "SIGTERM" {
				s.ends(code)
				require.False(t, alive(child), "the child of the hook lives on")
				return
			}
			require.Eventually(t, func() bool { return !alive(child) }, 3*time.Second, time.Millisecond, "the child of the hook lives on")
		})
	}
}

// Odd clients.

func TestManyPipelinedCalls(t *testing.T) {
	const n = 1000
	s := newServing(t, before("h", "block", `echo no >&2; exit 1`))
	s.listen()
	c := s.dial()
	var text bytes.Buffer
	for i := range n {
		tool := []string{"block", "none"}[i%2]
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"%s"}}`+"\n", i+1, tool)
	}
	c.next = n
	c.line(strings.TrimSuffix(text.String(), "\n"))
	for i := range n {
		o := c.answer(strconv.Itoa(i + 1)).outcome(t)
		require.Equal(t, []string{"block", "continue"}[i%2], o.Decision)
	}
	c.once()
}

// A client that has as many calls in flight as it may can still give them up.
func TestCancelWithAllCallsInFlight(t *testing.T) {
	const n = 256
	for _, way := range []string{"cancel", "leave"} {
		t.Run(way, func(t *testing.T) {
			s := newServing(t, before("h", "*", `echo h $$ >ready; exec sleep 1000`))
			s.listen()
			c := s.dial()
			var ids []string
			for range n + 10 {
				ids = append(ids, c.send("pre-tool", toolParams("shell")))
			}
			var pids []int
			for range n {
				pids = append(pids, s.pids(1)["h"])
			}
			switch way {
			case "cancel":
				c.cancel(ids[0])
				require.Equal(t, -32800, c.answer(ids[0]).Error.Code)
			case "leave":
				require.NoError(t, c.w.Close())
				for _, pid := range pids {
					s.gone(pid)
				}
			}
		})
	}
}

func TestClientThatNeverReads(t *testing.T) {
	s := newServing(t, before("h", "flood", `head -c 100000 /dev/zero | tr '\0' x`), before("s", "stay", family))
	s.listen()
	conn, err := net.Dial("unix", s.socket)
	require.NoError(t, err)
	_, err = io.WriteString(conn, `{"jsonrpc":"2.0","id":"stay","method":"pre-tool","params":{"tool":"stay"}}`+"\n")
	require.NoError(t, err)
	pids := s.pids(2)
	require.NoError(t, conn.SetWriteDeadline(time.Now().Add(2*time.Second)))
	for i := range 2000 {
		if _, err := fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"flood"}}`+"\n", i); err != nil {
			break // it is not read any more
		}
	}
	require.Nil(t, s.dial().call("ping", nil).Error)
	require.NoError(t, conn.Close())
	for _, pid := range pids {
		s.gone(pid)
	}
	c := s.dial()
	require.Equal(t, "null", string(c.call("shutdown", nil).Result))
	s.ends(0)
}
