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
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// adaptersJS are the folders of scripts/examples/adapters with an adapter in JavaScript, and whether the SDK goes on
// with the loop when a tool throws.
var adaptersJS = map[string]bool{"vercel-ai": true, "openai-agents": false, "langchain": false}

// TestAdaptersJS runs a real agent of each SDK with a scripted model.
func TestAdaptersJS(t *testing.T) {
	testall.Only(t, "it installs packages of npm")
	binary.Needs(t, "node")
	binary.Needs(t, "npm")
	for name, sdkGoesOn := range adaptersJS {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := binary.InstallJS(t, name)

			t.Run("asks the hooks", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "rm -rf /", "ls")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "all done\n", d.Stdout)
				require.Equal(t, "Tidy up.\n\nThe branch is main.", d.asked)
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
			t.Run("ends the loop before the tool", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "halt", "ls")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "that is enough\n", d.Stdout)
				require.Empty(t, d.ran)
				require.Empty(t, d.shown, "the model was asked again")
			})
			t.Run("ends the loop after the tool", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "last", "ls")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "that was the last\n", d.Stdout)
				require.Equal(t, "last\n", d.ran)
				require.Empty(t, d.shown, "the model was asked again")
			})
			for prompt, reason := range map[string]string{"hold": "not today", "stop": "never again"} {
				t.Run("a prompt that a hook makes "+prompt, func(t *testing.T) {
					t.Parallel()
					d := demoJS(t, folder, binary.Path, "ls", "prompt: "+prompt)
					require.Equal(t, 0, d.Code, d.Stderr)
					require.Equal(t, reason+"\n", d.Stdout)
					require.Empty(t, d.asked, "the model was asked")
					require.Empty(t, d.ran)
				})
			}
			t.Run("shows the user what the hooks say", func(t *testing.T) {
				t.Parallel()
				d := demoJS(t, folder, binary.Path, "limp", "speak")
				require.Equal(t, 0, d.Code, d.Stderr)
				require.Equal(t, "limp\nspeak\n", d.ran)
				require.Contains(t, d.Stderr, "hookrun: warning: pre-tool hook 'guard' was killed by SIGKILL")
				require.Contains(t, d.Stderr, "\nhookrun: message: mind the gap\n")
			})
			// Without a verdict no tool runs: the server ends at once, says nothing of use, or is not there.
			const goesOn = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"decision":"continue"}}'; read line; `
			for what, script := range map[string]string{
				"ends at once":   "exit 0",
				"ends at a call": goesOn + "exit 1",
				"answers with an error": goesOn +
					`echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"interrupted"}}'`,
				"gives no verdict": goesOn + `echo '{"jsonrpc":"2.0","id":2,"result":{}}'; cat >/dev/null`,
				"writes no JSON":   goesOn + `echo oops; cat >/dev/null`,
				"gives no verdict at the start": `read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; ` +
					`cat >/dev/null`,
				"is missing": "",
			} {
				t.Run("the server "+what, func(t *testing.T) {
					t.Parallel()
					server := filepath.Join(t.TempDir(), "server")
					if script != "" {
						require.NoError(t, os.WriteFile(server, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
					}
					d := demoJS(t, folder, server, "ls")
					require.Empty(t, d.ran)
					if !sdkGoesOn || !strings.HasPrefix(script, goesOn) { // before the model is asked, or for the SDK
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
		for file, most := range map[string]int{"hooks.mjs": 80, "serve-client.mjs": 80, "demo.mjs": 50} {
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
	asked string // the user's message
}

// guardForJS blocks rm, rewrites ls, stops the loop at halt, fails open at limp and has a word for the user at speak.
// remindForJS speaks after every call, redactForJS replaces and stops after last. promptForJS adds to the prompt.
const (
	promptForJS = `case $("$HOOKRUN" get prompt) in
hold) echo '{"decision":"block","reason":"not today"}' ;;
stop) echo '{"continue":false,"stopReason":"never again"}' ;;
*) echo "The branch is main." ;;
esac`
	guardForJS = `case $("$HOOKRUN" get args.command) in
rm*) echo "rm is not for you" >&2; exit 2 ;;
halt) echo '{"continue":false,"stopReason":"that is enough"}' ;;
limp) kill -9 $$ ;;
speak) echo '{"systemMessage":"mind the gap"}' ;;
ls) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"},"additionalContext":"mind the dots"}}' ;;
esac`
	redactForJS = `case $("$HOOKRUN" get result) in *password*)
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"[redacted]"}}' ;;
"ran last") echo '{"continue":false,"stopReason":"that was the last"}' ;;
esac`
	remindForJS = `echo remember`
)

// demoJS runs the demo of an adapter in a new workspace. The model wants these commands, one by one. A last one that
// begins with "prompt: " is the user's.
func demoJS(t *testing.T, folder, server string, commands ...string) demoOfJS {
	t.Helper()
	workspace := t.TempDir()
	config := map[string]any{"hooks": []map[string]any{
		{"name": "prompt", "command": promptForJS, "events": []string{"pre-execute"}},
		{"name": "guard", "command": guardForJS, "events": []string{"pre-tool"}, "matcher": "shell",
			"on_failure": "continue"},
		{"name": "redact", "command": redactForJS, "events": []string{"post-tool"}},
		{"name": "remind", "command": remindForJS, "events": []string{"post-tool"}},
	}}
	require.NoError(t, os.WriteFile(filepath.Join(workspace, ".tenex-hooks.json"), []byte(binary.JSON(t, config)),
		0o644))
	argv := []string{"node", "demo.mjs"}
	if prompt, given := strings.CutPrefix(commands[len(commands)-1], "prompt: "); given {
		commands, argv = commands[:len(commands)-1], append(argv, prompt)
	}
	model := &modelForJS{commands: commands}
	api := httptest.NewServer(model)
	defer api.Close()
	done := binary.Run(t, folder, "", []string{"MODEL_URL=" + api.URL + "/v1", "HOOKRUN=" + server,
		"WORKSPACE=" + workspace,
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "AI_SDK_LOG_WARNINGS=false"}, argv...)
	require.Empty(t, binary.WithArgument(t, workspace), "hookrun serve is still there")
	require.Empty(t, model.wrong)
	ran, err := os.ReadFile(filepath.Join(workspace, "ran"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return demoOfJS{done, string(ran), model.shown, model.asked}
}

// modelForJS speaks OpenAI's chat completions. It asks for the next command after each result, and then is done.
type modelForJS struct {
	commands []string

	mu    sync.Mutex
	shown []string // the results of the last request
	asked string   // the user's message in it
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
		if message.Role != "tool" && message.Role != "user" {
			continue
		}
		var parts []struct{ Text string }
		var text string
		if json.Unmarshal(message.Content, &text) != nil && json.Unmarshal(message.Content, &parts) == nil {
			for _, p := range parts {
				text += p.Text
			}
		}
		if message.Role == "user" {
			m.asked = text
			continue
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
