//go:build linux

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// client is what differs between the real clients of this machine.
type client struct {
	name  string
	args  []string                           // one turn without a terminal, in which the shell may be used
	env   []string                           // $URL stands for the model's, here and in home
	home  map[string]string                  // the user's own files
	trust func(*clientRun)                   // what is asked of the user beyond that
	shell string                             // the tool's name
	says  func(n int, command string) string // the model's answer: a call of the shell, or "" for the end of the turn

	asks, stops outcomeOfCall // what becomes of a call that a hook asks about, or stops at
	toUser      bool          // a text before a tool is for the user: the model cannot be told
	mute        bool          // it shows its user no message of a hook's, nor why a prompt was blocked: only that
	replaces    bool          // what blocks after the tool takes the place of its result
}

// outcomeOfCall is what becomes of a call, and of the turn.
type outcomeOfCall struct {
	runs, goesOn bool
	says         string // to the model, if it goes on
}

var realClients = []client{{
	name: "claude",
	args: []string{"-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"},
	env: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"},

	shell: "Bash",
	says: func(n int, command string) string {
		if command == "" {
			return claudeText("done")
		}
		return claudeToolUse(fmt.Sprint("toolu_", n), "Bash", binary.Hook{"command": command})
	},
	asks:  outcomeOfCall{goesOn: true, says: "let somebody look"},
	stops: outcomeOfCall{runs: true},
}, {
	name: "codex",
	args: []string{"exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "go"},
	home: map[string]string{".codex/config.toml": `
model = "scripted"
model_provider = "loopback"
model_providers.loopback = {name = "loopback", base_url = "$URL/v1", wire_api = "responses"}
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false # it would look for them on GitHub
projects."$WORKSPACE".trust_level = "trusted"
`},
	trust: trustInCodex,
	shell: "exec_command",
	says: func(n int, command string) string {
		item := binary.Hook{"type": "message", "role": "assistant", "id": "msg",
			"content": []any{binary.Hook{"type": "output_text", "text": "done"}}}
		if command != "" {
			item = binary.Hook{"type": "function_call", "call_id": fmt.Sprint("call_", n), "name": "exec_command",
				"arguments": toText(binary.Hook{"cmd": command})}
		}
		return stream(
			binary.Hook{"type": "response.created", "response": binary.Hook{"id": "resp"}},
			binary.Hook{"type": "response.output_item.done", "item": item},
			binary.Hook{"type": "response.completed",
				"response": binary.Hook{"id": "resp", "usage": binary.Hook{"input_tokens": 1, "output_tokens": 1,
					"total_tokens": 2}}})
	},
	asks:  outcomeOfCall{goesOn: true, says: "let somebody look"},
	stops: outcomeOfCall{goesOn: true, says: "enough for today"},
	mute:  true, replaces: true,
}, {
	name: "gemini",
	args: []string{"--model", "gemini-2.5-pro", "--yolo", "--prompt", "go"},
	env: []string{"GOOGLE_GEMINI_BASE_URL=$URL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true"}, // started as two processes it does not end after an "ask"
	home: map[string]string{
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`},
	shell: "run_shell_command",
	says: func(n int, command string) string {
		part := binary.Hook{"text": "done"}
		if command != "" {
			part = binary.Hook{"functionCall": binary.Hook{"name": "run_shell_command",
				"args": binary.Hook{"command": command}}}
		}
		return stream(binary.Hook{"candidates": []any{binary.Hook{"content": binary.Hook{"role": "model",
			"parts": []any{part}}, "finishReason": "STOP"}}})
	},
	toUser: true, replaces: true,
}}

// claudeText is an answer of Claude's model that ends the turn.
func claudeText(text string) string {
	return claudeMessage(binary.Hook{"type": "text", "text": ""}, binary.Hook{"type": "text_delta", "text": text},
		"end_turn")
}

// claudeToolUse is an answer of Claude's model that calls a tool.
func claudeToolUse(id, tool string, input binary.Hook) string {
	return claudeMessage(binary.Hook{"type": "tool_use", "id": id, "name": tool, "input": binary.Hook{}},
		binary.Hook{"type": "input_json_delta", "partial_json": toText(input)}, "tool_use")
}

func claudeMessage(block, content binary.Hook, reason string) string {
	usage := binary.Hook{"input_tokens": 1, "output_tokens": 1}
	return stream(
		binary.Hook{"type": "message_start", "message": binary.Hook{"id": "msg", "type": "message",
			"role": "assistant", "model": "scripted", "content": []any{}, "usage": usage}},
		binary.Hook{"type": "content_block_start", "index": 0, "content_block": block},
		binary.Hook{"type": "content_block_delta", "index": 0, "delta": content},
		binary.Hook{"type": "content_block_stop", "index": 0},
		binary.Hook{"type": "message_delta", "delta": binary.Hook{"stop_reason": reason}, "usage": usage},
		binary.Hook{"type": "message_stop"})
}

func toText(v binary.Hook) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// stream is server-sent events.
func stream(events ...binary.Hook) string {
	var all strings.Builder
	for _, e := range events {
		data, _ := json.Marshal(e)
		if name, ok := e["type"]; ok {
			fmt.Fprintf(&all, "event: %s\n", name)
		}
		fmt.Fprintf(&all, "data: %s\n\n", data)
	}
	return all.String()
}

// TestClients has the real clients obey one file, testdata/project/.tenex-hooks.json, in which hookrun is installed as
// a user does it.
func TestClients(t *testing.T) {
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.name); err != nil {
				t.Skip(c.name + " is not on PATH")
			}
			if !alone(t) {
				newClientRun(t, c).test()
			}
		})
	}
}

// alone runs the test again where there is no network but loopback, and reports whether it did: not every system lets
// us. The proxies of a client lead nowhere, with a network or without.
func alone(t *testing.T) bool {
	const inside = "E2E_LOOPBACK_ONLY"
	if os.Getenv(inside) != "" || exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").Run() != nil {
		return false
	}
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.Command("unshare", "-rn", "sh", "-c", `ip link set lo up && exec "$@"`, "sh", os.Args[0], "-test.v",
		"-test.timeout=10m", "-test.run="+pattern)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "the test did not run")
	t.Logf("with loopback alone:\n%s", out)
	return true
}

// clientRun is a client with a home, a project and a model of its own.
type clientRun struct {
	*testing.T
	client
	home, workspace, mark string
	env                   []string
	output                string // of the last turn

	version  sync.Once
	mu       sync.Mutex
	commands []string       // that the model asks for in this turn, one after the other
	requests map[int]string // that the model got, by the number of results in them
}

func newClientRun(t *testing.T, c client) *clientRun {
	r := &clientRun{T: t, client: c}
	r.prepare(r)
	require.NoError(t, os.CopyFS(r.workspace, os.DirFS("testdata/project")))
	return r
}

// prepare makes the home, the project and the environment of a client whose model is the handler.
func (r *clientRun) prepare(handler http.Handler) {
	t, c := r.T, r.client
	r.home, r.workspace = t.TempDir(), t.TempDir()
	r.mark = "E2E_MARK=" + r.home
	model := httptest.NewServer(handler)
	t.Cleanup(model.Close)
	names := strings.NewReplacer("$URL", model.URL, "$WORKSPACE", r.workspace)
	for path, text := range c.home {
		path = filepath.Join(r.home, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(names.Replace(text)), 0o600))
	}
	// Nothing of ours that a client may know: it would change what it does, or be a key to somebody's account.
	r.env = []string{
		"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH"),
		"HOME=" + r.home, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", "TERM=dumb", r.mark,
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}
	for _, e := range c.env {
		r.env = append(r.env, names.Replace(e))
	}
	t.Cleanup(r.nothingLeft)
}

// ServeHTTP is the model. How far the turn has come is in the request.
func (r *clientRun) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if req.Method != http.MethodPost || !bytes.Contains(body, []byte(`"name":"`+r.shell+`"`)) {
		http.NotFound(w, req) // a list of models, a title for the session
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, command := len(results.FindAll(body, -1)), ""
	r.requests[n] = string(body)
	r.version.Do(func() { r.Log(req.UserAgent()) })
	if n < len(r.commands) {
		command = r.commands[n]
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, r.says(n, command))
}

var results = regexp.MustCompile(`"(tool_result|function_call_output|functionResponse)"|"role":"tool"`)

// command is a program that the user starts in the project. It is gone in a while, with what it started.
func (r *clientRun) command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(r.Context(), 3*binary.Patience)
	r.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.workspace, append(r.env, "PWD="+r.workspace)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

func (r *clientRun) run(name string, args ...string) string {
	r.Helper()
	out, err := r.command(name, args...).CombinedOutput()
	require.NoError(r, err, "%s %q, which may be killed if it does not end:\n%s", name, args, out)
	return string(out)
}

// turn runs the client while the model asks for these commands.
func (r *clientRun) turn(commands ...string) {
	r.Helper()
	r.mu.Lock()
	r.commands, r.requests = commands, map[int]string{}
	r.mu.Unlock()
	r.output = r.run(r.name, r.args...)
	r.mu.Lock() // behind the last request
	defer r.mu.Unlock()
}

// told requires that the model got a text right after it asked for a command.
func (r *clientRun) told(command, text string) {
	r.Helper()
	n := slices.Index(r.commands, command)
	require.Contains(r, r.requests, n+1, "the model was told nothing after %q:\n%s", command, r.output)
	before, after := r.requests[n], r.requests[n+1]
	last := results.FindAllStringIndex(after, -1)[n][0]
	require.Greater(r, strings.Count(after, text), strings.Count(before, text),
		"%q is not in what came after %q: %.1500s\n%s", text, command, after[last:], r.output)
}

// neverTold requires that the model did not get a text in this turn.
func (r *clientRun) neverTold(text string) {
	r.Helper()
	for _, body := range r.requests {
		require.NotContains(r, body, text)
	}
}

func (r *clientRun) ran(file string) {
	r.Helper()
	require.FileExists(r, filepath.Join(r.workspace, file), "%s", r.output)
}

func (r *clientRun) neverRan(file string) {
	r.Helper()
	require.NoFileExists(r, filepath.Join(r.workspace, file), "%s", r.output)
}

func (r *clientRun) nothingLeft() {
	left := (&binary.Call{Mark: r.mark}).Marked
	defer func() {
		for _, pid := range left() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	require.Eventually(r, func() bool { return len(left()) == 0 }, binary.Patience, 10*time.Millisecond,
		"processes are left")
}

func (r *clientRun) test() {
	r.run(binary.Path, "install", r.name, "--project", "--allow")
	if r.trust != nil {
		r.trust(r)
	}

	const breakFile = "echo { >.tenex-hooks.json"
	r.turn("touch free", "touch forbidden", "touch asked", "touch noted", "cat missing", "touch late", "touch crashed",
		"cat secret", "cat private", "touch unchecked",
		breakFile, "touch anything")
	require.Contains(r, r.requests[0], "text at the prompt")
	r.ran("free")

	r.neverRan("forbidden")
	r.told("touch forbidden", "not this one")

	r.neverRan("asked")
	r.ran("rewritten")

	r.ran("noted")
	r.told("touch noted", "text after the tool")
	r.told("cat missing", "text after a failure")
	if r.toUser {
		require.Contains(r, r.output, "text before the tool")
		r.neverTold("text before the tool")
	} else {
		r.told("touch noted", "text before the tool")
	}

	r.neverRan("late")
	r.told("touch late", "'sleeper'")
	r.neverRan("crashed")
	r.told("touch crashed", "'crasher'")

	r.told("cat secret", "not for your eyes")
	if r.replaces {
		r.neverTold("the launch code")
	}
	r.told("cat private", "what may be seen")
	r.neverTold("the home address")

	r.ran("unchecked")
	if !r.mute {
		require.Contains(r, r.output, "hook 'dropout' gave no answer")
	}

	r.told(breakFile, ".tenex-hooks.json:2:1: ")
	r.neverRan("anything")
	r.told("touch anything", ".tenex-hooks.json:2:1: ")

	r.turn("touch anything")
	require.Empty(r, r.requests, "the prompt was let through:\n%s", r.output)
	if r.mute {
		require.Contains(r, r.output, "hook: UserPromptSubmit Blocked")
	} else {
		require.Contains(r, r.output, ".tenex-hooks.json:2:1: ")
	}
	r.hooks()

	for file, want := range map[string]outcomeOfCall{"doubtful": r.asks, "stopped": r.stops} {
		r.turn("touch " + file)
		if want.runs {
			r.ran(file)
		} else {
			r.neverRan(file)
		}
		if want.goesOn {
			r.told("touch "+file, want.says)
		} else {
			require.Len(r, r.requests, 1, "%s", r.output)
		}
	}

	r.run(binary.Path, "uninstall", r.name, "--project")
	r.turn("touch forbidden")
	r.ran("forbidden")
}

// hooks writes the hooks file as it was.
func (r *clientRun) hooks() {
	text, err := os.ReadFile("testdata/project/.tenex-hooks.json")
	require.NoError(r, err)
	require.NoError(r, os.WriteFile(filepath.Join(r.workspace, ".tenex-hooks.json"), text, 0o600))
}

// trustInCodex trusts the hooks of the project.
func trustInCodex(r *clientRun) {
	binary.TrustInCodex(r.T, r.home, r.workspace, r.command("codex", "app-server"), 3)
}
