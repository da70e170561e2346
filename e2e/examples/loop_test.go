//go:build unix

package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// message is what a model reads and writes.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Command string `json:"command,omitempty"` // of the assistant: it calls the tool shell
}

// TestHookBlocksTheToolOfAnAgentLoop is TENEX's probe for pre-tool hooks, with a scripted model: the reason of the
// block is what the model reads as the tool's result, the command never ran, and the loop ends well.
func TestHookBlocksTheToolOfAnAgentLoop(t *testing.T) {
	guard := binary.On("pre-tool", "guard", `grep -q '"tool":"shell"' && { printf hook-blocked >&2; exit 1; }; exit 0`)
	// The command's text does not have what it prints, so that this can be looked for in all requests.
	const command = `printf 'hel%s\n' lo; touch ran`

	t.Run("blocked", func(t *testing.T) {
		dir := t.TempDir()
		binary.WriteHooks(t, dir, guard)
		requests, answer := agentLoop(t, dir, command)
		require.Len(t, requests, 2, "the model calls the tool, and acknowledges: no try by another way")
		require.Contains(t, requests[1], `{"role":"tool","content":"hook-blocked"}`)
		for _, r := range requests {
			require.NotContains(t, r, "hello")
		}
		require.False(t, binary.Exists(dir, "ran"))
		require.Equal(t, "I may not: hook-blocked", answer)
	})
	t.Run("not blocked", func(t *testing.T) { // so that the test above can fail
		dir := t.TempDir()
		guard := binary.Hook{"name": "guard", "command": guard["command"], "events": guard["events"], "matcher": "fs_*"}
		binary.WriteHooks(t, dir, guard)
		requests, answer := agentLoop(t, dir, command)
		require.Len(t, requests, 2)
		require.Contains(t, requests[1], `{"role":"tool","content":"hello\n"}`)
		require.True(t, binary.Exists(dir, "ran"))
		require.Equal(t, "done", answer)
	})
	for _, loop := range loops {
		t.Run(loop.file, func(t *testing.T) {
			loop.needs(t)
			dir := t.TempDir()
			binary.WriteHooks(t, dir, guard)
			call := binary.JSON(t, map[string]string{"command": command})
			done := binary.Run(t, dir, call+"\n", nil, loop.path(t))
			require.Equal(t, 0, done.Code, done.Stderr)
			require.Equal(t, []message{
				{Role: "user", Content: "Do what the script says."},
				{Role: "call", Content: call},
				{Role: "tool", Content: "hook-blocked"},
			}, loop.read(t, done.Stdout))
			require.NotContains(t, done.Stdout, "hello")
			require.False(t, binary.Exists(dir, "ran"))
		})
	}
}

// agentLoop runs a model that calls the tool shell once and then says how that went. It returns each request to the
// model, and the model's last words.
func agentLoop(t *testing.T, dir, command string) (requests []string, answer string) {
	conversation := []message{{Role: "user", Content: "say it"}}
	for range 5 {
		requests = append(requests, binary.JSON(t, conversation))
		turn := scriptedModel(conversation, command)
		if turn.Command == "" {
			return requests, turn.Content
		}
		conversation = append(conversation, turn, message{Role: "tool", Content: aroundShell(t, dir, turn.Command)})
	}
	require.Fail(t, "the model does not come to an end")
	return nil, ""
}

func scriptedModel(conversation []message, command string) message {
	last := conversation[len(conversation)-1]
	switch {
	case last.Role == "user":
		return message{Role: "assistant", Command: command}
	case last.Content == "hook-blocked":
		return message{Role: "assistant", Content: "I may not: " + last.Content}
	}
	return message{Role: "assistant", Content: "done"}
}

// aroundShell is the tool with hookrun's binary around it: text output and exit codes, as README says.
func aroundShell(t *testing.T, dir, command string) string {
	args := binary.JSON(t, map[string]string{"command": command})
	pre := binary.Run(t, dir, args, nil, binary.Path, "pre-tool", "--tool", "shell", "--args", "-")
	result := strings.TrimSuffix(pre.Stderr, "\n")
	if pre.Code == 0 {
		out, err := shellCommand(dir, command).CombinedOutput()
		require.NoError(t, err)
		result = string(out)
	} else {
		require.Equal(t, 2, pre.Code, pre.Stderr)
	}
	post := binary.Run(t, dir, result, nil, binary.Path, "post-tool", "--tool", "shell", "--args", args, "--result",
		"-")
	require.Equal(t, 0, post.Code, post.Stderr)
	return result + post.Stdout
}

func shellCommand(dir, command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	return cmd
}

// exampleLoop is one of the agent loops that people copy.
type exampleLoop struct {
	file, interpreter string
	json              bool // it asks for JSON, which can carry rewrites, and prints JSON
}

var loops = []exampleLoop{{"agent-loop.sh", "sh", false}, {"agent-loop.py", "python3", true},
	{"agent-loop.mjs", "node", true}}

func (l exampleLoop) path(t *testing.T) string {
	return filepath.Join(binary.Repository(t), "scripts", "examples", l.file)
}

func (l exampleLoop) needs(t *testing.T) {
	if l.json {
		binary.Needs(t, l.interpreter)
	}
}

// read reads a transcript: lines of JSON, or `role:`, the content, and an empty line.
func (l exampleLoop) read(t *testing.T, transcript string) (messages []message) {
	t.Helper()
	if l.json {
		for line := range strings.Lines(transcript) {
			var m message
			require.NoError(t, json.Unmarshal([]byte(line), &m), line)
			messages = append(messages, m)
		}
		return messages
	}
	for line := range strings.Lines(transcript) {
		switch line {
		case "user:\n", "call:\n", "tool:\n", "blocked:\n", "stopped:\n":
			messages = append(messages, message{Role: strings.TrimSuffix(line, ":\n")})
		default:
			require.NotEmpty(t, messages, transcript)
			messages[len(messages)-1].Content += line
		}
	}
	for i := range messages {
		var ok bool
		messages[i].Content, ok = strings.CutSuffix(messages[i].Content, "\n\n")
		require.True(t, ok, transcript)
	}
	return messages
}

const (
	scripted = "Do what the script says."
	touch    = `{"command":"touch ran"}`
)

func user(content string) message { return message{Role: "user", Content: content} }

func toolCall(args string) message { return message{Role: "call", Content: args} }

func tool(content string) message { return message{Role: "tool", Content: content} }

func stopped(reason string) message { return message{Role: "stopped", Content: reason} }

func refused(reason string) message { return message{Role: "blocked", Content: reason} }

func one(calls ...string) []string { return calls }

func seen(all ...message) []message { return all }

func keepResults(event string) binary.Hook { return binary.On(event, "log", `cat >>log.jsonl`) }

// TestExampleLoops runs each loop that people copy through all four exit codes of hookrun, at each of its three calls.
func TestExampleLoops(t *testing.T) {
	testall.Only(t, "each row starts many processes")
	const rewritten = "project hook 'answer' changed the tool's %, and text output cannot carry that; the program " +
		"that calls hookrun must use --output json, the model can do nothing about it"
	noInput, noOutput := strings.Replace(rewritten, "%", "input", 1), strings.Replace(rewritten, "%", "output", 1)
	for i, c := range []struct {
		name   string
		hooks  []binary.Hook
		calls  []string
		code   int
		want   []message
		inText []message // what the loop in sh shows, if that is something else
		stderr string
		ran    bool
		logged []string // result and hook_event_name of the calls that a post-tool hook saw
	}{{
		name: "no hooks", calls: one(`{"command":"printf one"}`, `{"command":"printf two; touch ran"}`), ran: true,
		want: seen(user(scripted), toolCall(`{"command":"printf one"}`), tool("one"),
			toolCall(`{"command":"printf two; touch ran"}`), tool("two")),
	}, {
		name: "no calls", hooks: []binary.Hook{binary.On("pre-execute", "a", "echo ' context '"),
			binary.On("pre-execute", "b", "echo more")},
		want: seen(user(scripted + "\n\ncontext\n\nmore")),
	}, {
		name: "texts come after the result, those of pre-tool first",
		hooks: []binary.Hook{binary.On("post-tool", "z", "echo post1"),
			binary.On("pre-tool", "a", "echo pre1; echo; echo pre1b"), binary.On("pre-tool", "b", "echo pre2"),
			binary.On("post-tool", "y", "echo post2"), keepResults("post-tool")},
		calls: one(`{"command":"printf base"}`, `{"command":"true"}`),
		want: seen(user(scripted), toolCall(`{"command":"printf base"}`),
			tool("base\n\npre1\n\npre1b\n\npre2\n\npost1\n\npost2"),
			toolCall(`{"command":"true"}`), tool("pre1\n\npre1b\n\npre2\n\npost1\n\npost2")),
		logged: []string{"base PostToolUse", " PostToolUse"},
	}, {
		name: "a blocked call goes on to post-tool with its reason",
		hooks: []binary.Hook{binary.On("pre-tool", "guard",
			`grep -q touch && { echo no touching >&2; exit 1; }; echo fine`),
			binary.On("post-tool", "post", "echo noted"), keepResults("post-tool")},
		calls: one(touch, `{"command":"printf next"}`),
		want: seen(user(scripted), toolCall(touch), tool("no touching\n\nnoted"),
			toolCall(`{"command":"printf next"}`), tool("next\n\nfine\n\nnoted")),
		logged: []string{"no touching PostToolUse", "next PostToolUse"},
	}, {
		name: "nobody is there to be asked",
		hooks: []binary.Hook{binary.Answers("pre-tool",
			`{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"really?"}}`)},
		calls: one(touch), want: seen(user(scripted), toolCall(touch), tool("really?")),
	}, {
		name:   "a tool that fails goes on to post-tool as failed",
		hooks:  []binary.Hook{binary.On("post-tool", "post", "echo noted"), keepResults("post-tool")},
		calls:  one(`{"command":"echo bad; exit 7"}`),
		want:   seen(user(scripted), toolCall(`{"command":"echo bad; exit 7"}`), tool("bad\nexit code 7\n\nnoted")),
		logged: []string{"bad\nexit code 7 PostToolUseFailure"},
	}, {
		name:  "feedback after the tool",
		hooks: []binary.Hook{binary.Answers("post-tool", `{"decision":"block","reason":"format it"}`)},
		calls: one(`{"command":"printf base; touch ran"}`), ran: true,
		want:   seen(user(scripted), toolCall(`{"command":"printf base; touch ran"}`), tool("base\n\nformat it")),
		inText: seen(user(scripted), toolCall(`{"command":"printf base; touch ran"}`), tool("format it")),
	}, {
		name: "a post-tool hook that had to see the result and could not",
		hooks: []binary.Hook{binary.On("pre-tool", "a", "echo pre"),
			{"name": "redact", "command": "kill -9 $$", "events": []string{"post-tool"}, "on_failure": "block"}},
		calls: one(`{"command":"printf secret; touch ran"}`), ran: true,
		want: seen(user(scripted), toolCall(`{"command":"printf secret; touch ran"}`),
			tool("pre\n\npost-tool hook 'redact' was killed by SIGKILL")),
		inText: seen(user(scripted), toolCall(`{"command":"printf secret; touch ran"}`),
			tool("post-tool hook 'redact' was killed by SIGKILL\n\npre")),
	}, {
		name: "changed input",
		hooks: []binary.Hook{binary.Answers("pre-tool",
			`{"hookSpecificOutput":{"updatedInput":{"command":"printf safe"}}}`), keepResults("post-tool")},
		calls:  one(`{"command":"printf unsafe; touch ran"}`),
		want:   seen(user(scripted), toolCall(`{"command":"printf unsafe; touch ran"}`), tool("safe")),
		inText: seen(user(scripted), toolCall(`{"command":"printf unsafe; touch ran"}`), tool(noInput)),
	}, {
		name: "changed output",
		hooks: []binary.Hook{binary.On("post-tool", "t", "echo noted"),
			binary.Answers("post-tool", `{"hookSpecificOutput":{"updatedToolOutput":"clean"}}`)},
		calls: one(`{"command":"printf secret; touch ran"}`), ran: true,
		want:   seen(user(scripted), toolCall(`{"command":"printf secret; touch ran"}`), tool("clean\n\nnoted")),
		inText: seen(user(scripted), toolCall(`{"command":"printf secret; touch ran"}`), tool(noOutput)),
	}, {
		name:   "changed output that is no text",
		hooks:  []binary.Hook{binary.Answers("post-tool", `{"hookSpecificOutput":{"updatedToolOutput":7}}`)},
		calls:  one(`{"command":"printf secret"}`),
		want:   seen(user(scripted), toolCall(`{"command":"printf secret"}`), tool("7")),
		inText: seen(user(scripted), toolCall(`{"command":"printf secret"}`), tool(noOutput)),
	}, {
		name: "arguments that are no JSON", calls: one(`touch ran`, `{"cmd":"touch ran"}`,
			`{"command":["touch","ran"]}`, `{"command":"printf end"}`), hooks: []binary.Hook{keepResults("post-tool")},
		want: nil, logged: []string{"* PostToolUseFailure", "* PostToolUseFailure", "* PostToolUseFailure",
			"end PostToolUse"},
	}, {
		name: "hooks that cannot be read", hooks: []binary.Hook{{"name": "h", "comand": "x",
			"events": []string{"pre-tool"}}}, calls: one(touch),
		code: 1, stderr: `.tenex-hooks.json:1:`,
	}, {
		name:  "hooks that cannot be read before a tool",
		hooks: []binary.Hook{binary.On("pre-execute", "vandal", "echo { >.tenex-hooks.json")}, calls: one(touch, touch),
		code: 1, want: seen(user(scripted), toolCall(touch)), stderr: `.tenex-hooks.json:2:1: `,
	}, {
		name:  "hooks that cannot be read after a tool",
		calls: one(`{"command":"touch ran; echo { >.tenex-hooks.json; echo out"}`, `{"command":"touch second"}`),
		ran:   true,
		code:  1, want: seen(user(scripted), toolCall(`{"command":"touch ran; echo { >.tenex-hooks.json; echo out"}`)),
		stderr: `.tenex-hooks.json:2:1: `,
	}, {
		name: "blocked at the start", hooks: []binary.Hook{binary.Answers("pre-execute",
			`{"decision":"block","reason":"not today"}`)}, calls: one(touch),
		code: 2, want: seen(refused("not today")),
	}, {
		name: "stopped at the start", hooks: []binary.Hook{binary.Answers("pre-execute",
			`{"continue":false,"stopReason":"enough"}`)}, calls: one(touch),
		code: 3, want: seen(stopped("enough")),
	}, {
		name: "stopped before a tool", hooks: []binary.Hook{binary.Answers("pre-tool",
			`{"continue":false,"stopReason":"enough"}`)}, calls: one(touch, touch),
		code: 3, want: seen(user(scripted), toolCall(touch), stopped("enough")),
	}, {
		name: "blocked and stopped before a tool", calls: one(touch, touch),
		hooks: []binary.Hook{binary.Answers("pre-tool",
			`{"continue":false,"stopReason":"enough","decision":"block","reason":"no"}`)},
		code: 3, want: seen(user(scripted), toolCall(touch), stopped("enough")),
	}, {
		name: "stopped after a tool", hooks: []binary.Hook{binary.Answers("post-tool",
			`{"continue":false,"stopReason":"enough"}`)},
		calls: one(`{"command":"printf base; touch ran"}`, `{"command":"touch second"}`), ran: true, code: 3,
		want:   seen(user(scripted), toolCall(`{"command":"printf base; touch ran"}`), tool("base"), stopped("enough")),
		inText: seen(user(scripted), toolCall(`{"command":"printf base; touch ran"}`), stopped("enough")),
	}} {
		for j, loop := range loops {
			t.Run(c.name+"/"+loop.file, func(t *testing.T) {
				if i%len(loops) != j {
					testall.Only(t, "one loop stands for the others")
				}
				loop.needs(t)
				t.Parallel()
				dir := t.TempDir()
				binary.WriteHooks(t, dir, c.hooks...)
				script := strings.Join(c.calls, "\n")
				if script != "" {
					script += "\n"
				}
				done := binary.Run(t, dir, script, nil, loop.path(t))
				require.Equal(t, c.code, done.Code, "stdout %s\nstderr %s", done.Stdout, done.Stderr)
				want := c.want
				if !loop.json && c.inText != nil {
					want = c.inText
				}
				if want != nil || c.code != 0 {
					require.Equal(t, want, loop.read(t, done.Stdout))
				}
				require.Contains(t, done.Stderr, c.stderr)
				require.Equal(t, c.code == 1, strings.Contains(done.Stderr,
					"agent-loop: the hooks could not run"), done.Stderr)
				require.Equal(t, c.ran, binary.Exists(dir, "ran"))
				require.False(t, binary.Exists(dir, "second"))
				require.False(t, binary.Exists(dir, "args"), "it leaves its files elsewhere")
				if c.logged != nil {
					requireLogged(t, dir, c.logged)
				}
			})
		}
	}
}

// requireLogged compares what post-tool hooks were given; a * is any result.
func requireLogged(t *testing.T, dir string, want []string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	require.NoError(t, err)
	var got []string
	for line := range strings.Lines(string(log)) {
		var call struct {
			Result    string `json:"result"`
			Event     string `json:"hook_event_name"`
			Prompt    string
			SessionID string `json:"session_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		require.Equal(t, scripted, call.Prompt)
		require.NotEmpty(t, call.SessionID)
		if i := len(got); i < len(want) && strings.HasPrefix(want[i], "* ") {
			require.NotEmpty(t, call.Result)
			call.Result = "*"
		}
		got = append(got, call.Result+" "+call.Event)
	}
	require.Equal(t, want, got)
}

// A gate that failed open, and what a hook says to the user, leave a line for the user. Text output has room for the
// reason alone if the call is blocked.
func TestExampleLoopsShowWhatHooksSay(t *testing.T) {
	limp := binary.On("pre-tool", "limp", "kill -9 $$")
	limp["on_failure"] = "continue"
	const warning, message = "hookrun: warning: pre-tool hook 'limp' was killed by SIGKILL; continuing\n",
		"hookrun: message: mind the gap\n"
	for _, loop := range loops {
		for answer, ran := range map[string]bool{
			`{"systemMessage":"mind the gap"}`:                                    true,
			`{"systemMessage":"mind the gap","decision":"block","reason":"no"}`:   false,
			`{"systemMessage":"mind the gap","continue":false,"stopReason":"no"}`: false,
		} {
			t.Run(loop.file, func(t *testing.T) {
				loop.needs(t)
				dir := t.TempDir()
				binary.WriteHooks(t, dir, limp, binary.Answers("pre-tool", answer))
				done := binary.Run(t, dir, touch+"\n", nil, loop.path(t))
				require.Equal(t, ran, binary.Exists(dir, "ran"))
				if ran || loop.json {
					require.Equal(t, 1, strings.Count(done.Stderr, warning), done.Stderr)
					require.Equal(t, 1, strings.Count(done.Stderr, message), done.Stderr)
				}
			})
		}
	}
}

// A message of a person's is text, whatever it begins with.
func TestExampleLoopsTakeAnyPrompt(t *testing.T) {
	testall.Only(t, "TestExampleLoops has a prompt for each loop")
	for _, loop := range loops {
		for _, prompt := range []string{"@README.md says what to do", "-", "--help", "two\nlines 'x'"} {
			t.Run(loop.file+" "+prompt, func(t *testing.T) {
				loop.needs(t)
				t.Parallel()
				dir := t.TempDir()
				binary.WriteHooks(t, dir, binary.On("pre-execute", "prompt", `"$HOOKRUN" get prompt`))
				done := binary.Run(t, dir, "", []string{"PROMPT=" + prompt}, loop.path(t))
				require.Equal(t, 0, done.Code, done.Stderr)
				require.Equal(t, seen(user(prompt+"\n\n"+prompt)), loop.read(t, done.Stdout))
			})
		}
	}
}

func TestExampleLoopsFindHookrun(t *testing.T) {
	testall.Only(t, "each row starts Python or Node many times")
	for _, loop := range loops {
		t.Run(loop.file, func(t *testing.T) {
			loop.needs(t)
			dir := t.TempDir()
			done := binary.Run(t, dir, touch+"\n", []string{"HOOKRUN=/nonexistent"}, loop.path(t))
			require.Equal(t, 1, done.Code)
			require.Empty(t, done.Stdout)
			require.Contains(t, done.Stderr, "agent-loop: ")
			require.False(t, binary.Exists(dir, "ran"), "without hookrun no tool may run")

			path := "PATH=" + filepath.Dir(binary.Path) + string(os.PathListSeparator) + os.Getenv("PATH")
			done = binary.Run(t, dir, touch+"\n", []string{"HOOKRUN=", path}, loop.path(t))
			require.Equal(t, 0, done.Code, done.Stderr)
			require.True(t, binary.Exists(dir, "ran"))
		})
	}
}

func TestExampleLoopsTakeAFileAndAPrompt(t *testing.T) {
	for _, loop := range loops {
		t.Run(loop.file, func(t *testing.T) {
			loop.needs(t)
			dir := t.TempDir()
			binary.WriteHooks(t, dir, binary.On("pre-execute", "echo", `"$HOOKRUN" get prompt`))
			// No line end after the last call.
			require.NoError(t, os.WriteFile(filepath.Join(dir, "calls.jsonl"),
				[]byte("\n"+`{"command":"cat; printf a"}`+"\n"+`{"command":"printf b"}`), 0o600))
			done := binary.Run(t, dir, "not for the tool\n", []string{"PROMPT=tidy 'up'"}, loop.path(t), "calls.jsonl")
			require.Equal(t, 0, done.Code, done.Stderr)
			require.Equal(t, seen(user("tidy 'up'\n\ntidy 'up'"),
				toolCall(`{"command":"cat; printf a"}`), tool("a"), toolCall(`{"command":"printf b"}`), tool("b")),
				loop.read(t, done.Stdout))
		})
	}
}

// TestExampleLoopsCarryLargePayloads: more than fits on a command line, in either direction.
func TestExampleLoopsCarryLargePayloads(t *testing.T) {
	testall.Only(t, "each row writes many megabytes")
	const size, hooks = 400_000, 600_000 // the texts of two hooks are more than Node keeps unasked
	for _, loop := range loops {
		t.Run(loop.file, func(t *testing.T) {
			loop.needs(t)
			dir := t.TempDir()
			binary.WriteHooks(t, dir,
				binary.On("pre-tool", "in", `"$HOOKRUN" get args.note | wc -c | tr -d ' '`),
				binary.On("post-tool", "out", `"$HOOKRUN" get result | wc -c | tr -d ' '`),
				binary.On("post-tool", "long", `head -c 600000 /dev/zero | tr '\0' y`),
				binary.On("post-tool", "longer", `head -c 600000 /dev/zero | tr '\0' z`))
			call := `{"command":"head -c 400000 /dev/zero | tr '\\0' x","note":"` + strings.Repeat("ü", size/2) + `"}`
			done := binary.Run(t, dir, call+"\n", nil, loop.path(t))
			require.Equal(t, 0, done.Code, done.Stderr)
			messages := loop.read(t, done.Stdout)
			require.Len(t, messages, 3)
			want := strings.Repeat("x", size) + "\n\n400001\n\n400001\n\n" + // get ends its line
				strings.Repeat("y", hooks) + "\n\n" + strings.Repeat("z", hooks)
			require.True(t, messages[2].Content == want, "%d bytes, ending in %q", len(messages[2].Content),
				messages[2].Content[max(0, len(messages[2].Content)-40):])
		})
	}
}

// TestExampleLoopsWithTheExampleHooks is all of scripts/examples at once.
func TestExampleLoopsWithTheExampleHooks(t *testing.T) {
	binary.Needs(t, "python3")
	binary.Needs(t, "node")
	dir := binary.CopyExamples(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "CONTEXT.md"), []byte("Build with make.\n"), 0o644))
	calls := []string{`{"command":"git push --force"}`, `{"command":"printf password=hunt; printf er2"}`,
		`{"command":"printf 'go get x' >/dev/null; go get 2>/dev/null; true"}`}
	for _, loop := range testall.Part(3, loops) {
		t.Run(loop.file, func(t *testing.T) {
			done := binary.Run(t, dir, strings.Join(calls, "\n"), nil, "./"+loop.file)
			require.Equal(t, 0, done.Code, done.Stderr)
			messages := loop.read(t, done.Stdout)
			require.Len(t, messages, 7)
			require.Equal(t, scripted+"\n\nCONTEXT.md:\nBuild with make.", messages[0].Content)
			require.Contains(t, messages[2].Content, "blocked: git push --force")
			if loop.json {
				require.Equal(t, "password=[redacted]", messages[4].Content)
			} else {
				require.Contains(t, messages[4].Content, "redact-secrets")
			}
			require.NotContains(t, done.Stdout, "hunter2")
			require.Contains(t, messages[6].Content, "go.mod may have changed")
		})
	}
}

// fakeContext stands in for proactive-context's inject command: it reads its JSON as strictly as that does, says
// nothing where something is missing, and never fails. Its argument is the form of its answer.
const fakeContext = `
input=$(cat)
[ -n "$input" ] || exit 0
get() { printf '%s\n' "$input" | "$HOOKRUN" get "$1" 2>/dev/null; }
cwd=$(get cwd) || exit 0
case $input in *'"cwd":null'* | *'"prompt":null'* | *'"session_id":null'*) exit 0 ;; esac
prompt=$(get prompt)
[ "${#prompt}" -ge 3 ] || exit 0
text="[$(get session_id)] about '$prompt' in $cwd"
case $FORM in
text) printf '\n%s\nsecond line\n\n' "$text" ;;
json) printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}\n' "$NAME" "$text" ;;
verbose) printf '{"systemMessage":"1 note found","hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}\n' "$NAME" "$text" ;;
esac
exit 0
`

func fake(form, name string, events ...string) binary.Hook {
	return binary.Hook{"name": "context", "command": fakeContext, "events": events,
		"env": map[string]string{"FORM": form, "NAME": name}}
}

// TestFakeContextIsStrict: a fake that took everything would prove nothing.
func TestFakeContextIsStrict(t *testing.T) {
	run := func(stdin string) binary.Result {
		return binary.Run(t, t.TempDir(), stdin, []string{"FORM=text"}, "sh", "-c", fakeContext)
	}
	for _, stdin := range []string{
		``, "\n", `not json`, `{"prompt":"fix the build"}`, `{"prompt":"fix the build","cwd":null}`,
		`{"prompt":null,"cwd":"/w"}`, `{"cwd":"/w"}`, `{"prompt":" ","cwd":"/w"}`,
	} {
		require.Equal(t, binary.Result{}, run(stdin), stdin)
	}
	require.Contains(t, run(`{"prompt":"fix the build","cwd":"/w","transcript_path":null}`).Stdout,
		"about 'fix the build' in /w")
}

// TestContextHookOfAnotherTool: a command that was written for Claude Code's input is given all that it needs.
func TestContextHookOfAnotherTool(t *testing.T) {
	testall.Only(t, "each row starts many processes")
	calls := map[string][]string{
		"pre-execute": {"pre-execute"},
		"pre-tool":    {"pre-tool", "--tool", "shell", "--args", `{"command":"ls"}`},
		"post-tool":   {"post-tool", "--tool", "shell", "--args", `{"command":"ls"}`, "--result", "x"},
	}
	for _, form := range []struct {
		name, claude, suffix string
		messages             []string
	}{
		{"text", "", "\nsecond line", nil},
		{"json", "UserPromptSubmit", "", nil},
		{"json", "PostToolUse", "", nil}, // whatever moment it thinks it is
		{"json", "SessionStart", "", nil},
		{"verbose", "UserPromptSubmit", "", []string{"1 note found"}},
	} {
		for event, call := range calls {
			t.Run(form.name+form.claude+"/"+event, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				binary.WriteHooks(t, dir, fake(form.name, form.claude, event))
				r := binary.Ask(t, dir, "", append(call, "--prompt", "fix the build", "--session-id", "s1",
					"--workspace", dir)...)
				require.Equal(t, "continue", r.Decision)
				require.Equal(t, []string{"[s1] about 'fix the build' in " + dir + form.suffix}, r.Texts())
				require.Equal(t, form.messages, r.SystemMessages)
				require.Empty(t, r.Warnings)

				text := binary.Run(t, dir, "", nil, append([]string{binary.Path},
					append(call, "--prompt", "fix the build", "--session-id", "s1", "--workspace", dir)...)...)
				require.Equal(t, 0, text.Code)
				require.Equal(t, "[s1] about 'fix the build' in "+dir+form.suffix+"\n", text.Stdout)

				// A loop that knows neither prompt nor session: empty strings, on which the command keeps silent.
				r = binary.Ask(t, dir, "", call...)
				require.Equal(t, "continue", r.Decision)
				require.Empty(t, r.Inject)
				require.Empty(t, r.Warnings)
			})
		}
	}
}

func TestContextHookNeverReadsNull(t *testing.T) {
	dir := t.TempDir()
	binary.WriteHooks(t, dir, binary.Hook{"name": "log", "command": "cat >stdin.json",
		"events": []string{"pre-execute", "pre-tool", "post-tool"}})
	for _, call := range [][]string{{"pre-execute"}, {"pre-tool", "--tool", "shell"},
		{"post-tool", "--tool", "shell", "--result", "x"}} {
		require.Equal(t, "continue", binary.Ask(t, dir, "", call...).Decision)
		text, err := os.ReadFile(filepath.Join(dir, "stdin.json"))
		require.NoError(t, err)
		var input map[string]any
		require.NoError(t, json.Unmarshal(text, &input))
		for _, key := range []string{"prompt", "cwd", "session_id", "hook_event_name"} {
			require.IsType(t, "", input[key], "%s at %s", key, call[0])
		}
		require.NotEmpty(t, input["cwd"])
		require.Contains(t, input, "transcript_path")
		require.Nil(t, input["transcript_path"])
	}
}

// fakeCapture stands in for proactive-context's capture: a worker that leaves the hook's session and its pipes. The
// worker answers SIGUSR1, which proves that it lives, and ends by itself.
const fakeCapture = `
path=$("$HOOKRUN" get transcript_path)
[ "$path" != null ] || { echo 'capture: transcript_path is null' >&2; exit 0; }
setsid sh -c 'trap "kill \$nap; echo \$0 >answer; exit" USR1; sleep 30 & nap=$!; echo $$ >pid.new; mv pid.new pid; wait' "$path" </dev/null >/dev/null 2>&1 &
`

func TestCaptureHookLeavesItsWorkerBehind(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is missing")
	}
	const long = 15 * time.Second // the worker takes 30
	dir := t.TempDir()
	binary.WriteHooks(t, dir, binary.On("post-tool", "capture", fakeCapture))
	call := []string{"post-tool", "--tool", "shell", "--result", "x"}

	r := binary.Ask(t, dir, "", call...)
	require.Equal(t, "continue", r.Decision)
	require.Equal(t, "capture: transcript_path is null", r.Hooks[0].Stderr)

	begin := time.Now()
	r = binary.Ask(t, dir, "", append(call, "--transcript-path", "/t.jsonl")...)
	require.Less(t, time.Since(begin), long)
	require.Equal(t, "continue", r.Decision)
	require.Equal(t, "ok", r.Hooks[0].Status)
	require.Empty(t, r.Warnings)

	require.Eventually(t, func() bool { return binary.Exists(dir, "pid") }, long, 10*time.Millisecond,
		"the worker never started")
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	t.Cleanup(func() { syscall.Kill(-pid, syscall.SIGKILL) }) // it leads a group of its own
	require.NoError(t, syscall.Kill(pid, syscall.SIGUSR1))
	require.Eventually(t, func() bool {
		answer, _ := os.ReadFile(filepath.Join(dir, "answer"))
		return string(answer) == "/t.jsonl\n"
	}, long, 10*time.Millisecond, "the worker is dead")
}
