package clients_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// TestClaudeOutputReadsBack: what hookrun prints as a hook command of the client means to it what its own hooks said.
// The one exception is a stop without a reason, which an outcome words itself.
func TestClaudeOutputReadsBack(t *testing.T) {
	testall.Alone(t)
	texts := []string{"", "r", " \n<&> \"é\" 😀 \\ \u2028", "\x1b[31m", "{\"decision\":\"approve\"}"}
	rng := rand.New(rand.NewPCG(7, 7))
	text := func() string { return texts[rng.IntN(len(texts))] }
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	some := func(fields ...string) string { // each of them or not
		return strings.Join(slices.DeleteFunc(fields, func(string) bool { return rng.IntN(2) == 0 }), ",")
	}
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	fields := map[protocol.Event]func() string{
		"PreToolUse": func() string {
			return some(`"permissionDecision":"`+pick("allow", "deny", "ask", "defer")+`"`,
				`"permissionDecisionReason":`+quote(text()), `"updatedInput":{"command":`+quote(text())+`,"n":1.0}`,
				`"additionalContext":`+quote(text()))
		},
		"PostToolUse": func() string {
			return some(`"additionalContext":`+quote(text()), `"classifierContext":`+quote(text()),
				`"updatedToolOutput":`+pick(`"x"`, `{"a": [1]}`, `[]`, `0`),
				`"updatedMCPToolOutput":[{"text":`+quote(text())+`}]`)
		},
		"PostToolUseFailure": func() string { return some(`"additionalContext":` + quote(text())) },
		"UserPromptSubmit": func() string {
			return some(`"additionalContext":`+quote(text()), `"sessionTitle":`+quote(text()),
				`"suppressOriginalPrompt":`+pick("true", "false"))
		},
		"PermissionRequest": func() string {
			return some(`"decision":{` + strings.TrimSuffix(`"behavior":"`+pick("allow", "deny")+`",`+
				some(`"message":`+quote(text()), `"interrupt":`+pick("true", "false"), `"updatedInput":{"a":1}`,
					`"updatedPermissions":[{"x":1}]`), ",") + `}`)
		},
		"Stop": func() string { return some(`"additionalContext":` + quote(text())) },
	}
	seen := map[string]int{}
	for i := range 6_000 {
		events := []protocol.Event{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit",
			"PermissionRequest", "Stop"}
		e := events[i%len(events)]
		c := dialect.Call{Event: e, Tool: "mcp__x__y"}
		inner := dialecttest.Answers(e, fields[e]())
		stdout := "{" + strings.TrimSuffix(some(`"continue":`+pick("true", "false", "false"),
			`"stopReason":`+quote(text()), `"decision":"`+pick("approve", "block")+`"`, `"reason":`+quote(text()),
			`"systemMessage":`+quote(text()), `"suppressOutput":true`, `"terminalSequence":"\u0007"`,
			inner[1:len(inner)-1]), ",") + "}"
		first, o := dialecttest.Merged(&c, stdout)
		require.NotEqual(t, dialect.StatusFailed, first.Status, "%s %v", stdout, first.Warnings)
		first.Warnings, o.Warnings = nil, nil // hookrun's own words to the user, which no hook said
		out, _, err := dialecttest.Reply(claude.Client, o)
		require.NoError(t, err)
		second, _ := dialecttest.Merged(&c, string(out))
		if first.Stop && first.StopReason == "" {
			first.StopReason = "Stopped by project hook 'h'"
		}
		require.Equal(t, first, second, "%s\n%s", stdout, out)
		seen[fmt.Sprint(e, " ", first.Decision, " ", first.Approved)]++
	}
	require.Len(t, seen, 5+2+2+2+3+2, "%v", seen)
}

// gates are the events at which each client can be held up, as it was recorded.
var gates = map[string][]protocol.Event{
	"claude": {"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "PermissionRequest",
		"PreCompact", "PreModelSwitch", "TaskCreated", "WorktreeCreate", "Elicitation"},
	"codex": {"PreToolUse", "PostToolUse", "UserPromptSubmit", "PermissionRequest", "Stop", "SubagentStop",
		"SessionStart", "PreCompact", "PostCompact"},
	"copilot":  {"PreToolUse", "PostToolUse", "UserPromptSubmit", "PermissionRequest", "Stop", "SubagentStop"},
	"gemini":   {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel"},
	"opencode": {"chat.message", "tool.execute.before", "tool.execute.after"},
	"qwen": {"PreToolUse", "PostToolUse", "UserPromptSubmit", "PermissionRequest", "UserPromptExpansion",
		"PostToolBatch", "TodoCreated", "TodoCompleted"}, // at the end of a turn a stop is no block
}

// recordedClients are those with gates. Others have tests of their own.
func recordedClients() []*client.Client {
	return slices.DeleteFunc(slices.Clone(clients.All().Clients()),
		func(d *client.Client) bool { return gates[d.Name] == nil })
}

// readBack is what a client makes of the answer that it is given.
func readBack(t testing.TB, d *client.Client, o protocol.Outcome) dialect.Verdict {
	t.Helper()
	reply, err := d.Reply(o)
	require.NoError(t, err)
	stdout, exit := reply.Stdout, reply.Exit
	r := dialect.HookResult{ExitCode: exit, Stdout: dialect.Capture{Head: stdout, Total: int64(len(stdout))}}
	if exit != 0 {
		r.Stderr = dialect.Capture{Head: []byte(reply.Stderr), Total: int64(len(reply.Stderr))}
	}
	c := dialect.Call{Event: o.Event, Tool: o.Tool}
	v := d.Hooks.Decode(&c, "hookrun", &r)
	if d.Name == "copilot" { // a message goes with exit 2, or to the model
		v.SystemMessage = v.Context
		if exit == 2 {
			require.True(t, v.Decision == protocol.Block || v.Status == dialect.StatusFailed && v.Answered)
			v.Problem, v.SystemMessage = "", reply.Stderr
		}
	}
	require.Empty(t, v.Problem, "%s at %s: %s", d.Name, o.Event, stdout)
	require.Empty(t, v.Warnings, "%s at %s: %s", d.Name, o.Event, stdout)
	return v
}

func TestAnswer(t *testing.T) {
	moments := map[string][3]protocol.Event{
		"claude":   {"UserPromptSubmit", "PreToolUse", "PostToolUse"},
		"codex":    {"UserPromptSubmit", "PreToolUse", "PostToolUse"},
		"copilot":  {"UserPromptSubmit", "PreToolUse", "PostToolUse"},
		"gemini":   {"BeforeAgent", "BeforeTool", "AfterTool"},
		"opencode": {"chat.message", "tool.execute.before", "tool.execute.after"},
		"qwen":     {"UserPromptSubmit", "PreToolUse", "PostToolUse"},
	}
	for _, d := range recordedClients() {
		t.Run(d.Name, func(t *testing.T) {
			prompt, pre, post := moments[d.Name][0], moments[d.Name][1], moments[d.Name][2]
			goesOn := func(e protocol.Event) protocol.Outcome {
				return protocol.Outcome{Event: e, Tool: "t", Decision: protocol.Continue}
			}
			t.Run("a block is a block for its reason", func(t *testing.T) {
				for _, e := range []protocol.Event{prompt, pre, post, "pre-execute", "pre-tool", "post-tool"} {
					o := goesOn(e)
					o.Decision, o.Reason = protocol.Block, "no <b>\n\"é\" \\ \u2028 😀"
					v := readBack(t, d, o)
					require.Equal(t, protocol.Block, v.Decision)
					require.Equal(t, o.Reason, v.Reason)
				}
			})
			t.Run("an ask asks or blocks", func(t *testing.T) {
				o := goesOn(pre)
				o.Decision, o.Reason = protocol.Ask, "sure?"
				v := readBack(t, d, o)
				require.Equal(t, map[string]protocol.Decision{"claude": protocol.Ask, "codex": protocol.Block,
					"copilot": protocol.Ask, "gemini": protocol.Ask, "qwen": protocol.Ask}[d.Name], v.Decision)
				require.Contains(t, v.Reason, "sure?")
				require.Equal(t, v.Decision == protocol.Block, strings.Contains(v.Reason, fmt.Sprintf(
					"a hook said ask, and a hook of %s cannot say that here, so it is a block", d.Files.Client)))
			})
			t.Run("a rewrite is the tool's input, and approves nothing", func(t *testing.T) {
				o := goesOn(pre)
				o.UpdatedInput = []byte(`{"command":"ls","n":1.0}`)
				v := readBack(t, d, o)
				if d.Name == "qwen" { // it lets no hook change the input
					require.Equal(t, protocol.Block, v.Decision)
					return
				}
				require.Equal(t, protocol.Continue, v.Decision)
				require.False(t, v.Approved)
				require.JSONEq(t, string(o.UpdatedInput), string(v.UpdatedInput))
			})
			t.Run("a new result takes the place of the old one", func(t *testing.T) {
				o := goesOn(post)
				o.Tool, o.UpdatedOutput = "Bash", []byte(`"clean"`)
				v := readBack(t, d, o)
				if d.Name == "claude" {
					require.JSONEq(t, `{"stdout":"clean","stderr":"","interrupted":false,"isImage":false}`,
						string(v.UpdatedOutput))
					return
				}
				if d.Name == "copilot" || d.Name == "opencode" {
					require.JSONEq(t, `"clean"`, string(v.UpdatedOutput))
					return
				}
				require.Equal(t, protocol.Block, v.Decision, "the reason is what the model gets instead")
				require.Equal(t, "clean", v.Reason)
			})
			t.Run("a context reaches the model, or else the user", func(t *testing.T) {
				for _, e := range []protocol.Event{prompt, pre, post} {
					o := goesOn(e)
					o.Texts = []protocol.Text{{Content: "one"}, {Content: "<two>"}}
					v := readBack(t, d, o)
					require.Equal(t, protocol.Continue, v.Decision)
					if (d.Name == "gemini" || d.Name == "qwen") && e == pre {
						require.Empty(t, v.Context)
						require.Equal(t, fmt.Sprintf("hookrun: %s cannot give the model this at %s:\none\n\n<two>",
							d.Files.Client, pre), v.SystemMessage)
						continue
					}
					if d.Name == "droid" && e == pre {
						reply, err := d.Reply(o)
						require.NoError(t, err)
						require.Equal(t, "one\n\n<two>", reply.Stderr)
						continue
					}
					require.Equal(t, "one\n\n<two>", v.Context)
				}
			})
			t.Run("a stop stops, or at least blocks", func(t *testing.T) {
				for _, e := range []protocol.Event{prompt, pre, post} {
					o := goesOn(e)
					o.Stop, o.StopReason = true, "enough"
					v := readBack(t, d, o)
					if d.Name == "codex" && e != prompt || d.Name == "copilot" || d.Name == "qwen" {
						require.Equal(t, protocol.Block, v.Decision)
						require.Equal(t, "enough", v.Reason)
						continue
					}
					require.True(t, v.Stop)
					require.Equal(t, "enough", v.StopReason)
				}
			})
			t.Run("a message is the user's, and silence is told", func(t *testing.T) {
				o := goesOn(pre)
				o.SystemMessages = []string{"m"}
				o.Hooks = []protocol.Report{{Name: "h", Status: dialect.StatusTimeout,
					Cause: protocol.CauseTimeout}}
				v := readBack(t, d, o)
				if d.Name == "copilot" { // it shows its user nothing there
					require.Equal(t, "For the user: m\n\nFor the user: hookrun: hook 'h' gave no answer (timeout), "+
						"so it did not check this", v.Context)
					o.Event = post
					reply, err := d.Reply(o)
					require.NoError(t, err)
					require.Equal(t, 2, reply.Exit)
					v.SystemMessage = reply.Stderr
				}
				require.Equal(t, "m\nhookrun: hook 'h' gave no answer (timeout), so it did not check this",
					v.SystemMessage)
			})
			t.Run("the zero outcome blocks wherever that can be", func(t *testing.T) {
				for _, e := range gates[d.Name] {
					v := readBack(t, d, protocol.Outcome{Event: e})
					require.True(t, v.Decision == protocol.Block || v.Stop, e)
				}
			})
			t.Run("nothing to say holds nothing up", func(t *testing.T) {
				for _, e := range d.Events.Names() {
					v := readBack(t, d, protocol.Outcome{Event: e, Decision: protocol.Continue})
					require.Equal(t, protocol.Continue, v.Decision, e)
					require.False(t, v.Stop || v.Approved || v.Context != "" || v.SystemMessage != "", e)
				}
			})
		})
	}
	t.Run("where Gemini CLI cannot be held up, its user reads why it should", func(t *testing.T) {
		v := readBackLoosely(t, gemini.Client, protocol.Outcome{Event: "SessionStart", Reason: "R", Stop: true,
			StopReason: "S"})
		require.Equal(t,
			"hookrun: Gemini CLI cannot be blocked at SessionStart: R\nhookrun: Gemini CLI cannot be stopped at "+
				"SessionStart: S", v.SystemMessage)
	})
	t.Run("what Gemini CLI shows instead of a reason has it", func(t *testing.T) {
		v := readBack(t, gemini.Client, protocol.Outcome{Event: "BeforeAgent", Reason: "R",
			SystemMessages: []string{"m"}})
		require.Equal(t, "R\nm", v.SystemMessage)
	})
	t.Run("a rewrite that is no object would be passed over by Gemini CLI", func(t *testing.T) {
		o := protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, UpdatedInput: []byte(`"x"`)}
		require.Equal(t, protocol.Block, readBack(t, gemini.Client, o).Decision)
	})
	t.Run("beside a stop Codex reads no reason, so what stands behind it is for the user", func(t *testing.T) {
		o := protocol.Outcome{Event: "Stop", Reason: "R", Stop: true, StopReason: "S",
			Texts: []protocol.Text{{Content: "C"}}}
		require.Equal(t, "R\nhookrun: Codex cannot give the model this at Stop:\nC",
			readBack(t, codex.Client, o).SystemMessage)
	})
	t.Run("a rewrite that is no object would be passed over, and what stands beside it", func(t *testing.T) {
		for _, d := range clients.All().Clients() {
			for _, input := range []string{`"text"`, `["ls"]`, `null`, `5`, `true`} {
				for _, decision := range []protocol.Decision{protocol.Continue, protocol.Ask, protocol.Defer} {
					o := protocol.Outcome{Event: "pre-tool", Tool: "Read", Decision: decision,
						Approved: decision == protocol.Continue, Reason: "R", UpdatedInput: []byte(input),
						Texts: []protocol.Text{{Content: "C"}}}
					o.Event = d.EventOf(&dialect.Call{Event: o.Event})
					v := readBack(t, d, o)
					require.Equal(t, protocol.Block, v.Decision, "%s %s", d.Name, input)
					require.Contains(t, v.Reason+v.Context, "C")
				}
			}
		}
		o := protocol.Outcome{Event: "PermissionRequest", Tool: "Read", Decision: protocol.Continue, Approved: true,
			UpdatedInput: []byte(`[]`)}
		require.Equal(t, protocol.Block, readBack(t, claude.Client, o).Decision)
		require.Equal(t, protocol.Block, readBack(t, codex.Client, o).Decision)
	})
	t.Run("whatever takes the place of a shell's result is put into its form", func(t *testing.T) {
		for _, output := range []string{`"clean"`, `{"clean":1}`, `null`, `["clean"]`, `{"stdout":"clean"}`,
			`{"stdout":"clean","stderr":"","interrupted":"no"}`} {
			v := readBack(t, claude.Client, protocol.Outcome{Event: "PostToolUse", Tool: "Bash",
				Decision: protocol.Continue, UpdatedOutput: []byte(output)})
			require.NotNil(t, v.UpdatedOutput, output)
		}
		v := readBack(t, claude.Client, protocol.Outcome{Event: "PostToolUse", Tool: "Bash",
			Decision: protocol.Continue, UpdatedOutput: []byte(`{"clean":1}`)})
		require.JSONEq(t, `{"stdout":"{\"clean\":1}","stderr":"","interrupted":false,"isImage":false}`,
			string(v.UpdatedOutput))
		whole := `{"stdout":"a","stderr":"b","interrupted":true,"isImage":false}`
		v = readBack(t, claude.Client, protocol.Outcome{Event: "PostToolUse", Tool: "Bash",
			Decision: protocol.Continue, UpdatedOutput: []byte(whole)})
		require.JSONEq(t, whole, string(v.UpdatedOutput))
	})
	t.Run("of a tool that failed Claude Code changes no result, and goes on", func(t *testing.T) {
		o := protocol.Outcome{Event: "PostToolUseFailure", Tool: "Bash", Decision: protocol.Continue,
			UpdatedOutput: []byte(`"clean"`), Stop: true, StopReason: "S"}
		v := readBack(t, claude.Client, o)
		require.Equal(t, protocol.Block, v.Decision)
		require.Equal(t, "S", v.Reason)
		require.Contains(t, v.SystemMessage, "cannot change the result of a tool that failed")
		o.Decision, o.Reason = protocol.Block, "R"
		v = readBack(t, claude.Client, o)
		require.Equal(t, "R", v.Reason)
		require.Contains(t, v.SystemMessage, "S")
	})
	t.Run("of a stop and a block Codex reads one, and the other is for the user", func(t *testing.T) {
		o := protocol.Outcome{Tool: "Bash", Reason: "R", Stop: true, StopReason: "S"}
		for event, message := range map[protocol.Event]string{"Stop": "R", "UserPromptSubmit": "R",
			"SessionStart": "R", "PreToolUse": "hookrun: Codex cannot be stopped at PreToolUse: S",
			"PermissionRequest": "hookrun: Codex cannot be stopped at PermissionRequest: S", "PostToolUse": ""} {
			o.Event = event
			require.Equal(t, message, readBack(t, codex.Client, o).SystemMessage, event)
		}
		o.Event, o.StopReason = "SessionStart", ""
		require.Empty(t, readBack(t, codex.Client, o).SystemMessage, "the reason is the stop's")
	})
	t.Run("a rewrite that Codex could not read is a deny", func(t *testing.T) {
		for depth, want := range map[int]protocol.Decision{125: protocol.Continue, 126: protocol.Block} {
			o := protocol.Outcome{Event: "PreToolUse", Tool: "mcp__x__y", Decision: protocol.Continue,
				UpdatedInput: []byte(`{"x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}")}
			require.Equal(t, want, readBack(t, codex.Client, o).Decision)
		}
	})
	t.Run("of a shell call Codex takes the command alone", func(t *testing.T) {
		o := protocol.Outcome{Event: "PreToolUse", Tool: "Bash", Decision: protocol.Continue,
			UpdatedInput: []byte(`{"command":"ls","timeout":1}`)}
		v := readBack(t, codex.Client, o)
		require.Equal(t, `hookrun: Codex takes the command alone of a hook's new input, not its "timeout"`,
			v.SystemMessage)
		o.UpdatedInput = []byte(`{"timeout":1}`)
		v = readBack(t, codex.Client, o)
		require.Equal(t, protocol.Block, v.Decision)
		require.Equal(t, "a project hook changed the tool's input to one without a command", v.Reason)
	})
}

// readBackLoosely is readBack where the client passes over a part of the answer, and says so.
func readBackLoosely(t testing.TB, d *client.Client, o protocol.Outcome) dialect.Verdict {
	t.Helper()
	stdout, _, err := dialecttest.Reply(d, o)
	require.NoError(t, err)
	r := dialecttest.Printed(string(stdout))
	return d.Hooks.Decode(&dialect.Call{Event: o.Event, Tool: o.Tool}, "hookrun", &r)
}

// What a hook of the project's said before a tool is told to each client in its own words, and is nothing less in any
// of them. The client's call and what it is told are in its folder.
func TestBlockIsToldToEachClient(t *testing.T) {
	for _, client := range clients.All().Clients() {
		var said struct {
			Input, Answer json.RawMessage
			Exit          int
			Stderr        string
		}
		text, err := os.ReadFile(filepath.Join(client.Name, "testdata", "block.json"))
		require.NoError(t, err, client.Name)
		require.NoError(t, json.Unmarshal(text, &said), client.Name)
		call, _, err := clients.All().ParseInput(string(said.Input))
		require.NoError(t, err, client.Name)
		require.Equal(t, client.Name, call.Sender().Name)
		result := dialecttest.Printed(`{"decision": "block", "reason": "look first"}`)
		verdict := tenex.Dialect.ApplyFailurePolicy(&call, tenex.Dialect.Hooks.Decode(&call, "guard", &result))
		outcome := dialect.Merge(&call, []dialect.HookVerdict{{
			Report:  dialect.Report("guard", ".tenex-hooks.json:2", &result, &verdict),
			Verdict: verdict, Dialect: tenex.Dialect,
		}})
		reply, err := client.Reply(outcome)
		require.NoError(t, err)
		require.Equal(t, said.Exit, reply.Exit, client.Name)
		require.Equal(t, string(said.Answer), string(reply.Stdout), client.Name)
		if said.Stderr != "" || len(said.Answer) == 0 {
			require.Equal(t, said.Stderr, reply.Stderr, client.Name)
		}
	}
}

func TestEncodeThatPanics(t *testing.T) {
	spoilt := client.Client{Answer: func(protocol.Outcome) (client.Reply, error) { panic("spoilt") }}
	_, _, err := dialecttest.Reply(&spoilt, protocol.Outcome{Event: "PreToolUse"})
	require.ErrorContains(t, err, "hookrun itself failed: spoilt (clients_test.")
}
