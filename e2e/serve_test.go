//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
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
	t.Parallel()
	for name, h := range map[string]binary.Hook{
		"a hook":            rpc.PreTool("h", "stay", rpc.Family),
		"a persistent hook": stayingShell("stay", `while read -r line; do `+rpc.Family+`; done`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			t.Parallel()
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

func TestShutdownAndSIGTERM(t *testing.T) {
	t.Parallel()
	idle := stayingShell("idle", `while read -r line; do echo idle $$ >ready; echo '{}'; done`)
	for _, streams := range []string{"socket", "stdio"} {
		for _, way := range []string{"shutdown", "SIGTERM", "SIGINT"} {
			t.Run(way+" "+streams, func(t *testing.T) {
				t.Parallel()
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

// Odd clients.

func TestManyPipelinedCalls(t *testing.T) {
	t.Parallel()
	n := testall.Of(400, 1000) // more than may be in flight
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
	t.Parallel()
	const n = 256
	for _, way := range testall.Part(2, []string{"cancel", "leave"}) {
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
	t.Parallel()
	s := rpc.NewServer(t, rpc.PreTool("h", "flood", []string{"cat", "flood"}),
		rpc.PreTool("s", "stay", rpc.Family))
	require.NoError(t, os.WriteFile(s.Path("flood"), bytes.Repeat([]byte("x"), 100_000), 0o600))
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

// Go keeps a thread for good, so a hook that is waited for must need none.
func TestHangingHooksNeedNoThreads(t *testing.T) {
	s := rpc.NewServer(t, rpc.PreTool("hang", "*", []string{"sh", "-c", `echo hook $$ >ready; exec sleep 1000`}))
	s.Listen()
	c := s.Dial()
	threads := func() int {
		all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.Cmd.Process.Pid))
		require.NoError(t, err)
		return len(all)
	}
	require.Nil(t, c.Call("ping", nil).Error)
	before, n := threads(), testall.Of(64, 200)
	var calls []string
	for range n {
		calls = append(calls, c.Send("pre-tool", rpc.ToolParams("shell")))
	}
	for range n {
		s.Says()
	}
	require.Less(t, threads(), before+n/2)
	for _, id := range calls {
		c.Cancel(id)
	}
	for _, id := range calls {
		require.NotNil(t, c.Answer(id).Error)
	}
	require.Less(t, threads(), before+n/2)
	c.Once()
}
