//go:build linux

package rpc

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Server is a `hookrun serve` in a workspace of its own, which is gone with all of its hooks at the end of the test.
type Server struct {
	*binary.Call
	Socket string
	Files  int // that the server may have open; 0: as many as we
}

// NewServer makes the workspace. Nothing runs yet.
func NewServer(t *testing.T, hooks ...binary.Hook) *Server {
	s := &Server{Call: binary.NewCall(t, "PreToolUse")}
	short, err := os.MkdirTemp("", "hr") // the address of a socket has little room
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(short) })
	s.Socket = filepath.Join(short, "s")
	binary.WriteHooks(t, s.Dir, hooks...)
	return s
}

// Launch starts the server on these streams.
func (s *Server) Launch(in, out *os.File, flags ...string) {
	s.Helper()
	s.Cmd = exec.Command(binary.Path, append([]string{"serve", "-C", s.Dir}, flags...)...)
	if s.Files > 0 {
		s.Cmd = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, s.Files), "sh"},
			s.Cmd.Args...)...)
	}
	s.Cmd.Env = append(os.Environ(), s.Mark)
	s.Cmd.Stderr = &s.Err
	if in != nil {
		s.Cmd.Stdin, s.Cmd.Stdout = in, out
	}
	require.NoError(s, s.Cmd.Start())
}

// Listen starts the server on its socket, and returns when it can be called.
func (s *Server) Listen(flags ...string) {
	s.Helper()
	s.Launch(nil, nil, append(flags, "--socket", s.Socket)...)
	s.Wait()
}

// Wait waits until somebody listens on the socket.
func (s *Server) Wait() {
	s.Helper()
	require.Eventually(s, func() bool {
		c, err := net.Dial("unix", s.Socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, binary.Patience, time.Millisecond, "nobody listens")
}

// Dial makes a connection.
func (s *Server) Dial() *Client {
	s.Helper()
	conn, err := net.Dial("unix", s.Socket)
	require.NoError(s, err)
	return NewClient(s.T, conn, conn)
}

// Stdio starts the server on stdin and stdout.
func (s *Server) Stdio(flags ...string) *Client {
	s.Helper()
	in, input, err := os.Pipe()
	require.NoError(s, err)
	output, out, err := os.Pipe()
	require.NoError(s, err)
	s.Launch(in, out, flags...)
	in.Close()
	out.Close()
	return NewClient(s.T, output, input)
}

// Family is a hook with a child of its own; both say so.
const Family = `trap '' TERM; sh -c 'echo child $$ >ready; while :; do sleep 1; done' & echo hook $$ >ready; wait`

func PreTool(name, matcher string, command any, more ...binary.Hook) binary.Hook {
	h := binary.Hook{"name": name, "command": command, "events": []string{"pre-tool"}, "matcher": matcher}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
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

func Interpreter(t *testing.T) string {
	if python3() == "" {
		t.Skip("python3 is not installed")
	}
	return python3()
}

// PythonHook is a persistent hook that handles each call by these lines of Python: call is what came, tool the tool's
// name.
func (s *Server) PythonHook(lines string, more ...binary.Hook) binary.Hook {
	s.Helper()
	python := Interpreter(s.T)
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
	file := s.Path("hook.py")
	require.NoError(s, os.WriteFile(file, []byte(program), 0o600))
	return PreTool("staying", "*", []string{python, file}, append([]binary.Hook{{"persistent": true}}, more...)...)
}

// Python starts a server with that hook alone.
func (s *Server) Python(lines string, more ...binary.Hook) *Client {
	s.Helper()
	binary.WriteHooks(s.T, s.Dir, s.PythonHook(lines, more...))
	s.Listen()
	return s.Dial()
}

func (s *Server) Reaped(pid int) {
	s.Helper()
	require.Eventually(s, func() bool { return !binary.Exists("/proc", strconv.Itoa(pid)) }, binary.Patience,
		time.Millisecond, "process %d", pid)
}
