//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/texts/ipc"
)

// proxied is a `hookrun mcp` before the small server of testdata, in a workspace of its own.
type proxied struct {
	*binary.Call
	client *rpc.Client
	log    string // what the server got
}

// newProxied starts it. In more what has a = is a variable of its environment, and the rest are flags.
func newProxied(t *testing.T, hooks []binary.Hook, more ...string) *proxied {
	binary.Needs(t, "python3")
	p := &proxied{Call: binary.NewCall(t, "PreToolUse")}
	p.log = p.Path("server.log")
	binary.WriteHooks(t, p.Dir, hooks...)
	server, err := filepath.Abs("testdata/mcp/server.py")
	require.NoError(t, err)
	args := []string{"mcp", "-C", p.Dir, "--state", p.Path("state")}
	env := append(os.Environ(), p.Mark, "SERVER_LOG="+p.log, "HOOKRUN_STATE="+p.Path("state"))
	for _, m := range more {
		if strings.Contains(m, "=") {
			env = append(env, m)
		} else {
			args = append(args, m)
		}
	}
	p.Cmd = exec.Command(binary.Path, append(args, "--", "python3", server)...)
	p.Cmd.Env = env
	p.Cmd.Stderr = &p.Err
	in, input, err := os.Pipe()
	require.NoError(t, err)
	output, out, err := os.Pipe()
	require.NoError(t, err)
	p.Cmd.Stdin, p.Cmd.Stdout = in, out
	require.NoError(t, p.Cmd.Start())
	in.Close()
	out.Close()
	p.client = rpc.NewClient(t, output, input)
	require.Nil(t, p.client.Call("initialize",
		binary.Hook{"protocolVersion": "2025-06-18", "capabilities": binary.Hook{},
			"clientInfo": binary.Hook{"name": "t", "version": "1"}}).Error)
	return p
}

func (p *proxied) send(tool string, arguments binary.Hook) string {
	p.Helper()
	return p.client.Send("tools/call", binary.Hook{"name": tool, "arguments": arguments})
}

func (p *proxied) call(tool string, arguments binary.Hook) rpc.Reply {
	p.Helper()
	return p.client.Answer(p.send(tool, arguments))
}

// toolResult is what a client gets of a tool.
type toolResult struct {
	Content []struct{ Type, Text string }
	Struct  map[string]any `json:"structuredContent"`
	IsError bool
}

func (p *proxied) result(tool string, arguments binary.Hook) (r toolResult) {
	p.Helper()
	a := p.call(tool, arguments)
	require.Nil(p, a.Error)
	require.NoError(p, json.Unmarshal(a.Result, &r))
	return r
}

func (r toolResult) texts() (all []string) {
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return all
}

// calls are the arguments of the calls that the server got.
func (p *proxied) calls() (all []string) {
	p.Helper()
	log, err := os.ReadFile(p.log)
	require.NoError(p, err)
	for line := range strings.Lines(string(log)) {
		var m struct {
			Method string
			Params struct{ Arguments json.RawMessage }
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/call" {
			all = append(all, string(m.Params.Arguments))
		}
	}
	return all
}

// leave ends the input.
func (p *proxied) leave(code int) {
	p.Helper()
	require.NoError(p, p.client.W.Close())
	p.Ends(code)
	require.Empty(p, p.Marked())
}

func after(matcher, command string) binary.Hook {
	return binary.Hook{"name": "after", "command": command, "events": []string{"post-tool"}, "matcher": matcher}
}

func TestMCPAsksTheHooks(t *testing.T) {
	t.Parallel()
	p := newProxied(t, []binary.Hook{
		rpc.PreTool("see", "mcp__small_server__echo", `cat >>seen`),
		rpc.PreTool("block", "*", `case $("$HOOKRUN" get args.text) in
block) echo "not that" >&2; exit 1 ;;
ask) echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"nobody is there"}}' ;;
stop) echo '{"continue":false,"stopReason":"enough"}' ;;
rewrite) echo '{"hookSpecificOutput":{"updatedInput":{"text":"rewritten"},"additionalContext":"it was rewritten"}}' ;;
esac`),
		after("*", `case $("$HOOKRUN" get result) in
feedback) echo "I do not like it" >&2; echo '{"decision":"block","reason":"I do not like it"}' ;;
secret) echo '{"hookSpecificOutput":{"updatedToolOutput":"[redacted]"}}' ;;
failed) echo "it failed" ;;
remember) echo "remember this" ;;
esac`),
	}, "-v")
	require.Equal(t, []string{"plain"}, p.result("echo", binary.Hook{"text": "plain"}).texts())
	seen, err := os.ReadFile(p.Path("seen"))
	require.NoError(t, err)
	var payload struct {
		Name  string      `json:"tool_name"`
		ID    string      `json:"tool_use_id"`
		Input binary.Hook `json:"tool_input"`
	}
	require.NoError(t, json.Unmarshal(seen, &payload))
	require.Equal(t, "mcp__small_server__echo", payload.Name)
	require.Equal(t, "2", payload.ID, "that of the request")
	require.Equal(t, binary.Hook{"text": "plain"}, payload.Input)
	require.Len(t, p.calls(), 1)
	for text, reason := range map[string]string{"block": "not that", "ask": "nobody is there", "stop": "enough"} {
		r := p.result("echo", binary.Hook{"text": text})
		require.True(t, r.IsError)
		got, code, _ := strings.Cut(strings.Join(r.texts(), "\n\n"), "\n")
		require.Equal(t, reason, got)
		require.Equal(t, text == "ask", strings.Contains(code, "hookrun approve "))
	}
	require.Len(t, p.calls(), 1, "a call that is blocked never reaches the server")
	require.Equal(t, []string{"rewritten", "\nit was rewritten"},
		p.result("echo", binary.Hook{"text": "rewrite"}).texts())
	require.Equal(t, `{"text":"rewritten"}`, p.calls()[1])
	require.Equal(t, []string{"remember", "\nremember this"}, p.result("echo", binary.Hook{"text": "remember"}).texts())
	r := p.result("fail", binary.Hook{"text": "failed"})
	require.True(t, r.IsError)
	require.Equal(t, []string{"failed", "\nit failed"}, r.texts())
	require.Equal(t, []string{"feedback", "\nI do not like it"},
		p.result("echo", binary.Hook{"text": "feedback"}).texts())
	r = p.result("structured", binary.Hook{"text": "secret"})
	require.Equal(t, []string{"[redacted]"}, r.texts())
	require.Nil(t, r.Struct, "it says the same")
	p.client.AnsweredOnce("ping")
	p.leave(0)
	require.Contains(t, p.Err.String(), "hookrun mcp: pre-tool mcp__small_server__echo: hook 'see' ok in ")
}

// A rule looks at what the proxy has later, and at what the server may read otherwise.
func TestMCPAsksTheRules(t *testing.T) {
	p := newProxied(t, []binary.Hook{
		{"name": "args", "block": "not that", "events": []string{"pre-tool"},
			"when": []binary.Hook{{"path": "args.text", "matches": "^rm"}}},
		{"name": "result", "block": "a key", "events": []string{"post-tool"},
			"when": []binary.Hook{{"path": "result", "matches": "AKIA"}}},
	})
	require.Equal(t, []string{"ls"}, p.result("echo", binary.Hook{"text": "ls"}).texts())
	require.Equal(t, []string{"not that"}, p.result("echo", binary.Hook{"text": "rm x"}).texts())
	require.Equal(t, []string{"AKIA", "\na key"}, p.result("echo", binary.Hook{"text": "AKIA"}).texts())
	r := p.result("echo", binary.Hook{"text": "ls", "Text": "rm x"})
	require.True(t, r.IsError)
	require.Contains(t, r.texts()[0], "which some would read as one")
	require.Len(t, p.calls(), 2)
	p.leave(0)
}

func TestMCPFailuresOfHooksBlock(t *testing.T) {
	for name, h := range map[string]binary.Hook{
		"killed":      rpc.PreTool("h", "*", `kill -9 $$`),
		"not started": rpc.PreTool("h", "*", []string{"./none"}),
		"no JSON":     rpc.PreTool("h", "*", `echo '{'`),
		"no object":   rpc.PreTool("h", "*", `echo '{"hookSpecificOutput":{"updatedInput":[1]}}'`),
	} {
		t.Run(name, func(t *testing.T) {
			p := newProxied(t, []binary.Hook{h})
			r := p.result("echo", binary.Hook{"text": "x"})
			require.True(t, r.IsError)
			require.NotEmpty(t, r.texts()[0])
			require.Empty(t, p.calls())
			p.leave(0)
		})
	}
}

// TestMCPWithholdsWhatARedactorDidNotSee: its failure stands in the place of the result, structured content included.
func TestMCPWithholdsWhatARedactorDidNotSee(t *testing.T) {
	redactor := after("*", `kill -9 $$`)
	redactor["on_failure"] = binary.Hook{"signal": "block"}
	p := newProxied(t, []binary.Hook{redactor})
	a := p.call("structured", binary.Hook{"text": "secret"})
	require.Nil(t, a.Error)
	require.NotContains(t, string(a.Result), "secret")
	require.Contains(t, string(a.Result), `"isError":true`)
	require.Contains(t, string(a.Result), "was killed by SIGKILL")
	p.leave(0)
}

// TestMCPRefusesToolsThatAreNotListed: hooks go by the name of a tool, and a server may take another one for it.
func TestMCPRefusesToolsThatAreNotListed(t *testing.T) {
	p := newProxied(t, []binary.Hook{rpc.PreTool("see", "*", `cat >>seen`)}, `SERVER_TOOLS=[{"name":"echo"}]`, "-v")
	for _, name := range []string{"Echo", " echo", "echo ", "structured", "ECHO"} {
		r := p.result(name, binary.Hook{"text": "x"})
		require.True(t, r.IsError, name)
		require.Contains(t, r.texts()[0], fmt.Sprintf("unknown tool %q", name))
	}
	require.Empty(t, p.calls())
	require.NoFileExists(t, p.Path("seen"))
	require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	require.Len(t, p.calls(), 1)
	p.leave(0)

	none := newProxied(t, []binary.Hook{rpc.PreTool("see", "*", `cat >>seen`)})
	for range 2 {
		require.Equal(t, []string{"x"}, none.result("echo", binary.Hook{"text": "x"}).texts(),
			"its server lists nothing")
	}
	none.leave(0)
	require.Equal(t, 1, strings.Count(none.Err.String(), "gives no list of its tools, so calls pass by any name"))
}

// TestMCPStructuredContent: what a hook takes out of a result is out of its structured content too, and the result of a
// tool with a schema still has some.
func TestMCPStructuredContent(t *testing.T) {
	const schema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],` +
		`"additionalProperties":false}`
	redactor := after("*", `python3 -c '
import json, sys
call = json.load(sys.stdin)
clean = call["result"].replace("secret", "[redacted]")
if clean != call["result"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": clean}}))'`)
	p := newProxied(t, []binary.Hook{redactor},
		`SERVER_TOOLS=[{"name":"echo"},{"name":"raw"},{"name":"structured","outputSchema":`+schema+`}]`)
	r := p.result("structured", binary.Hook{"text": "a secret"})
	require.Equal(t, []string{"a [redacted]"}, r.texts())
	require.Equal(t, map[string]any{"text": "a [redacted]"}, r.Struct)
	require.False(t, r.IsError)
	hidden := p.call("raw",
		binary.Hook{"line": `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"done"}],` +
			`"structuredContent":{"key":"secret"}}}`})
	require.JSONEq(t, `{"content":[{"type":"text","text":"done"}],"structuredContent":{"key":"[redacted]"}}`,
		string(hidden.Result))
	p.leave(0)

	unknown := newProxied(t, []binary.Hook{redactor})
	r = unknown.result("structured", binary.Hook{"text": "a secret"})
	require.Equal(t, []string{"a [redacted]"}, r.texts())
	require.Nil(t, r.Struct)
	require.True(t, r.IsError, "whether the tool has a schema nobody knows")
	unknown.leave(0)
}

func TestMCPErrorsOfTheServer(t *testing.T) {
	p := newProxied(t, []binary.Hook{after("*", `"$HOOKRUN" get result >saw; "$HOOKRUN" get error >>saw; echo text`)})
	a := p.call("broken", nil)
	require.NotNil(t, a.Error)
	require.Equal(t, "broken", a.Error.Message)
	require.Equal(t, []string{"clean", "\ntext"}, p.result("garbage", nil).texts())
	require.Equal(t, []string{"\ntext"}, p.result("bare", nil).texts())
	require.Equal(t, []string{"said", "\ntext"}, p.result("stderr", binary.Hook{"text": "the server's words"}).texts())
	p.leave(0)
	saw, err := os.ReadFile(p.Path("saw"))
	require.NoError(t, err)
	require.NotEmpty(t, saw)
	for _, what := range []string{"the client does not get: text", "no JSON, which was dropped: \"starting up...\"",
		"the server's words"} {
		require.Contains(t, p.Err.String(), what)
	}
}

func TestMCPQueue(t *testing.T) {
	p := newProxied(t, []binary.Hook{rpc.PreTool("block", "mcp__small_server__fail",
		`"$HOOKRUN" get args.text | grep -q block && exit 1; exit 0`)}, "--session-id", "s1", "--agent-id", "a")
	put := func(text string, more ...string) {
		t.Helper()
		done := binary.Run(t, p.Dir, "", nil, append([]string{binary.Path, "inject", "--state", p.Path("state"),
			"--session", "s1"}, append(more, text)...)...)
		require.Equal(t, 0, done.Code, done.Stderr)
	}
	put("one")
	put("two", "--agent", "a")
	put("for somebody else", "--agent", "b")
	put("for another tool", "--matcher", "mcp__small_server__fail")
	require.Equal(t, []string{"x", "\none", "\ntwo"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts(), "once")
	require.True(t, p.result("fail", binary.Hook{"text": "block"}).IsError)
	r := p.result("fail", binary.Hook{"text": "x"})
	require.True(t, r.IsError)
	require.Equal(t, []string{"x", "\nfor another tool"}, r.texts(), "a failure is a result too")
	put("waits")
	require.NotNil(t, p.call("broken", nil).Error)
	require.Equal(t, []string{"x", "\nwaits"}, p.result("echo", binary.Hook{"text": "x"}).texts(),
		"an error of the protocol takes nothing")

	// A client that calls as a task reads nothing in the announcement but the task.
	put("after the task")
	announced := p.client.Answer(p.client.Send("tools/call", binary.Hook{"name": "raw", "task": binary.Hook{"ttl": 1},
		"arguments": binary.Hook{"line": `{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t1"}}}`}}))
	require.JSONEq(t, `{"task":{"taskId":"t1"}}`, string(announced.Result))
	require.Equal(t, []string{"x", "\nafter the task"}, p.result("echo", binary.Hook{"text": "x"}).texts())

	// What the queue has to say but no text is for people.
	put("too late", "--ttl", "2s")
	require.Eventually(t, func() bool {
		listed := binary.Run(t, p.Dir, "", nil, binary.Path, "queue", "--state", p.Path("state"), "--session", "s1")
		return listed.Code == 0 && !strings.Contains(listed.Stdout, "too late")
	}, time.Minute, 10*time.Millisecond, "it expires")
	require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	require.NoError(t, os.Chmod(filepath.Join(p.Path("state"), "queue", "s1"), 0o777))
	require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	p.leave(0)
	require.Regexp(t, `(?m)^hookrun mcp: warning: a text in the queue expired at .*"too late"$`, p.Err.String())
	require.Regexp(t, `(?m)^hookrun mcp: warning: the queue of session "s1": .*plant entries`, p.Err.String())
}

func TestMCPMassGen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".codex")
	w := ipc.Writer{Dir: dir}
	put := func(content, matcher string) {
		t.Helper()
		_, err := w.Write(content, matcher, time.Minute)
		require.NoError(t, err)
	}
	p := newProxied(t, []binary.Hook{after("*", `echo from a hook`)}, "--massgen-ipc", dir)
	t.Run("M72 M77 a payload is added once, behind what hooks say", func(t *testing.T) {
		put("from a peer", "*")
		require.Equal(t, []string{"x", "\nfrom a hook", "\nfrom a peer"},
			p.result("echo", binary.Hook{"text": "x"}).texts())
		require.Equal(t, []string{"x", "\nfrom a hook"}, p.result("echo", binary.Hook{"text": "x"}).texts())
		require.False(t, binary.Exists(dir, ipc.FileName))
	})
	t.Run("M75 the matcher sees the name that the server knows", func(t *testing.T) {
		put("for fail", "fai?")
		require.Equal(t, []string{"x", "\nfrom a hook"}, p.result("echo", binary.Hook{"text": "x"}).texts())
		put("for echo", "echo")
		require.Equal(t, []string{"x", "\nfrom a hook", "\nfor echo"},
			p.result("echo", binary.Hook{"text": "x"}).texts())
	})
	t.Run("M78 what a person says is in the structured content too", func(t *testing.T) {
		put("\n[Human Input]: stop \n", "*")
		r := p.result("structured", binary.Hook{"text": "x"})
		require.Equal(t, []string{"x", "\nfrom a hook", "\n\n[Human Input]: stop \n"}, r.texts())
		require.Equal(t, map[string]any{"text": "x", "massgen_runtime_input": "[Human Input]: stop",
			"massgen_runtime_input_priority": "high"}, r.Struct)
	})
	t.Run("M79 a tool that failed leaves the payload", func(t *testing.T) {
		put("later", "*")
		p.result("fail", nil)
		p.call("broken", nil)
		require.Equal(t, []string{"x", "\nfrom a hook", "\nlater"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	})
	t.Run("M77 a file that cannot be read breaks nothing", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ipc.FileName), []byte("{"), 0o600))
		require.Equal(t, []string{"x", "\nfrom a hook"}, p.result("echo", binary.Hook{"text": "x"}).texts())
	})
	p.leave(0)
	require.Contains(t, p.Err.String(), "warning: hook_post_tool_use.json is no JSON object")
}

func TestMCPCancelledCallEndsAtItsHook(t *testing.T) {
	t.Parallel()
	p := newProxied(t, []binary.Hook{rpc.PreTool("h", "*__hang", rpc.Family)})
	id := p.send("hang", nil)
	pids := p.Pids(2)
	require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts(), "the hook holds nothing up")
	p.client.Line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
	p.Gone(pids["hook"])
	p.Gone(pids["child"])
	require.Nil(t, p.client.Call("ping", nil).Error)
	require.Len(t, p.calls(), 1)
	log, err := os.ReadFile(p.log)
	require.NoError(t, err)
	require.NotContains(t, string(log), "cancelled")
	p.client.Mu.Lock()
	require.Zero(t, p.client.Count[id], "there is no answer")
	p.client.Mu.Unlock()
	p.leave(0)
}

func TestMCPEnds(t *testing.T) {
	// They wait more than they work.
	stay := rpc.PreTool("h", "*__hang", rpc.Family)
	t.Run("the client leaves", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, nil)
		p.leave(0)
	})
	t.Run("the client leaves a hook and a server that stay", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, []binary.Hook{stay}, "LINGER=1")
		p.send("hang", nil)
		p.Pids(2)
		p.leave(0)
		require.Empty(t, p.calls())
	})
	t.Run("the client asks and leaves", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, []binary.Hook{rpc.PreTool("h", "*", `echo h $$ >ready`), after("*", "echo after")})
		id := p.send("echo", binary.Hook{"text": "x"})
		require.NoError(t, p.client.W.Close())
		require.Contains(t, string(p.client.Answer(id).Result), "after")
		p.Ends(0)
	})
	t.Run("the server ends", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, []binary.Hook{stay})
		hanging := p.send("hang", nil)
		pids := p.Pids(2)
		a := p.call("exit", binary.Hook{"code": 3})
		require.NotNil(t, a.Error)
		require.Equal(t, -32000, a.Error.Code)
		require.Equal(t, "the server ended: exit status 3", a.Error.Message)
		require.NotNil(t, p.client.Answer(hanging).Error)
		p.Ends(1)
		require.Contains(t, p.Err.String(), "hookrun mcp: the server ended: exit status 3\n")
		require.False(t, binary.Alive(pids["child"]))
		require.Empty(t, p.Marked())
	})
	t.Run("the server ends badly when the client has left", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, nil)
		p.client.Line(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"exit","arguments":{"code":4}}}`)
		require.NoError(t, p.client.W.Close())
		p.Ends(1)
	})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, []binary.Hook{stay}, "LINGER=1")
			p.send("hang", nil)
			p.Pids(2)
			require.NoError(t, p.Cmd.Process.Signal(sig))
			p.Ends(1)
			require.Empty(t, p.Marked())
		})
	}
	t.Run("SIGKILL", func(t *testing.T) {
		t.Parallel()
		p := newProxied(t, nil, "LINGER=1")
		require.Len(t, p.Marked(), 2)
		require.NoError(t, p.Cmd.Process.Kill())
		require.Eventually(t, func() bool { return len(p.Marked()) == 0 }, binary.Patience, time.Millisecond)
		p.Ends(-1)
	})
	t.Run("the client reads nothing", func(t *testing.T) {
		t.Parallel()
		binary.Needs(t, "python3")
		cmd := exec.Command(binary.Path, "mcp", "-C", t.TempDir(), "--", "python3", "testdata/mcp/server.py")
		input, err := cmd.StdinPipe()
		require.NoError(t, err)
		output, out, err := os.Pipe()
		require.NoError(t, err)
		defer output.Close()
		cmd.Stdout = out
		require.NoError(t, cmd.Start())
		out.Close()
		for id := range 40 { // more than pipes and hookrun hold
			_, err := fmt.Fprintf(input,
				`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big","arguments":{"size":1000000}}}`+
					"\n", id)
			require.NoError(t, err)
		}
		input.Close()
		require.NoError(t, cmd.Wait())
	})
	t.Run("nobody reads stderr", func(t *testing.T) {
		t.Parallel()
		binary.Needs(t, "python3")
		dir := t.TempDir()
		binary.WriteHooks(t, dir, binary.Hook{"name": "noisy", "command": "cat >/dev/null; seq 20000 >&2",
			"events": []string{"pre-tool"}})
		cmd := exec.Command(binary.Path, "mcp", "--name", "n", "-C", dir, "--", "python3", "-c", `
import json, sys
for line in sys.stdin:
    for i in range(2000): print("log " + "x" * 110)
    print(json.dumps({"id": json.loads(line)["id"], "result": {"tools": [{"name": "t"}], "content": []}}), flush=True)`)
		stderr, to, err := os.Pipe()
		require.NoError(t, err)
		defer stderr.Close()
		cmd.Stderr = to
		input, err := cmd.StdinPipe()
		require.NoError(t, err)
		output, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		to.Close()
		lines := bufio.NewScanner(output)
		for id := range 5 {
			fmt.Fprintf(input, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}`+"\n", id)
			require.True(t, lines.Scan())
			require.Contains(t, lines.Text(), fmt.Sprintf(`"id": %d`, id))
		}
		input.Close()
		require.NoError(t, cmd.Wait())
	})
	t.Run("what the server started", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		done := binary.Run(t, dir, "", nil, binary.Path, "mcp", "--", "sh", "-c",
			`trap "" TERM; sh -c 'while :; do sleep 1; done' `+dir+` & cat >/dev/null`)
		require.Equal(t, 0, done.Code, done.Stderr)
		require.Empty(t, binary.WithArgument(t, dir))
	})
}

func TestMCPLargeMessages(t *testing.T) {
	t.Parallel()
	p := newProxied(t, []binary.Hook{after("*", `cat >/dev/null; echo end`)})
	r := p.result("big", binary.Hook{"size": 10 << 20, "more": strings.Repeat("y", 10<<20)})
	require.Len(t, r.Content[0].Text, 10<<20)
	require.Equal(t, "\nend", r.Content[1].Text)
	p.leave(0)
}

func TestMCPUsage(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"the server is missing":       {"mcp"},
		"--name is empty":             {"mcp", "--name", "", "--", "true"},
		"--massgen-ipc is empty":      {"mcp", "--massgen-ipc=", "--", "true"},
		"--state is empty":            {"mcp", "--state=", "--", "true"},
		"unknown flag: --nam":         {"mcp", "--nam", "x", "--", "true"},
		"starting the server":         {"mcp", "--", "./none"},
		"the server ended: exit stat": {"mcp", "--", "sh", "-c", "exit 7"},
		"--workspace none":            {"mcp", "-C", "none", "--", "true"},
	} {
		cmd := exec.Command(binary.Path, args...)
		cmd.Dir = dir
		stdin, err := cmd.StdinPipe() // a client that stays
		require.NoError(t, err)
		out, err := cmd.CombinedOutput()
		stdin.Close()
		require.Error(t, err, want)
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s", out)
		require.Contains(t, string(out), want)
	}
	done := binary.Run(t, dir, "", nil, binary.Path, "mcp", "cat", "-u")
	require.Equal(t, 0, done.Code, "%s: flags behind the server are its own", done.Stderr)
}

// BenchmarkMCPEcho is a line there and back: directly through cat, and with hookrun mcp before it. cat makes of each
// request one of the server's.
func BenchmarkMCPEcho(b *testing.B) {
	for name, argv := range map[string][]string{"direct": {"cat"},
		"proxy": {binary.Path, "mcp", "-C", b.TempDir(), "--", "cat"}} {
		b.Run(name, func(b *testing.B) {
			cmd := exec.Command(argv[0], argv[1:]...)
			in, err := cmd.StdinPipe()
			require.NoError(b, err)
			out, err := cmd.StdoutPipe()
			require.NoError(b, err)
			require.NoError(b, cmd.Start())
			line := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,` +
				`"progress":50,"message":"half"}}` + "\n")
			back := make([]byte, len(line))
			for b.Loop() {
				_, err := in.Write(line)
				require.NoError(b, err)
				_, err = io.ReadFull(out, back)
				require.NoError(b, err)
			}
			in.Close()
			require.NoError(b, cmd.Wait())
		})
	}
}
