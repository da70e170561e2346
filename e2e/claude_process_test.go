//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// claudeCall is a hookrun that runs hooks of Claude Code's form in a workspace of their own, and that is gone with all of
// them at the end of the test.
type claudeCall struct {
	*started
	lines *bufio.Reader
	mark  string // in the environment of all that comes of it
}

// newClaudeCall makes the workspace: settings with handlers for one event, and the fifo "ready".
func newClaudeCall(t *testing.T, event string, handlers ...hook) *claudeCall {
	c := &claudeCall{started: &started{T: t, dir: t.TempDir()}}
	c.mark = "E2E_MARK=" + c.dir
	require.NoError(t, syscall.Mkfifo(c.path("ready"), 0o600))
	var err error
	c.ready, err = os.OpenFile(c.path("ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	c.lines = bufio.NewReader(c.ready)
	t.Cleanup(func() { c.ready.Close() })
	t.Cleanup(func() {
		if c.cmd != nil && c.cmd.ProcessState == nil {
			_ = c.cmd.Process.Kill()
			_ = c.cmd.Wait()
		}
		if t.Failed() { // and may have left anything
			for _, pid := range c.marked() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		require.Eventually(t, func() bool { return len(c.marked()) == 0 }, patience, time.Millisecond, "processes are left")
	})
	settings := hook{"hooks": hook{event: []any{hook{"hooks": handlers}}}}
	require.NoError(t, os.WriteFile(c.path("settings.json"), []byte(toJSON(t, settings)), 0o600))
	return c
}

func (c *claudeCall) path(name string) string { return filepath.Join(c.dir, name) }

// begin starts hookrun.
func (c *claudeCall) begin(args ...string) {
	c.Helper()
	c.cmd = exec.Command(hookrun, append(args, "-C", c.dir, "-c", c.path("settings.json"), "-o", "json")...)
	c.cmd.Env = append(os.Environ(), c.mark)
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	require.NoError(c, c.cmd.Start())
}

// ends waits for hookrun's end, which closes its pipes too: nothing that it left may hold them.
func (c *claudeCall) ends(code int) {
	c.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		require.Fail(c, "hookrun does not end, or something holds its output")
	}
	require.Equal(c, code, c.cmd.ProcessState.ExitCode(), "%s%s", &c.out, &c.err)
}

// claudeOutcome is what these tests read of an outcome.
type claudeOutcome struct {
	Decision, Reason, Cause string
	Approved                bool
	Warnings                []string
	Inject                  []struct{ Content string }
	Hooks                   []struct {
		Name, Status, Cause string
		ExitCode            *int `json:"exit_code"`
	}
}

func (c *claudeCall) outcome() (o claudeOutcome) {
	c.Helper()
	require.NoError(c, json.Unmarshal(c.out.Bytes(), &o), "%s%s", &c.out, &c.err)
	return o
}

func (o claudeOutcome) statuses() (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Status)
	}
	return all
}

// says waits for a line of a hook's.
func (c *claudeCall) says() []string {
	c.Helper()
	require.NoError(c, c.ready.SetReadDeadline(time.Now().Add(patience)))
	line, err := c.lines.ReadString('\n')
	require.NoError(c, err, "no hook said that it is ready: %s%s", &c.out, &c.err)
	return strings.Fields(line)
}

// pids waits for n lines that are "NAME PID", and returns the pids by name.
func (c *claudeCall) pids(n int) map[string]int {
	c.Helper()
	pids := map[string]int{}
	for range n {
		words := c.says()
		require.Len(c, words, 2)
		pid, err := strconv.Atoi(words[1])
		require.NoError(c, err)
		pids[words[0]] = pid
	}
	require.Len(c, pids, n)
	return pids
}

func (c *claudeCall) gone(pid int) {
	c.Helper()
	require.Eventually(c, func() bool { return !alive(pid) }, patience, time.Millisecond, "process %d", pid)
}

// marked returns what runs of the call.
func (c *claudeCall) marked() (left []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(append(env, 0), []byte(c.mark+"\x00")) && alive(pid) {
			left = append(left, pid)
		}
	}
	return left
}

// gate makes the fifo "gate", which hooks wait at until the test opens it: see waits.
func (c *claudeCall) gate() (open func()) {
	c.Helper()
	require.NoError(c, syscall.Mkfifo(c.path("gate"), 0o600))
	f, err := os.OpenFile(c.path("gate"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(c, err)
	c.Cleanup(func() { f.Close() })
	return func() { f.Close() }
}

// waits is the script of a hook that says its name and pid, and goes on when the gate is open.
func waits(name string) string {
	return "exec 3<gate; echo " + name + " $$ >ready; read x <&3; exec 3<&-; "
}

// stays is the script of a hook that has run for a moment when it says that it is ready, with a child that no signal but
// one moves. Each of the two says so.
func stays(name string) string {
	return "trap '' TERM; sh -c 'sleep 0.3; echo " + name + ".child $$ >ready; while :; do sleep 1; done' & sleep 0.3; echo " + name + " $$ >ready; while :; do sleep 1; done"
}

func handler(script string, more ...hook) hook {
	h := hook{"type": "command", "command": script}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

const asyncLine = `echo '{"async":true}'; exec >/dev/null 2>&1; `

// asyncLeft goes on when the hook was left to itself: then nobody reads what it prints any more.
const asyncLeft = `echo '{"async":true}'; trap '' PIPE; while echo 2>/dev/null; do sleep 0.01; done; exec >/dev/null 2>&1; `

func TestAsyncHookOutlivesHookrun(t *testing.T) {
	work := waits("hook") + `cat >got; echo "$HOOKRUN_EVENT" >proof; echo done >ready`
	for way, h := range map[string]hook{
		"by the file":       handler(work, hook{"async": true}),
		"by its first line": handler(asyncLine + work),
	} {
		t.Run(way, func(t *testing.T) {
			c := newClaudeCall(t, "PreToolUse", h, handler("cat >sync"))
			open := c.gate()
			c.begin("pre-tool", "--tool", "shell", "--args", `{"command":"ls"}`)
			pid := c.pids(1)["hook"]
			c.ends(0)
			require.Equal(t, []string{"async", "ok"}, c.outcome().statuses())
			require.True(t, alive(pid))
			require.Equal(t, []int{pid}, c.marked())
			require.False(t, exists(c.dir, "proof"))
			open()
			require.Equal(t, []string{"done"}, c.says())
			c.gone(pid)
			proof, err := os.ReadFile(c.path("proof"))
			require.NoError(t, err)
			require.Equal(t, "pre-tool\n", string(proof))
			got, err := os.ReadFile(c.path("got"))
			require.NoError(t, err)
			sync, err := os.ReadFile(c.path("sync"))
			require.NoError(t, err)
			require.Equal(t, string(sync), string(got), "it has its whole input, also after hookrun's end")
			require.Contains(t, string(got), `"tool_input":{"command":"ls"}`)
		})
	}
}

// Input that no pipe would hold. By its first line a hook is given all of it before it is left to itself.
func TestAsyncHookOutlivesHookrunWithALargeInput(t *testing.T) {
	const size = 10 << 20
	for way, h := range map[string]hook{
		"by the file":       handler(waits("hook")+"tr -dc x | wc -c >ready", hook{"async": true}),
		"by its first line": handler(asyncLine + "cat >in; " + waits("hook") + "tr -dc x <in | wc -c >ready"),
	} {
		t.Run(way, func(t *testing.T) {
			c := newClaudeCall(t, "PostToolUse", h)
			require.NoError(t, os.WriteFile(c.path("result"), bytes.Repeat([]byte("x"), size), 0o600))
			open := c.gate()
			c.begin("post-tool", "--tool", "shell", "--result", "@"+c.path("result"))
			pid := c.pids(1)["hook"]
			c.ends(0)
			open()
			n, err := strconv.Atoi(c.says()[0])
			require.NoError(t, err)
			require.GreaterOrEqual(t, n, size)
			c.gone(pid)
		})
	}
}

// The parent-death signal is not for hooks that may say that nobody has to wait for them; the guard is.
func TestKilledHookrunTakesAllHooksOfACallAlong(t *testing.T) {
	const n = 4
	var handlers []hook
	for i := range n {
		handlers = append(handlers, handler(stays(fmt.Sprintf("hook%d", i))))
	}
	c := newClaudeCall(t, "PreToolUse", handlers...)
	c.begin("pre-tool", "--tool", "shell")
	pids := c.pids(2 * n)
	require.Eventually(t, func() bool { return len(children(c.cmd.Process.Pid)) == n+1 }, patience, time.Millisecond, "the hooks, and one guard")
	started := children(c.cmd.Process.Pid)
	require.NoError(t, c.cmd.Process.Kill())
	c.ends(-1)
	require.Empty(t, c.out.String())
	for _, pid := range pids {
		c.gone(pid)
	}
	for _, pid := range started {
		c.gone(pid)
	}
}

// What is over, or was left to itself, is not the guard's any more.
func TestKilledHookrunSparesWhatIsNotItsOwn(t *testing.T) {
	c := newClaudeCall(t, "PreToolUse",
		handler("sleep 0.1; sleep 1000 </dev/null >/dev/null 2>&1 & echo ended.child $! >ready; sleep 0.3; echo ended $$ >ready"),
		handler("sleep 0.1; "+asyncLeft+waits("line")+"echo done >ready"),
		handler(waits("file")+"echo done >ready", hook{"async": true}),
		handler(stays("waited")))
	open := c.gate()
	c.begin("pre-tool", "--tool", "shell")
	pids := c.pids(6)
	// The first one is reaped after the guard was told, so then its number is not the guard's any more.
	require.Eventually(t, func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", pids["ended"]))
		return os.IsNotExist(err)
	}, patience, time.Millisecond)
	require.NoError(t, c.cmd.Process.Kill())
	c.ends(-1)
	c.gone(pids["waited"])
	c.gone(pids["waited.child"])
	for _, name := range []string{"ended.child", "line", "file"} {
		require.True(t, alive(pids[name]), name)
	}
	open()
	require.Equal(t, []string{"done"}, c.says())
	require.Equal(t, []string{"done"}, c.says())
	c.gone(pids["line"])
	c.gone(pids["file"])
	require.True(t, alive(pids["ended.child"]))
	require.NoError(t, syscall.Kill(pids["ended.child"], syscall.SIGKILL))
	c.gone(pids["ended.child"])
}

func TestSignalToHookrunKillsAllHooksOfACall(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			c := newClaudeCall(t, "PreToolUse",
				handler(stays("a")), handler(stays("b")), handler("echo no >&2; exit 2"),
				handler(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; echo c $$ >ready; exec sleep 1000`),
				handler(waits("async")+"echo done >ready", hook{"async": true}))
			open := c.gate()
			c.begin("pre-tool", "--tool", "shell")
			pids := c.pids(6)
			require.NoError(t, c.cmd.Process.Signal(sig))
			c.ends(1)
			require.Empty(t, c.out.String())
			require.Contains(t, c.err.String(), "interrupted by SIG")
			require.Equal(t, []int{pids["async"]}, c.marked())
			open()
			require.Equal(t, []string{"done"}, c.says())
			c.gone(pids["async"])
		})
	}
}

// Posting, as hookrun itself does it.

func postTo(url string, more ...hook) hook {
	h := handler("", more...)
	delete(h, "command")
	h["type"], h["url"] = "http", url
	return h
}

func TestHTTPHooksOfTheRealBinary(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}`
	mux := http.NewServeMux()
	answer := func(path string, code int, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !bytes.Contains(body, []byte(`"hook_event_name":"PreToolUse"`)) {
				code = 400
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		})
	}
	answer("/deny", 200, deny)
	answer("/text", 200, "fine by me")
	answer("/500", 500, deny)
	answer("/ok", 200, "{}")
	server := httptest.NewServer(mux)
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()

	for _, want := range []struct {
		url           string
		policy        string
		code          int
		status, cause string
		text          string
	}{
		{server.URL + "/ok", "block", 0, "ok", "", ""},
		{server.URL + "/deny", "continue", 2, "blocked", "policy", "not here"},
		{server.URL + "/text", "continue", 0, "failed", "output", "something else than a JSON object"},
		{server.URL + "/500", "continue", 0, "failed", "exit", "http 500"},
		{closed.URL, "continue", 0, "failed", "exit", "refused"},
		{server.URL + "/text", "block", 2, "blocked", "output", "something else than a JSON object"},
		{server.URL + "/500", "block", 2, "blocked", "exit", "http 500"},
		{closed.URL, "block", 2, "blocked", "exit", "refused"},
	} {
		t.Run(want.url[strings.LastIndex(want.url, "/")+1:]+" "+want.policy, func(t *testing.T) {
			for _, way := range []string{"the file", "the flag"} {
				h, args := postTo(want.url, hook{"onFailure": want.policy}), []string{"pre-tool", "--tool", "shell"}
				if way == "the flag" {
					h, args = postTo(want.url), append(args, "--on-failure", want.policy)
				}
				c := newClaudeCall(t, "PreToolUse", h)
				c.begin(args...)
				c.ends(want.code)
				o := c.outcome()
				require.Equal(t, []string{want.status}, o.statuses())
				require.Equal(t, want.cause, o.Hooks[0].Cause)
				require.Nil(t, o.Hooks[0].ExitCode)
				require.False(t, o.Approved)
				if want.code == 0 {
					require.Contains(t, strings.Join(o.Warnings, "\n"), want.text)
				} else {
					require.Contains(t, o.Reason, want.text)
				}
			}
		})
	}
}

// While the server waits, no process of hookrun's has started one, and the request ends at the deadline or with hookrun.
func TestHTTPHookProcess(t *testing.T) {
	for _, end := range []string{"timeout", "SIGTERM", "SIGKILL"} {
		t.Run(end, func(t *testing.T) {
			const secret, inFile = "secret-of-the-environment", "secret-of-the-file"
			header := make(chan http.Header, 1)
			left := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				header <- r.Header
				<-r.Context().Done()
				close(left)
			}))
			defer server.Close()
			defer server.CloseClientConnections() // a test that failed still has somebody waiting for the answer
			timeout := 1000.0
			if end == "timeout" {
				timeout = 1
			}
			c := newClaudeCall(t, "PreToolUse",
				postTo(server.URL+"/?key="+inFile, hook{
					"timeout": timeout, "allowedEnvVars": []string{"GUARD_TOKEN"},
					"headers": hook{"Authorization": "Bearer $GUARD_TOKEN", "X-Key": inFile, "X-Home": "[$HOME]"},
				}))
			t.Setenv("GUARD_TOKEN", secret)
			c.begin("pre-tool", "--tool", "shell", "--args", `{"command":"`+inFile+`"}`)
			got := <-header
			require.Equal(t, []string{"Bearer " + secret}, got.Values("Authorization"))
			require.Equal(t, []string{inFile}, got.Values("X-Key"))
			require.Equal(t, []string{"[]"}, got.Values("X-Home"))
			require.Empty(t, children(c.cmd.Process.Pid))
			require.Equal(t, []int{c.cmd.Process.Pid}, c.marked())
			switch end {
			case "timeout":
				c.ends(0)
				require.Equal(t, []string{"timeout"}, c.outcome().statuses())
			case "SIGTERM":
				require.NoError(t, c.cmd.Process.Signal(syscall.SIGTERM))
				c.ends(1)
			case "SIGKILL":
				require.NoError(t, c.cmd.Process.Kill())
				c.ends(-1)
			}
			<-left
		})
	}
}

// Types that hookrun cannot run: the call goes on with a warning and without an approval, or is blocked if that is wanted.
func TestUnsupportedTypesOfTheRealBinary(t *testing.T) {
	allow := handler(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`)
	for _, kind := range []hook{{"type": "prompt", "prompt": "is it safe?"}, {"type": "agent", "prompt": "is it safe?"}, {"type": "mcp_tool", "server": "s", "tool": "t"}} {
		c := newClaudeCall(t, "PreToolUse", kind, allow)
		c.begin("pre-tool", "--tool", "shell")
		c.ends(0)
		o := c.outcome()
		require.Equal(t, []string{"skipped", "ok"}, o.statuses())
		require.Equal(t, "unsupported", o.Hooks[0].Cause)
		require.False(t, o.Approved)
		require.Len(t, o.Warnings, 1)

		c = newClaudeCall(t, "PreToolUse", kind, allow)
		c.begin("pre-tool", "--tool", "shell", "--on-failure", "block")
		c.ends(2)
		require.Equal(t, "unsupported", c.outcome().Cause)
	}
}

// Long contexts lie where only the user can read them, also after hookrun's end.
func TestLongContextIsKeptForTheModel(t *testing.T) {
	c := newClaudeCall(t, "UserPromptSubmit", handler("printf '%020000d' 0"))
	t.Setenv("TMPDIR", t.TempDir())
	c.begin("pre-execute", "--prompt", "go")
	c.ends(0)
	var o struct {
		Inject []struct {
			Content, File string
			Truncated     bool
		}
	}
	require.NoError(t, json.Unmarshal(c.out.Bytes(), &o))
	require.True(t, o.Inject[0].Truncated)
	require.Less(t, len(o.Inject[0].Content), 3000)
	require.Contains(t, o.Inject[0].Content, o.Inject[0].File)
	info, err := os.Stat(o.Inject[0].File)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	require.EqualValues(t, 20_000, info.Size())
}
