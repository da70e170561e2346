//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

const (
	soakClients = 8
	soakWorkers = 4
)

// soakPython is the persistent hook of the soak. Each call says what is to become of it.
const soakPython = `import json, os, signal, sys, time
for line in sys.stdin:
    call = json.loads(line)
    tool, args = call["tool_name"], call["tool_input"]
    if tool == "stay-crash":
        os.kill(os.getpid(), signal.SIGKILL)
    elif tool == "stay-hang":
        time.sleep(1000)
    elif tool == "stay-wait":
        gate = open(args["gate"])
        with open("ready", "w") as f: f.write("stay-wait %d\n" % os.getpid())
        gate.read()
    if tool == "stay-block":
        answer = {"exit_code": 1, "stderr": "no to %d" % args["n"]}
    elif tool == "stay-large":
        answer = {"exit_code": 1, "stderr": "%d has %d" % (args["n"], len(args["text"]))}
    else:
        answer = {"stdout": "yes to %d" % args["n"]}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
`

// soak is a server under load.
type soak struct {
	*rpc.Server
	clients []*rpc.Client
	// of two deaths in a row without an answer the second has a pause behind it, which is another test's affair
	crash sync.Mutex
}

// footprint is what of a process can be seen from outside.
type footprint struct{ descriptors, children, threads, memory int }

func (s *soak) footprint() (f footprint) {
	s.Helper()
	proc := fmt.Sprintf("/proc/%d", s.Cmd.Process.Pid)
	descriptors, err := os.ReadDir(proc + "/fd")
	require.NoError(s, err)
	f.descriptors = len(descriptors)
	f.children = len(binary.Children(s.Cmd.Process.Pid))
	status, err := os.ReadFile(proc + "/status")
	require.NoError(s, err)
	for line := range bytes.Lines(status) {
		switch words := strings.Fields(string(line)); words[0] {
		case "Threads:":
			f.threads, err = strconv.Atoi(words[1])
			require.NoError(s, err)
		case "VmRSS:":
			f.memory, err = strconv.Atoi(words[1])
			require.NoError(s, err)
		}
	}
	return f
}

// settle has every process of the persistent hook running, and nothing else, and returns what the server then needs.
func (s *soak) settle(gate string) footprint {
	s.Helper()
	require.NoError(s, syscall.Mkfifo(s.Path(gate), 0o600))
	f, err := os.OpenFile(s.Path(gate), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(s, err)
	c := s.clients[0]
	var ids []string
	for range soakWorkers {
		ids = append(ids, c.Send("pre-tool", rpc.ToolParams("stay-wait",
			binary.Hook{"args": binary.Hook{"n": 0, "gate": gate}})))
	}
	for range ids {
		s.Pids(1)
	}
	f.Close()
	for _, id := range ids {
		require.Equal(s, "continue", c.Answer(id).Outcome(s.T).Decision)
	}
	var now footprint
	require.Eventually(s, func() bool {
		now = s.footprint()
		return now.children == 1+soakWorkers // and the guard: neither zombies nor anything else
	}, binary.Patience, 10*time.Millisecond, "the server has other children than its workers")
	return now
}

// one makes one call, and says what is wrong with the answer.
func (s *soak) one(c *rpc.Client, random *rand.Rand, n int) error {
	tools := []struct {
		name  string
		often int
	}{
		{"none", 20}, {"block", 20}, {"inject", 20}, {"stay", 60}, {"stay-block", 60}, {"large", 4}, {"stay-large", 4},
		{"crash", 6}, {"flood", 2}, {"slow", 1}, {"stay-crash", 1}, {"stay-hang", 1}, {"cancel", 2}, {"wrong", 2},
	}
	all := 0
	for _, t := range tools {
		all += t.often
	}
	tool := ""
	for at := random.IntN(all); at >= 0; tools = tools[1:] {
		tool = tools[0].name
		at -= tools[0].often
	}
	args := binary.Hook{"n": n}
	params := rpc.ToolParams(tool, binary.Hook{"args": args, "session_id": fmt.Sprint("session ", n%soakClients)})
	switch tool {
	case "large", "stay-large":
		args["text"] = strings.Repeat("x", 300_000)
	case "stay-hang":
		params["timeout"] = 0.05
	case "wrong":
		params["tol"] = "shell"
	case "stay-crash":
		s.crash.Lock()
		defer s.crash.Unlock()
	}
	method := "pre-tool"
	if tool == "inject" && n%2 == 0 {
		method = "post-tool"
		params["result"] = "done"
	}
	id := c.Send(method, params)
	if tool == "cancel" {
		c.Cancel(id)
	}
	a := c.Answer(id)
	wrong := func(what string) error { return fmt.Errorf("%s: %s: %s %+v", tool, what, a.Result, a.Error) }
	if want := map[string]int{"cancel": -32800, "wrong": -32602}[tool]; want != 0 {
		if a.Error == nil || a.Error.Code != want {
			return wrong(fmt.Sprint("not ", want))
		}
		return nil
	}
	var o binary.CallOutcome
	if a.Error != nil || json.Unmarshal(a.Result, &o) != nil {
		return wrong("no outcome")
	}
	inject := ""
	if len(o.Inject) > 0 {
		inject = o.Inject[0].Content
	}
	statuses := strings.Join(o.Statuses(), " ")
	cause := ""
	if len(o.Hooks) > 0 {
		cause = o.Hooks[0].Cause
	}
	is := func(decision, status, becauseOf string) bool {
		return o.Decision == decision && statuses == status && cause == becauseOf
	}
	mine := fmt.Sprintf(`"n":%d}`, n)
	ok := false
	switch tool {
	case "none":
		ok = is("continue", "", "")
	case "block":
		ok = is("block", "blocked", "policy") && strings.Contains(o.Reason, mine)
	case "inject":
		ok = is("continue", "ok", "") && strings.HasPrefix(inject, "context ") && strings.Contains(inject, mine)
	case "large":
		ok = is("block", "blocked", "policy") && o.Reason == "large"
	case "crash":
		ok = is("block", "blocked", "signal")
	case "flood":
		ok = is("continue", "ok", "") && strings.HasPrefix(inject, "xxx")
	case "slow":
		ok = is("continue", "timeout", "timeout")
	case "stay":
		ok = is("continue", "ok", "") && inject == fmt.Sprint("yes to ", n)
	case "stay-block":
		ok = is("block", "blocked", "policy") && o.Reason == fmt.Sprint("no to ", n)
	case "stay-large":
		ok = is("block", "blocked", "policy") && o.Reason == fmt.Sprintf("%d has 300000", n)
	case "stay-crash":
		ok = is("block", "blocked", "signal")
		if next := c.Tool("stay", binary.Hook{"args": args}); next.Decision != "continue" {
			return fmt.Errorf("after a crash: %s", next.Reason)
		}
	case "stay-hang":
		ok = is("continue", "timeout", "timeout")
	}
	if !ok {
		return wrong("another verdict")
	}
	return nil
}

// load makes the calls from..to, as many at once as there are clients.
func (s *soak) load(from, to int) {
	s.Helper()
	var all sync.WaitGroup
	failed := make(chan error, soakClients)
	stop := make(chan struct{})
	var once sync.Once
	for i, c := range s.clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(from), uint64(i)))
			for n := from + i; n < to; n += len(s.clients) {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.one(c, random, n); err != nil {
					failed <- fmt.Errorf("call %d: %w", n, err)
					once.Do(func() { close(stop) })
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		require.NoError(s, err)
	}
}

// TestServerStaysAsItIs makes many calls of every kind: each is answered once and rightly, and the server is afterwards
// what it was before. HOOKRUN_SOAK=1 makes 300,000.
func TestServerStaysAsItIs(t *testing.T) {
	t.Parallel()
	python := rpc.Interpreter(t)
	calls := testall.Of(80, 800)
	if os.Getenv("HOOKRUN_SOAK") == "1" {
		calls = 150_000
	}
	for _, streams := range []string{"socket", "stdio"} {
		t.Run(streams, func(t *testing.T) {
			s := &soak{Server: rpc.NewServer(t)}
			require.NoError(t, os.WriteFile(s.Path("hook.py"), []byte(soakPython), 0o600))
			binary.WriteHooks(t, s.Dir,
				rpc.PreTool("block", "block", "cat >&2; exit 1"),
				binary.Hook{"name": "inject", "matcher": "inject", "command": "printf 'context '; exec cat",
					"events": []string{"pre-tool", "post-tool"}},
				rpc.PreTool("large", "large", "cat >/dev/null; echo large >&2; exit 1"),
				rpc.PreTool("crash", "crash", "kill -9 $$"),
				rpc.PreTool("flood", "flood", `head -c 3000000 /dev/zero | tr '\0' x | tee /dev/stderr`),
				rpc.PreTool("slow", "slow", "sleep 1000 & sleep 1000", binary.Hook{"timeout": 0.05}),
				rpc.PreTool("cancel", "cancel", []string{"sleep", "1000"}),
				rpc.PreTool("stay", "stay*", []string{python, s.Path("hook.py")},
					binary.Hook{"persistent": true, "workers": soakWorkers}))
			if streams == "socket" {
				s.Listen()
				for range soakClients {
					s.clients = append(s.clients, s.Dial())
				}
			} else {
				c := s.Stdio()
				for range soakClients {
					s.clients = append(s.clients, c)
				}
			}
			s.load(0, calls/4)
			warm := s.settle("gate1")
			s.load(calls/4, calls)
			end := s.settle("gate2")
			t.Logf("after a quarter: %+v, at the end: %+v", warm, end)
			require.Equal(t, warm.descriptors, end.descriptors)
			require.LessOrEqual(t, end.threads, warm.threads+16)
			require.LessOrEqual(t, end.memory, warm.memory*3/2+32<<10, "KiB")
			for _, c := range s.clients {
				c.Once()
			}
			require.Equal(t, "null", string(s.clients[0].Call("shutdown", nil).Result))
			s.Ends(0)
			require.Empty(t, s.Marked())
			require.Empty(t, s.Err.String())
		})
	}
}
