//go:build linux

package examples

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testall"
)

// adaptersJS are the folders of scripts/examples/adapters with an adapter in JavaScript, and whether the SDK goes on
// with the loop when a tool throws.
var adaptersJS = map[string]bool{"vercel-ai": true, "openai-agents": false, "langchain": false}

// TestAdaptersJS runs a real agent of each SDK with a scripted model.
func TestAdaptersJS(t *testing.T) {
	testall.Only(t, "it installs packages of npm")
	binary.Needs(t, "node")
	binary.Needs(t, "npm")
	for name, goesOn := range adaptersJS {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := binary.InstallJS(t, name)

			t.Run("asks the hooks", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "rm -rf /", "ls")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "all done\n", d.Stdout)
				require.Equal(t, "ls -l\n", d.ran)
				require.Equal(t, []string{"rm is not for you\n\nremember", "ran ls -l\n\nmind the dots\n\nremember"},
					d.shown)
			})
			t.Run("takes the hooks' result for the tool's", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "cat password")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "cat password\n", d.ran)
				require.Equal(t, []string{"[redacted]\n\nremember"}, d.shown)
			})
			t.Run("ends the loop", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "halt", "ls")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "that is enough\n", d.Stdout)
				require.NotContains(t, d.ran, "ls")
				require.Empty(t, d.shown, "the model was asked again")
			})
			// Without a verdict no tool runs: the server ends at once, says nothing of use, or is not there.
			for what, script := range map[string]string{
				"ends at once":   "exit 0",
				"ends at a call": "read line; exit 1",
				"answers with an error": `while read line; do echo ` +
					`'{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"interrupted"}}'; exit; done`,
				"gives no verdict": `read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat >/dev/null`,
				"writes no JSON":   `read line; echo oops; cat >/dev/null`,
				"is missing":       "",
			} {
				t.Run("the server "+what, func(t *testing.T) {
					t.Parallel()
					server := filepath.Join(t.TempDir(), "server")
					if script != "" {
						require.NoError(t, os.WriteFile(server, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
					}
					d := demoJS(t, folder, server, "ls")
					require.Empty(t, d.ran)
					if !goesOn {
						require.NotZero(t, d.Code)
						require.Contains(t, d.Stderr, "hook")
						require.Empty(t, d.shown)
						return
					}
					require.Equal(t, 0, d.Code, d.Stderr)
					require.Len(t, d.shown, 1)
					require.Regexp(t, "hookrun serve|the hooks could not run", d.shown[0])
				})
			}
		})
	}
}

// TestAdaptersJSHaveTheirForm: whoever copies one folder has all of it, and can read it.
func TestAdaptersJSHaveTheirForm(t *testing.T) {
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	var client []byte
	for name := range adaptersJS {
		dir := filepath.Join(binary.Repository(t), "scripts", "examples", "adapters", name)
		read := func(file string) []byte {
			text, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			return text
		}
		for file, most := range map[string]int{"hooks.mjs": 80, "serve-client.mjs": 50, "demo.mjs": 50} {
			require.LessOrEqual(t, strings.Count(string(read(file)), "\n"), most, "%s/%s", name, file)
		}
		var pkg struct{ Dependencies map[string]string }
		require.NoError(t, json.Unmarshal(read("package.json"), &pkg))
		for dependency, version := range pkg.Dependencies {
			require.Regexp(t, exact, version, "%s: %s", name, dependency)
		}
		if client == nil {
			client = read("serve-client.mjs")
		}
		require.Equal(t, string(client), string(read("serve-client.mjs")), "all adapters have the same client")
	}
}

// demoOfJS is what a demo left behind: also what the tool ran, and what the model was shown as its results.
type demoOfJS struct {
	binary.Result
	ran   string
	shown []string
}

// guardForJS blocks rm, rewrites ls and stops the loop at halt. remindForJS speaks after every call, redactForJS
// replaces.
const (
	guardForJS = `case $("$HOOKRUN" get args.command) in
rm*) echo "rm is not for you" >&2; exit 2 ;;
halt) echo '{"continue":false,"stopReason":"that is enough"}' ;;
ls) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"},"additionalContext":"mind the dots"}}' ;;
esac`
	redactForJS = `case $("$HOOKRUN" get result) in *password*)
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"[redacted]"}}' ;;
esac`
	remindForJS = `echo remember`
)

// demoJS runs the demo of an adapter in a new workspace. The model wants these commands, one by one.
func demoJS(t *testing.T, folder, server string, commands ...string) demoOfJS {
	t.Helper()
	workspace := t.TempDir()
	config := map[string]any{"hooks": []map[string]any{
		{"name": "guard", "command": guardForJS, "events": []string{"pre-tool"}, "matcher": "shell"},
		{"name": "redact", "command": redactForJS, "events": []string{"post-tool"}},
		{"name": "remind", "command": remindForJS, "events": []string{"post-tool"}},
	}}
	require.NoError(t, os.WriteFile(filepath.Join(workspace, ".tenex-hooks.json"), []byte(binary.JSON(t, config)),
		0o644))
	model := &modelForJS{commands: commands}
	api := httptest.NewServer(model)
	defer api.Close()
	done := binary.Run(t, folder, "", []string{"MODEL_URL=" + api.URL + "/v1", "HOOKRUN=" + server,
		"WORKSPACE=" + workspace,
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "AI_SDK_LOG_WARNINGS=false"}, "node", "demo.mjs")
	require.Empty(t, binary.WithArgument(t, workspace), "hookrun serve is still there")
	require.Empty(t, model.wrong)
	ran, err := os.ReadFile(filepath.Join(workspace, "ran"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return demoOfJS{done, string(ran), model.shown}
}

// modelForJS speaks OpenAI's chat completions. It asks for the next command after each result, and then is done.
type modelForJS struct {
	commands []string

	mu    sync.Mutex
	shown []string // the results of the last request
	wrong []string // requests that it does not know
}

func (m *modelForJS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var request struct {
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	err := json.NewDecoder(r.Body).Decode(&request)
	if err != nil || request.Stream || r.URL.Path != "/v1/chat/completions" {
		m.wrong = append(m.wrong, fmt.Sprintf("%s %s: stream %v, %v", r.Method, r.URL.Path, request.Stream, err))
		http.Error(w, "not in the script", http.StatusBadRequest)
		return
	}
	m.shown = nil
	for _, message := range request.Messages {
		if message.Role != "tool" {
			continue
		}
		var parts []struct{ Text string }
		var text string
		if json.Unmarshal(message.Content, &text) != nil && json.Unmarshal(message.Content, &parts) == nil {
			for _, p := range parts {
				text += p.Text
			}
		}
		m.shown = append(m.shown, text)
	}
	answer, why := map[string]any{"role": "assistant", "content": "all done"}, "stop"
	if n := len(m.shown); n < len(m.commands) {
		args, _ := json.Marshal(map[string]string{"command": m.commands[n]})
		answer, why = map[string]any{"role": "assistant", "content": nil, "tool_calls": []map[string]any{{
			"id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": "shell", "arguments": string(args)},
		}}}, "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"id": fmt.Sprintf("answer_%d", len(m.shown)), "object": "chat.completion", "created": 1, "model": "demo",
		"choices": []map[string]any{{"index": 0, "message": answer, "finish_reason": why}},
		"usage":   map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	})
}
