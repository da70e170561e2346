//go:build linux

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func stayingShell(matcher, script string, more ...binary.Hook) binary.Hook {
	return rpc.PreTool("staying", matcher, []string{"sh", "-c", script},
		append(more, binary.Hook{"persistent": true})...)
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
	t.Parallel()
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
	t.Parallel()
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
			t.Parallel()
			s := rpc.NewServer(t)
			c := s.Python(want.lines)
			for range testall.Of(2, 3) {
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
	t.Parallel()
	for name, lines := range map[string]string{
		"right behind an answer": `answer({})
os.write(1, b"{}\n")
say(tool, os.getpid())`,
		"from another thread": `def other():
    taken()
    os.write(1, b"{}\n")
    say(tool, os.getpid())
threading.Thread(target=other).start()
answer({})`,
		"half a line": `answer({})
taken()
os.write(1, b'{"stdout":')
say(tool, os.getpid())`,
		"an empty line": `answer({})
taken()
os.write(1, b"\n")
say(tool, os.getpid())`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rpc.NewServer(t)
			fifo := s.Path("taken") // a byte for each answer that the server has taken
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			taken, err := os.OpenFile(fifo, os.O_RDWR, 0)
			require.NoError(t, err)
			defer taken.Close()
			c := s.Python("def taken():\n    with open(\"taken\", \"rb\", 0) as f: f.read(1)\n" + lines)
			for i := range testall.Of(3, 8) {
				tool := fmt.Sprint("speak", i)
				var o binary.CallOutcome
				require.Eventually(t, func() bool { // after two such answers in a row a start waits
					o = c.Tool(tool)
					return o.Cause != "unstarted"
				}, binary.Patience, 10*time.Millisecond)
				if name != "right behind an answer" {
					require.Equal(t, "continue", o.Decision, i)
					_, err := taken.WriteString(".")
					require.NoError(t, err)
				} else if o.Decision == "block" {
					continue // both came at once, which was seen
				}
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
			c.Once()
		})
	}
}

func TestPersistentHookAnswersTooMuch(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"a line":         `answer({"stdout": "x" * (20 << 20)})`,
		"a little":       `answer({"stdout": "x" * ((16 << 20) + 100)})`,
		"without an end": `os.write(1, b"x" * (20 << 20))` + "\ntime.sleep(1000)",
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
		c := s.Python(`answer({"exit_code": 1, "stderr": "y" * 1000, "": "x" * 16000000})`)
		require.Equal(t, strings.Repeat("y", 1000), c.Tool("much").Reason)
	})
}

func TestPersistentHookGetsMuch(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	s := rpc.NewServer(t)
	c := s.Python(`answer({"exit_code": 1, "stderr": str(len(call["tool_input"]["text"]))})`)
	pid := c.HookPID()
	for range testall.Of(2, 3) {
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
	t.Parallel()
	s := rpc.NewServer(t)
	c := s.Python(`os.write(2, tool.encode())` + "\n" + `answer({"exit_code": 1})`)
	for i := range testall.Of(300, 2000) {
		require.Equal(t, fmt.Sprintf("call %d", i), c.Tool(fmt.Sprintf("call %d", i)).Reason)
	}
}

// A process that does not read what it is asked must not hold up more than its deadline.
func TestPersistentHookThatDoesNotRead(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
			require.Eventually(t, func() bool { return !binary.Alive(child) }, binary.Patience, time.Millisecond,
				"the child of the hook lives on")
		})
	}
}
