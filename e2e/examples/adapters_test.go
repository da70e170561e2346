//go:build linux

package examples

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// chatScript is a model behind HTTP, which knows two APIs. It calls shell with "rm -rf /", then with "ls", and is then
// done.
type chatScript struct {
	*httptest.Server
	mu    sync.Mutex
	shown []string // the results of tools in the last request
	asked int
}

func newChatScript(t *testing.T) *chatScript {
	m := &chatScript{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var shown []string
		for _, message := range request.Messages {
			if message.Role == "tool" {
				shown = append(shown, message.Content)
			}
		}
		answer := map[string]any{"role": "assistant", "content": "all done"}
		if command := m.next(shown); command != "" {
			args, _ := json.Marshal(map[string]string{"command": command})
			answer["content"] = nil
			answer["tool_calls"] = []any{map[string]any{"id": "call-1", "type": "function",
				"function": map[string]any{"name": "shell", "arguments": string(args)}}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": answer}}})
	})
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct {
				Content []struct {
					Type    string
					Content []struct{ Text string }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var shown []string
		for _, message := range request.Messages {
			for _, block := range message.Content {
				if block.Type == "tool_result" {
					shown = append(shown, block.Content[0].Text)
				}
			}
		}
		answer, reason := map[string]any{"type": "text", "text": "all done"}, "end_turn"
		if command := m.next(shown); command != "" {
			answer = map[string]any{"type": "tool_use", "id": "call-1", "name": "shell",
				"input": map[string]string{"command": command}}
			reason = "tool_use"
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []any{answer},
			"stop_reason": reason,
			"usage":       map[string]int{"input_tokens": 1, "output_tokens": 1},
		})
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// next is the command that the model wants after these results; "" is none.
func (m *chatScript) next(shown []string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = shown
	m.asked++
	return []string{"rm -rf /", "ls", ""}[min(len(shown), 2)]
}

func (m *chatScript) saw() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown
}

// spoken is what the hooks of adapterWorkspace say to the user: one guard fails open before each tool that the first
// does not block, and the reminder has a message after each.
const spoken = "hookrun: message: good luck\n" +
	"hookrun: message: call 1\n" +
	"hookrun: warning: pre-tool hook 'limp' was killed by SIGKILL; continuing\n" +
	"hookrun: message: call 2\n"

// adapterWorkspace has a guard that blocks rm and rewrites ls, one that fails open, and a hook with a word for after
// the tool.
func adapterWorkspace(t *testing.T) string {
	dir := t.TempDir()
	binary.WriteHooks(t, dir, binary.On("pre-tool", "guard", `in=$(cat)
case $in in
*'"command":"rm'*) echo 'rm is not for you' >&2; exit 2 ;;
*'"command":"ls"'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}' ;;
esac`), binary.Hook{"name": "limp", "command": "kill -9 $$", "events": []string{"pre-tool"}, "on_failure": "continue"},
		binary.On("post-tool", "reminder", `echo >>calls; printf '{"systemMessage":"call %s",'"`+
			`\"hookSpecificOutput\":{\"additionalContext\":\"remember\"}}" $(wc -l <calls)`),
		binary.On("pre-execute", "luck", `echo '{"systemMessage":"good luck"}'`))
	return dir
}

// adapterRuns runs a loop to its end. Of all that it started nothing may be left.
func adapterRuns(t *testing.T, dir string, m *chatScript, env []string, argv ...string) binary.Result {
	t.Helper()
	mark := "E2E_MARK=" + dir
	env = append([]string{mark, "WORKSPACE=" + dir, "NO_PROXY=127.0.0.1", "MODEL_URL=" + m.URL + "/v1",
		"ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=none"}, env...)
	done := binary.Run(t, dir, "", env, argv...)
	all := &binary.Call{Mark: mark}
	require.Eventually(t, func() bool { return len(all.Marked()) == 0 }, binary.Patience, time.Millisecond,
		"processes are left")
	return done
}

// requireGuarded compares what the model and the tool saw.
func requireGuarded(t *testing.T, dir string, m *chatScript, done binary.Result) {
	t.Helper()
	require.Equal(t, binary.Result{Stdout: "all done\n", Stderr: spoken}, done)
	require.Equal(t, []string{"rm is not for you\n\nremember", "ran ls -l\n\nremember"}, m.saw())
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	require.NoError(t, err)
	require.Equal(t, "ls -l\n", string(ran))
}

func pythonLoop(t *testing.T) []string {
	binary.Needs(t, "python3")
	return []string{"python3", filepath.Join(binary.Repository(t), "scripts", "examples", "adapters", "python-loop",
		"loop.py")}
}

func TestAdapterPythonLoop(t *testing.T) {
	loop, dir, m := pythonLoop(t), adapterWorkspace(t), newChatScript(t)
	requireGuarded(t, dir, m, adapterRuns(t, dir, m, nil, loop...))
}

// TestAdapterPythonLoopWithoutVerdict: where hookrun does not answer, the tool does not run.
func TestAdapterPythonLoopWithoutVerdict(t *testing.T) {
	const goesOn = `read -r line; echo ` +
		`'{"jsonrpc":"2.0","id":1,"result":{"version":1,"event":"pre-execute","decision":"continue"}}'`
	type program struct {
		script string
		asked  int // how often the model was asked
	}
	programs := map[string]program{
		"it ends at once": {`exit 0`, 0},
		"it ends later":   {goesOn, 1},
		"an error": {goesOn +
			`; read -r line; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"no"}}'; cat`, 1},
		"the answer to other": {goesOn +
			`; read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"decision":"continue"}}'; cat`, 1},
		"no JSON": {goesOn + `; read -r line; echo continue; cat`, 1},
	}
	for _, name := range testall.PartOf(3, programs) {
		c := programs[name]
		t.Run(name, func(t *testing.T) {
			loop, dir, m := pythonLoop(t), adapterWorkspace(t), newChatScript(t)
			program := filepath.Join(t.TempDir(), "hookrun")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755))
			done := adapterRuns(t, dir, m, []string{"HOOKRUN=" + program}, loop...)
			require.Equal(t, 1, done.Code)
			require.Empty(t, done.Stdout)
			require.Contains(t, done.Stderr, "loop: the hooks gave no verdict, so nothing more is run: ")
			require.NotContains(t, done.Stderr, "Traceback")
			require.False(t, binary.Exists(dir, "ran"))
			require.Equal(t, c.asked, m.asked)
		})
	}
}

func TestAdapterPythonLoopEndsAtAStop(t *testing.T) {
	loop, dir, m := pythonLoop(t), t.TempDir(), newChatScript(t)
	binary.WriteHooks(t, dir, binary.Answers("pre-tool", `{"continue":false,"stopReason":"enough"}`))
	done := adapterRuns(t, dir, m, nil, loop...)
	require.Equal(t, binary.Result{Code: 1, Stderr: "loop: a hook ends this: enough\n"}, done)
	require.False(t, binary.Exists(dir, "ran"))
}

// anthropicGo builds the adapter as somebody would who copied its folder.
func anthropicGo(t *testing.T) (program string) {
	t.Helper()
	testall.Only(t, "it fetches and builds Go modules of its own")
	from, dir := filepath.Join(binary.Repository(t), "scripts", "examples", "adapters", "anthropic-go"), t.TempDir()
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		require.NoError(t, err)
		if f.Name() == "go.mod" {
			require.Contains(t, string(text), "=> ../../../..\n")
			text = []byte(strings.Replace(string(text), "=> ../../../..", "=> "+strconv.Quote(binary.Repository(t)), 1))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644))
	}
	binary.Fetch(t, dir, nil, "go", "mod", "download")
	program = filepath.Join(dir, "anthropic-go")
	built := binary.Run(t, dir, "", []string{"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off"}, "go", "build",
		"-o", program, ".")
	require.Equal(t, 0, built.Code, built.Stderr)
	return program
}

func TestAdapterAnthropicGo(t *testing.T) {
	program := anthropicGo(t)
	t.Run("guarded", func(t *testing.T) {
		dir, m := adapterWorkspace(t), newChatScript(t)
		requireGuarded(t, dir, m, adapterRuns(t, dir, m, nil, program, "tidy up"))
	})
	t.Run("a stop", func(t *testing.T) {
		dir, m := t.TempDir(), newChatScript(t)
		binary.WriteHooks(t, dir, binary.Answers("pre-tool", `{"continue":false,"stopReason":"enough"}`))
		done := adapterRuns(t, dir, m, nil, program)
		require.Equal(t, binary.Result{Code: 1, Stderr: "anthropic-go: a hook ends this: enough\n"}, done)
		require.False(t, binary.Exists(dir, "ran"))
		require.Equal(t, 1, m.asked)
	})
	t.Run("hooks that cannot be read", func(t *testing.T) {
		dir, m := t.TempDir(), newChatScript(t)
		binary.WriteFile(t, dir, ".tenex-hooks.json", "{")
		done := adapterRuns(t, dir, m, nil, program)
		require.Equal(t, 1, done.Code)
		require.Contains(t, done.Stderr, ".tenex-hooks.json:")
		require.Zero(t, m.asked)
	})
	t.Run("a hook that stays", func(t *testing.T) {
		dir, m := t.TempDir(), newChatScript(t)
		binary.WriteHooks(t, dir, binary.Hook{
			"name": "gate", "events": []string{"pre-tool"}, "persistent": true,
			"command": `while read -r line; do echo $$ >>pids; case $line in *'rm -rf'*) echo ` +
				`'{"exit_code":2,"stderr":"no"}';; *) echo '{}';; esac; done`,
		})
		require.Equal(t, binary.Result{Stdout: "all done\n"}, adapterRuns(t, dir, m, nil, program))
		require.Equal(t, []string{"no", "ran ls"}, m.saw())
		pids, err := os.ReadFile(filepath.Join(dir, "pids"))
		require.NoError(t, err)
		words := strings.Fields(string(pids))
		require.Len(t, words, 2)
		require.Equal(t, words[0], words[1], "one process for both calls")
	})
}
