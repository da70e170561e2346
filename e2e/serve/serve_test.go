//go:build linux

package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
)

func stayingShell(matcher, script string, more ...binary.Hook) binary.Hook {
	return rpc.PreTool("staying", matcher, []string{"sh", "-c", script},
		append(more, binary.Hook{"persistent": true})...)
}

func TestKilledServerTakesItsHooksAlong(t *testing.T) {
	start := `sh -c 'trap "" TERM; echo child $$ >ready; while :; do sleep 1; done' & `
	for name, test := range map[string]struct {
		hook  binary.Hook
		args  []string
		calls string
	}{
		"a hook":            {rpc.PreTool("h", "*", []string{"sh", "-c", rpc.Family}), nil, "pre-tool"},
		"a hook of a shell": {rpc.PreTool("h", "*", rpc.Family), nil, "pre-tool"},
		"a persistent hook with a call": {stayingShell("*",
			start+`echo hook $$ >ready; while read -r line; do sleep 1000; done`), nil, "pre-tool"},
		"a persistent hook that is idle": {stayingShell("*",
			start+`while read -r line; do echo hook $$ >ready; echo '{}'; done`), nil, "pre-tool"},
		"an async hook": {nil, []string{"-c", "settings.json"}, "fire"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rpc.NewServer(t)
			if test.hook != nil {
				binary.WriteHooks(t, s.Dir, test.hook)
			} else {
				settings := binary.Hook{
					"hooks": binary.Hook{
						"PreToolUse": []any{binary.Hook{"hooks": []binary.Hook{binary.CommandHook(rpc.Family,
							binary.Hook{"async": true})}}}}}
				require.NoError(t, os.WriteFile(s.Path("settings.json"), []byte(binary.JSON(t, settings)), 0o600))
				test.args = []string{"-c", s.Path("settings.json")}
			}
			s.Listen(test.args...)
			c := s.Dial()
			params := rpc.ToolParams("shell")
			if test.calls == "fire" {
				params = binary.Hook{"hook_event_name": "PreToolUse", "tool_name": "Bash",
					"tool_input": binary.Hook{"command": "ls"}}
			}
			id := c.Send(test.calls, params)
			pids := s.Pids(2)
			if strings.Contains(name, "idle") || test.calls == "fire" {
				require.Nil(t, c.Answer(id).Error)
			}
			require.Eventually(t, func() bool { return len(binary.Children(s.Cmd.Process.Pid)) == 2 }, binary.Patience,
				time.Millisecond, "the hook and its guard")
			started := binary.Children(s.Cmd.Process.Pid)
			looks := 0 // a guard is told of the hook as soon as it is a shell that waits
			require.Eventually(t, func() bool {
				for _, pid := range started {
					line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
					if bytes.Contains(line, []byte("groups=")) {
						looks++
					}
				}
				return looks == 50
			}, binary.Patience, time.Millisecond)
			require.NoError(t, s.Cmd.Process.Kill())
			s.Ends(-1)
			for _, pid := range pids {
				s.Gone(pid)
			}
			for _, pid := range started {
				s.Gone(pid)
			}
			require.Eventually(t, func() bool { return len(s.Marked()) == 0 }, binary.Patience, time.Millisecond)
		})
	}
}

func TestClientThatIsGoneTakesItsCallsAlong(t *testing.T) {
	for name, h := range map[string]binary.Hook{
		"a hook":            rpc.PreTool("h", "stay", rpc.Family),
		"a persistent hook": stayingShell("stay", `while read -r line; do `+rpc.Family+`; done`),
	} {
		t.Run(name, func(t *testing.T) {
			s := rpc.NewServer(t, h, rpc.PreTool("other", "wait", binary.Waits("other")+"echo no >&2; exit 1"))
			open := s.Gate()
			s.Listen()
			leaver, stayer := s.Dial(), s.Dial()
			id := stayer.Send("pre-tool", rpc.ToolParams("wait"))
			other := s.Pids(1)["other"]
			leaver.Send("pre-tool", rpc.ToolParams("stay"))
			pids := s.Pids(2)
			require.NoError(t, leaver.W.Close())
			s.Gone(pids["hook"])
			s.Gone(pids["child"])
			require.True(t, binary.Alive(other))
			open()
			require.Equal(t, "no", stayer.Answer(id).Outcome(t).Reason)
			stayer.Once()
		})
		t.Run(name+", at the end of stdin", func(t *testing.T) {
			s := rpc.NewServer(t, h)
			c := s.Stdio()
			c.Send("pre-tool", rpc.ToolParams("stay"))
			pids := s.Pids(2)
			require.NoError(t, c.W.Close())
			s.Ends(0)
			require.False(t, binary.Alive(pids["hook"]))
			require.False(t, binary.Alive(pids["child"]))
			require.Empty(t, s.Marked())
		})
	}
}

func TestCancelKillsTheHooksOfThatCall(t *testing.T) {
	s := rpc.NewServer(t, rpc.PreTool("h", "stay", rpc.Family),
		rpc.PreTool("other", "wait", binary.Waits("other")+"echo no >&2; exit 1"))
	open := s.Gate()
	s.Listen()
	c := s.Dial()
	other := c.Send("pre-tool", rpc.ToolParams("wait"))
	otherPID := s.Pids(1)["other"]
	id := c.Send("pre-tool", rpc.ToolParams("stay"))
	pids := s.Pids(2)
	c.Cancel("1000") // nobody's
	c.Cancel(id)
	c.Cancel(id)
	a := c.Answer(id)
	require.NotNil(t, a.Error)
	require.Equal(t, -32800, a.Error.Code)
	require.False(t, binary.Alive(pids["hook"]))
	require.False(t, binary.Alive(pids["child"]))
	require.True(t, binary.Alive(otherPID))
	c.Cancel(id)
	open()
	require.Equal(t, "no", c.Answer(other).Outcome(t).Reason)
	c.Once()
}

func TestCancelOfCallsOfAPersistentHook(t *testing.T) {
	s := rpc.NewServer(t,
		stayingShell("*",
			`echo start $$ >ready; while read -r line; do case $line in *hang*) echo hang $$ >ready; sleep 1000 ;; `+
				`esac; echo '{"exit_code":1,"stderr":"no"}'; done`))
	s.Listen()
	c := s.Dial()
	first := c.Send("pre-tool", rpc.ToolParams("hang"))
	require.Len(t, s.Pids(2), 2)
	waiting := c.Send("pre-tool", rpc.ToolParams("hang")) // the only process has a call
	next := c.Send("pre-tool", rpc.ToolParams("shell"))
	require.Nil(t, c.Call("ping", nil).Error)
	c.Cancel(waiting)
	require.Equal(t, -32800, c.Answer(waiting).Error.Code)
	c.Cancel(first)
	require.Equal(t, -32800, c.Answer(first).Error.Code)
	require.Equal(t, "no", c.Answer(next).Outcome(t).Reason)
	s.Pids(1)
	c.Once()
}

func TestShutdownAndSIGTERM(t *testing.T) {
	idle := stayingShell("idle", `while read -r line; do echo idle $$ >ready; echo '{}'; done`)
	for _, streams := range []string{"socket", "stdio"} {
		for _, way := range []string{"shutdown", "SIGTERM", "SIGINT"} {
			t.Run(way+" "+streams, func(t *testing.T) {
				s := rpc.NewServer(t, rpc.PreTool("h", "stay", rpc.Family), idle)
				var c, last *rpc.Client
				if streams == "socket" {
					s.Listen()
					c, last = s.Dial(), s.Dial()
				} else {
					c = s.Stdio()
					last = c
				}
				require.Equal(t, "continue", c.Tool("idle").Decision)
				pids := s.Pids(1)
				id := c.Send("pre-tool", rpc.ToolParams("stay"))
				for name, pid := range s.Pids(2) {
					pids["stay "+name] = pid
				}
				code := 0
				switch way {
				case "shutdown":
					require.Equal(t, "null", string(last.Call("shutdown", nil).Result))
				case "SIGTERM":
					code = 1
					require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
				case "SIGINT":
					code = 1
					require.NoError(t, s.Cmd.Process.Signal(syscall.SIGINT))
				}
				a := c.Answer(id)
				require.NotNil(t, a.Error)
				require.Equal(t, -32001, a.Error.Code)
				s.Ends(code)
				for name, pid := range pids {
					require.False(t, binary.Alive(pid), name)
				}
				require.Empty(t, s.Marked())
				require.NoFileExists(t, s.Socket)
				<-c.Ended
				require.Equal(t, 1, c.Count[id])
				if way == "shutdown" {
					require.Empty(t, s.Err.String())
				} else {
					require.Contains(t, s.Err.String(), "interrupted by "+way)
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
	s := rpc.NewServer(t, rpc.PreTool("h", "*", "echo >ran"))
	require.NoError(t, os.Chmod(filepath.Dir(s.Socket), 0o755))
	s.Listen()
	info, err := os.Stat(s.Socket)
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
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: s.Socket})
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
		_, _ = conn.WriteString(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"pre-tool",`+
			`"params":{"tool":"shell"}}`+"\n", 3))
		out, err := io.ReadAll(conn)
		if errors.Is(err, syscall.ECONNRESET) { // what was written was not read
			err = nil
		}
		return string(out), err
	}
	_, err = ask()
	require.ErrorIs(t, err, syscall.EACCES, "the mode of the socket keeps others out")
	require.NoError(t, os.Chmod(s.Socket, 0o666))
	out, err := ask()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	var a rpc.Reply
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, "null", string(a.ID))
	require.Equal(t, -32001, a.Error.Code)
	require.Contains(t, a.Error.Message, "another user")
	require.False(t, binary.Exists(s.Dir, "ran"))
	require.Equal(t, "continue", s.Dial().Tool("shell").Decision)
	require.True(t, binary.Exists(s.Dir, "ran"))
}

// A server that ends because too many clients came would take everybody's gates along.
func TestMoreConnectionsThanDescriptors(t *testing.T) {
	s := rpc.NewServer(t)
	s.Files = 24
	s.Listen()
	var conns []net.Conn
	for range 2 * s.Files {
		conn, err := net.Dial("unix", s.Socket)
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	last := fmt.Sprintf("/proc/%d/fd/%d", s.Cmd.Process.Pid, s.Files-1)
	require.Eventually(t, func() bool {
		_, err := os.Lstat(last)
		return err == nil
	}, binary.Patience, time.Millisecond, "the server has descriptors left")
	waits := rpc.NewClient(t, conns[len(conns)-1], conns[len(conns)-1])
	id := waits.Send("ping", nil)
	for _, conn := range conns[:len(conns)-1] {
		conn.Close()
	}
	require.Nil(t, waits.Answer(id).Error, "the one that waited is served")
	require.Nil(t, s.Dial().Call("ping", nil).Error)
}

func TestPlaceOfTheSocket(t *testing.T) {
	refused := func(s *rpc.Server, what string) {
		t.Helper()
		s.Launch(nil, nil, "--socket", s.Socket)
		s.Ends(1)
		require.Contains(t, s.Err.String(), what)
		require.Contains(t, s.Err.String(), s.Socket)
		require.Equal(t, 1, strings.Count(s.Err.String(), "\n"), s.Err.String())
	}
	t.Run("a stale socket is replaced", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Listen()
		require.NoError(t, s.Cmd.Process.Kill())
		s.Ends(-1)
		require.FileExists(t, s.Socket)
		s.Listen()
		require.Nil(t, s.Dial().Call("ping", nil).Error)
	})
	t.Run("a link of another user is not followed", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can make links of other users")
		}
		s := rpc.NewServer(t)
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Dir(s.Socket), link))
		require.NoError(t, os.Lchown(link, 65534, 65534))
		s.Socket = filepath.Join(link, "s")
		refused(s, "is a link of another user")
	})
	t.Run("a live one is not", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Listen()
		other := rpc.NewServer(t)
		other.Socket = s.Socket
		refused(other, "another server listens on it")
		require.Nil(t, s.Dial().Call("ping", nil).Error)
	})
	t.Run("of many at once one wins", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(s.Socket), 0o700))
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.Socket, Net: "unix"})
		require.NoError(t, err)
		stale.SetUnlinkOnClose(false)
		require.NoError(t, stale.Close())
		ended := make(chan int, 8)
		for range cap(ended) {
			one := rpc.NewServer(t)
			one.Launch(nil, nil, "--socket", s.Socket)
			go func() {
				_ = one.Cmd.Wait()
				ended <- one.Cmd.ProcessState.ExitCode()
			}()
		}
		for range cap(ended) - 1 {
			require.Equal(t, 1, <-ended)
		}
		require.Equal(t, "null", string(s.Dial().Call("shutdown", nil).Result))
		require.Equal(t, 0, <-ended)
	})
	t.Run("a file is left alone", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.WriteFile(s.Socket, []byte("mine"), 0o600))
		refused(s, "no socket")
		text, err := os.ReadFile(s.Socket)
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
	})
	t.Run("a link is left alone", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.Symlink("nowhere", s.Socket))
		refused(s, "no socket")
		require.True(t, binary.Exists(filepath.Dir(s.Socket), "s"))
		require.False(t, binary.Exists(filepath.Dir(s.Socket), "nowhere"))
	})
	t.Run("a folder for others is refused", func(t *testing.T) {
		for _, mode := range []os.FileMode{0o777, 0o770, 0o707, os.ModeSticky | 0o777} {
			s := rpc.NewServer(t)
			require.NoError(t, os.Chmod(filepath.Dir(s.Socket), mode))
			refused(s, "can be written to by others")
			require.NoFileExists(t, s.Socket)
		}
	})
	t.Run("a folder is made", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Socket = filepath.Join(filepath.Dir(s.Socket), "new", "s")
		s.Listen()
		info, err := os.Stat(filepath.Dir(s.Socket))
		require.NoError(t, err)
		require.EqualValues(t, 0o700, info.Mode().Perm())
	})
	t.Run("odd names", func(t *testing.T) {
		for _, name := range []string{"a b", "ä\n\"", "-s", "@s", "s%20", "*"} {
			s := rpc.NewServer(t)
			s.Socket = filepath.Join(filepath.Dir(s.Socket), name)
			s.Listen()
			require.Equal(t, "null", string(s.Dial().Call("shutdown", nil).Result), name)
			s.Ends(0)
			require.NoFileExists(t, s.Socket)
		}
	})
	t.Run("one that is too long", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Socket = filepath.Join(filepath.Dir(s.Socket), strings.Repeat("x", 200))
		refused(s, "longer than")
	})
}

func TestPersistentHookStays(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python("answer({})")
	pid := c.HookPID()
	for range 50 {
		require.Equal(t, pid, c.HookPID())
		require.Equal(t, "no", c.Tool("no").Reason)
	}
	require.Equal(t, pid, s.Dial().HookPID())
	c.Once()
}

func TestDeadlineOfAPersistentHook(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python("child()\nsay('hook', os.getpid())\ntime.sleep(1000)")
	pid := c.HookPID()
	id := c.Send("pre-tool", rpc.ToolParams("hang", binary.Hook{"timeout": 1}))
	pids := s.Pids(2)
	o := c.Answer(id).Outcome(t)
	require.Equal(t, []string{"timeout"}, o.Statuses())
	require.Equal(t, "continue", o.Decision)
	require.Equal(t, pid, pids["hook"])
	require.False(t, binary.Alive(pids["hook"]))
	require.False(t, binary.Alive(pids["child"]))
	require.NotEqual(t, pid, c.HookPID())
	o = c.Tool("hang", binary.Hook{"timeout": 0.3, "on_failure": "block"})
	require.Equal(t, "block", o.Decision)
	require.Equal(t, "timeout", o.Cause)
}

func TestPersistentHookDiesInTheMiddleOfACall(t *testing.T) {
	for how, want := range map[string]struct{ lines, cause string }{
		"killed":         {"os.kill(os.getpid(), 9)", "signal"},
		"exit 3":         {"os._exit(3)", "exit"},
		"exit 0":         {"os._exit(0)", "output"},
		"half an answer": {"os.write(1, b'{\"exit_code\"')\nos._exit(0)", "output"},
		"stdout closed":  {"os.close(1)\ntime.sleep(0.2)\nos._exit(3)", "exit"},
		"an answer, then killed": {`os.write(1, b'{"exit_code":1,"stderr":"no"}\n')` + "\nos.kill(os.getpid(), 9)",
			"policy"},
	} {
		t.Run(how, func(t *testing.T) {
			s := rpc.NewServer(t)
			c := s.Python(want.lines)
			for range 3 {
				pid := c.HookPID()
				o := c.Tool("die")
				require.Equal(t, "block", o.Decision)
				if how == "exit 3" || how == "stdout closed" {
					require.NotEmpty(t, o.Reason)
				} else {
					require.Equal(t, want.cause, o.Cause, o.Reason)
				}
				s.Reaped(pid)
				require.NotEqual(t, pid, c.HookPID())
			}
			c.Once()
		})
	}
}

func TestPersistentHookDiesWhileItIsIdle(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python("answer({})", binary.Hook{"workers": 2})
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		pid := c.HookPID()
		require.NoError(t, syscall.Kill(pid, sig))
		s.Reaped(pid)
		require.NotEqual(t, pid, c.HookPID())
		require.Equal(t, "no", c.Tool("no").Reason)
	}
	c.Once()
}

func TestPersistentHookPrintsTwoLines(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python(`sys.stdout.write("{}\n{}\n")` + "\nsys.stdout.flush()")
	pid := c.HookPID()
	o := c.Tool("two")
	require.Equal(t, "block", o.Decision)
	require.Equal(t, "output", o.Cause)
	require.Contains(t, o.Reason, "more than one line")
	require.False(t, binary.Alive(pid))
	require.NotEqual(t, pid, c.HookPID())
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
			s := rpc.NewServer(t)
			c := s.Python(lines)
			asked := 0
			for i := range 8 {
				tool := fmt.Sprint("speak", i)
				var o binary.CallOutcome
				require.Eventually(t, func() bool { // after two such answers in a row a start waits
					o = c.Tool(tool)
					return o.Cause != "unstarted"
				}, binary.Patience, 10*time.Millisecond)
				if o.Decision == "block" {
					continue // both came at once, which was seen
				}
				asked++
				words := s.Says()
				for words[0] != tool { // what was ended may have said so as well
					words = s.Says()
				}
				o = c.Tool("no")
				require.Equal(t, "block", o.Decision, "call %d was answered by what was said before", i)
				if name != "half a line" {
					require.Equal(t, "no", o.Reason, i)
				}
				pid, err := strconv.Atoi(words[1])
				require.NoError(t, err)
				s.Reaped(pid)
			}
			if name != "right behind an answer" { // which may always be seen
				require.NotZero(t, asked)
			}
			c.Once()
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
			s := rpc.NewServer(t)
			c := s.Python(lines)
			pid := c.HookPID()
			o := c.Tool("much", binary.Hook{"timeout": 10})
			require.Equal(t, "block", o.Decision)
			require.Equal(t, "output", o.Cause, o.Reason)
			s.Reaped(pid)
			require.NotEqual(t, pid, c.HookPID())
		})
	}
	t.Run("just not", func(t *testing.T) {
		s := rpc.NewServer(t)
		c := s.Python(`answer({"exit_code": 1, "stderr": "y" * 1000, "": "x" * 1000000})`)
		require.Equal(t, strings.Repeat("y", 1000), c.Tool("much").Reason)
	})
}

func TestPersistentHookGetsMuch(t *testing.T) {
	const size = 10 << 20
	s := rpc.NewServer(t)
	c := s.Python(`answer({"exit_code": 1, "stderr": str(len(call["tool_input"]["text"]))})`)
	pid := c.HookPID()
	for range 3 {
		require.Equal(t, strconv.Itoa(size), c.Tool("much",
			binary.Hook{"args": binary.Hook{"text": strings.Repeat("x", size)}}).Reason)
	}
	require.Equal(t, pid, c.HookPID())
}

func TestPersistentHookWritesMuchToStderr(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python(`for _ in range(160): os.write(2, b"x" * 65536)` + "\n" +
		`answer({"exit_code": 1, "stderr": "no more"})`)
	pid := c.HookPID()
	for range 3 {
		require.Equal(t, "no more", c.Tool("much").Reason)
	}
	require.Equal(t, pid, c.HookPID())
}

// What a process writes to stderr before it answers is that call's, not the next one's.
func TestStderrOfAPersistentHookIsThatOfItsCall(t *testing.T) {
	s := rpc.NewServer(t)
	c := s.Python(`os.write(2, tool.encode())` + "\n" + `answer({"exit_code": 1})`)
	for i := range 2000 {
		require.Equal(t, fmt.Sprintf("call %d", i), c.Tool(fmt.Sprintf("call %d", i)).Reason)
	}
}

// A process that does not read what it is asked must not hold up more than its deadline.
func TestPersistentHookThatDoesNotRead(t *testing.T) {
	s := rpc.NewServer(t)
	hooks := rpc.PreTool("staying", "*", []string{"sh", "-c", `echo hook $$ >ready; exec sleep 1000`},
		binary.Hook{"persistent": true})
	binary.WriteHooks(t, s.Dir, hooks)
	s.Listen()
	c := s.Dial()
	for _, size := range []int{10, 1000, 30_000, 60_000, 200_000} {
		o := c.Tool("shell", binary.Hook{"timeout": 0.2, "on_failure": "block",
			"args": binary.Hook{"text": strings.Repeat("x", size)}})
		require.Equal(t, "timeout", o.Cause)
	}
}

// A process that answers without reading leaves the questions in its pipe, until there is no more room for one. The
// deadline holds all the same, and so does the end of the server.
func TestPersistentHookThatAnswersWithoutReading(t *testing.T) {
	s := rpc.NewServer(t, stayingShell("*", `while read -r go <gate; do echo '{}'; done`))
	require.NoError(t, syscall.Mkfifo(s.Path("gate"), 0o600))
	gate, err := os.OpenFile(s.Path("gate"), os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { gate.Close() })
	s.Listen()
	c := s.Dial()
	params := rpc.ToolParams("shell", binary.Hook{"timeout": 1,
		"args": binary.Hook{"text": strings.Repeat("x", 14_000)}})
	for range 6 {
		id := c.Send("pre-tool", params)
		_, err = gate.WriteString("\n")
		require.NoError(t, err)
		require.Nil(t, c.Answer(id).Error)
	}
	c.Once()
	require.Equal(t, "null", string(c.Call("shutdown", nil).Result))
	s.Ends(0)
}

func TestWorkersOfAPersistentHook(t *testing.T) {
	t.Run("four at once", func(t *testing.T) {
		s := rpc.NewServer(t)
		open := s.Gate()
		c := s.Python(`if tool != "late":
    gate = open("gate")
    say(tool, os.getpid())
    gate.read()
answer({"exit_code": 1, "stderr": "%s %d" % (tool, os.getpid())})`, binary.Hook{"workers": 4})
		ids := map[string]string{}
		for i := range 4 {
			name := fmt.Sprintf("wait%d", i)
			ids[name] = c.Send("pre-tool", rpc.ToolParams(name))
		}
		pids := s.Pids(4)
		late := c.Send("pre-tool", rpc.ToolParams("late"))
		require.Len(t, s.Marked(), 1+4)
		different := map[int]bool{}
		for _, pid := range pids {
			different[pid] = true
		}
		require.Len(t, different, 4)
		open()
		for name, id := range ids {
			require.Equal(t, fmt.Sprint(name, " ", pids[name]), c.Answer(id).Outcome(t).Reason)
		}
		words := strings.Fields(c.Answer(late).Outcome(t).Reason)
		require.Equal(t, "late", words[0])
		pid, err := strconv.Atoi(words[1])
		require.NoError(t, err)
		require.True(t, different[pid], "a fifth process")
		c.Once()
	})
	t.Run("one at a time", func(t *testing.T) {
		s := rpc.NewServer(t)
		c := s.Python(`with open("log", "a") as f: f.write("begin\n")
time.sleep(0.01)
with open("log", "a") as f: f.write("end\n")
answer({"exit_code": 1, "stderr": tool})`)
		var ids []string
		for i := range 20 {
			ids = append(ids, c.Send("pre-tool", rpc.ToolParams(fmt.Sprint("call", i))))
		}
		for i, id := range ids {
			require.Equal(t, fmt.Sprint("call", i), c.Answer(id).Outcome(t).Reason)
		}
		log, err := os.ReadFile(s.Path("log"))
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("begin\nend\n", len(ids)), string(log))
		c.Once()
	})
}

func TestReloadReplacesPersistentHooks(t *testing.T) {
	s := rpc.NewServer(t)
	open := s.Gate()
	c := s.Python(`gate = open("gate")
say("old", os.getpid())
gate.read()
answer({"exit_code": 1, "stderr": "old"})`, binary.Hook{"workers": 2})
	idle := c.HookPID()
	first := c.Send("pre-tool", rpc.ToolParams("wait"))
	second := c.Send("pre-tool", rpc.ToolParams("wait"))
	one, two := s.Pids(1)["old"], s.Pids(1)["old"]
	require.Contains(t, []int{one, two}, idle)
	binary.WriteHooks(t, s.Dir, stayingShell("*",
		`while read -r line; do echo new $$ >ready; echo '{"exit_code":1,"stderr":"new"}'; done`))
	require.Nil(t, c.Call("reload", nil).Error)
	require.Equal(t, "new", c.Tool("shell").Reason)
	s.Pids(1)
	require.True(t, binary.Alive(one))
	require.True(t, binary.Alive(two))
	open()
	require.Equal(t, "old", c.Answer(first).Outcome(t).Reason)
	require.Equal(t, "old", c.Answer(second).Outcome(t).Reason)
	s.Reaped(one)
	s.Reaped(two)
	require.Equal(t, "new", c.Tool("shell").Reason)
	s.Pids(1)

	require.NoError(t, os.WriteFile(s.Path(".tenex-hooks.json"), []byte("{"), 0o600))
	a := c.Call("reload", nil)
	require.Equal(t, -32002, a.Error.Code)
	o := c.Tool("shell")
	require.Equal(t, "new", o.Reason)
	require.Contains(t, strings.Join(o.Warnings, "\n"), "was changed")
	c.Once()
}

// Programs that a persistent hook started are part of it, however it ends.
func TestChildrenOfAPersistentHookEndWithIt(t *testing.T) {
	for _, way := range []string{"shutdown", "the end of stdin", "reload", "exit in a call", "killed in a call",
		"killed while idle", "SIGTERM"} {
		t.Run(way, func(t *testing.T) {
			s := rpc.NewServer(t)
			binary.WriteHooks(t, s.Dir, s.PythonHook(`if tool == "start":
    child()
    answer({})
elif tool == "exit":
    os._exit(3)
elif tool == "kill":
    os.kill(os.getpid(), 9)`))
			c := s.Stdio()
			pid := c.HookPID()
			require.Equal(t, "continue", c.Tool("start").Decision)
			child := s.Pids(1)["child"]
			code := 0
			switch way {
			case "shutdown":
				require.Equal(t, "null", string(c.Call("shutdown", nil).Result))
			case "the end of stdin":
				require.NoError(t, c.W.Close())
			case "SIGTERM":
				code = 1
				require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
			case "reload":
				binary.WriteHooks(t, s.Dir)
				require.Nil(t, c.Call("reload", nil).Error)
			case "exit in a call":
				require.Equal(t, "block", c.Tool("exit").Decision)
			case "killed in a call":
				require.Equal(t, "block", c.Tool("kill").Decision)
			case "killed while idle":
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			}
			s.Gone(pid)
			if way == "shutdown" || way == "the end of stdin" || way == "SIGTERM" {
				s.Ends(code)
				require.False(t, binary.Alive(child), "the child of the hook lives on")
				return
			}
			require.Eventually(t, func() bool { return !binary.Alive(child) }, 3*time.Second, time.Millisecond,
				"the child of the hook lives on")
		})
	}
}

// Odd clients.

func TestManyPipelinedCalls(t *testing.T) {
	const n = 1000
	s := rpc.NewServer(t, rpc.PreTool("h", "block", `echo no >&2; exit 1`))
	s.Listen()
	c := s.Dial()
	var text bytes.Buffer
	for i := range n {
		tool := []string{"block", "none"}[i%2]
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"%s"}}`+"\n", i+1, tool)
	}
	c.Next = n
	c.Line(strings.TrimSuffix(text.String(), "\n"))
	for i := range n {
		o := c.Answer(strconv.Itoa(i + 1)).Outcome(t)
		require.Equal(t, []string{"block", "continue"}[i%2], o.Decision)
	}
	c.Once()
}

// A client that has as many calls in flight as it may can still give them up.
func TestCancelWithAllCallsInFlight(t *testing.T) {
	const n = 256
	for _, way := range []string{"cancel", "leave"} {
		t.Run(way, func(t *testing.T) {
			s := rpc.NewServer(t, rpc.PreTool("h", "*", `echo h $$ >ready; exec sleep 1000`))
			s.Listen()
			c := s.Dial()
			var ids []string
			for range n + 10 {
				ids = append(ids, c.Send("pre-tool", rpc.ToolParams("shell")))
			}
			var pids []int
			for range n {
				pids = append(pids, s.Pids(1)["h"])
			}
			switch way {
			case "cancel":
				c.Cancel(ids[0])
				require.Equal(t, -32800, c.Answer(ids[0]).Error.Code)
			case "leave":
				require.NoError(t, c.W.Close())
				for _, pid := range pids {
					s.Gone(pid)
				}
			}
		})
	}
}

func TestClientThatNeverReads(t *testing.T) {
	s := rpc.NewServer(t, rpc.PreTool("h", "flood", `head -c 100000 /dev/zero | tr '\0' x`),
		rpc.PreTool("s", "stay", rpc.Family))
	s.Listen()
	conn, err := net.Dial("unix", s.Socket)
	require.NoError(t, err)
	_, err = io.WriteString(conn, `{"jsonrpc":"2.0","id":"stay","method":"pre-tool","params":{"tool":"stay"}}`+"\n")
	require.NoError(t, err)
	pids := s.Pids(2)
	require.NoError(t, conn.SetWriteDeadline(time.Now().Add(2*time.Second)))
	for i := range 2000 {
		if _, err := fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"flood"}}`+"\n",
			i); err != nil {
			break // it is not read any more
		}
	}
	require.Nil(t, s.Dial().Call("ping", nil).Error)
	require.NoError(t, conn.Close())
	for _, pid := range pids {
		s.Gone(pid)
	}
	c := s.Dial()
	require.Equal(t, "null", string(c.Call("shutdown", nil).Result))
	s.Ends(0)
}
