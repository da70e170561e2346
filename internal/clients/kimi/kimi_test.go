package kimi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// told is what the client makes of an outcome that it is given, and whether it was given anything.
func told(t *testing.T, o protocol.Outcome) (v dialect.Verdict, something bool) {
	t.Helper()
	stdout, exit, err := dialecttest.Reply(Client, o)
	require.NoError(t, err)
	require.Zero(t, exit)
	r := dialect.HookResult{Stdout: dialect.Capture{Head: stdout, Total: int64(len(stdout))}}
	c := dialect.Call{Event: o.Event, Failed: o.Failed}
	return Dialect.Hooks.Decode(&c, "hookrun", &r), len(stdout) > 0
}

func TestOutput(t *testing.T) {
	const goesOn = protocol.Continue
	inject := []protocol.Text{{Hook: "noter", Content: "C"}}
	failed := protocol.Report{Name: "h", Status: dialect.StatusTimeout, Cause: protocol.CauseTimeout}
	rewritten := protocol.Outcome{Event: "pre-tool", Decision: goesOn, UpdatedInput: []byte(`{"a":1}`)}
	rewritten.UpdatedBy = "fixer"
	afterFailure := protocol.Outcome{Event: "post-tool", Reason: "R"}
	afterFailure.Failed = true
	for name, test := range map[string]struct {
		o               protocol.Outcome
		reason, context string
		silent          bool
	}{
		"nothing to say":           {o: protocol.Outcome{Event: "pre-tool", Decision: goesOn}, silent: true},
		"nothing at the prompt":    {o: protocol.Outcome{Event: "pre-execute", Decision: goesOn}, silent: true},
		"the zero outcome":         {o: protocol.Outcome{Event: "PreToolUse"}, reason: "Blocked by a hook"},
		"the zero outcome, prompt": {o: protocol.Outcome{Event: "UserPromptSubmit"}, reason: "Blocked by a hook"},
		"the zero outcome, Stop":   {o: protocol.Outcome{Event: "Stop"}, reason: "Blocked by a hook"},
		"a block": {o: protocol.Outcome{Event: "pre-tool", Reason: "R <\n\"é\" 😀", Texts: inject},
			reason: "R <\n\"é\" 😀\n\nC"},
		"a block at the prompt": {o: protocol.Outcome{Event: "pre-execute", Reason: "R"}, reason: "R"},
		"an ask": {o: protocol.Outcome{Event: "pre-tool", Decision: protocol.Ask, Reason: "sure?"},
			reason: "sure?\n\nhookrun: a hook said ask, and a hook of Kimi Code cannot say that here, so it is a " +
				"block"},
		"a stop": {o: protocol.Outcome{Event: "pre-tool", Decision: goesOn, Stop: true, StopReason: "S"},
			reason: "S"},
		"a stop at Stop": {o: protocol.Outcome{Event: "Stop", Decision: goesOn, Stop: true}, silent: true},
		"an approval": {o: protocol.Outcome{Event: "pre-tool", Decision: goesOn, Approved: true},
			silent: true},
		"a rewrite": {o: rewritten, reason: "project hook 'fixer' changed the tool's " +
			"input, and Kimi Code cannot give the tool another, so the call is blocked; the changed input: " +
			`{"a":1}`},
		"a text before a tool": {o: protocol.Outcome{Event: "pre-tool", Decision: goesOn, Texts: inject},
			reason: "project hook 'noter' has a text for the model, and Kimi Code cannot give it the model before a " +
				"tool runs, so the call is blocked:\n\nC"},
		"a text at the prompt": {o: protocol.Outcome{Event: "pre-execute", Decision: goesOn, Texts: inject,
			SystemMessages: []string{"M"}, Hooks: []protocol.Report{failed}},
			context: "C\n\nM\n\nhookrun: hook 'h' gave no answer (timeout), so it did not check this"},
		"a block after a tool": {o: protocol.Outcome{Event: "post-tool", Reason: "R", Texts: inject}, silent: true},
		"a new result": {o: protocol.Outcome{Event: "post-tool", Decision: goesOn,
			UpdatedOutput: []byte(`"x"`)}, silent: true},
		"a block after a failure": {o: afterFailure, silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			v, something := told(t, test.o)
			require.Equal(t, test.silent, !something)
			require.Equal(t, test.reason != "", v.Decision == protocol.Block)
			require.Equal(t, test.reason, v.Reason)
			require.Equal(t, test.context, v.Context)
			require.Empty(t, v.Warnings)
		})
	}
}

// TestPayload: a call that comes from no client has the input that was recorded.
func TestPayload(t *testing.T) {
	const head = `"session_id":"s","cwd":"/w","client_type":"kimi_code_cli",`
	const tool = `"tool_name":"Bash","tool_input":{"command":"ls"},"tool_call_id":"c",`
	for want, c := range map[string]dialect.Call{
		`{"hook_event_name":"PreToolUse",` + head + tool: {Event: protocol.PreTool},
		`{"hook_event_name":"PostToolUse",` + head + tool + `"tool_output":"` + strings.Repeat("😀", 1000) + `"}`: {
			Event: protocol.PostTool, Result: strings.Repeat("😀", 3000)},
		`{"hook_event_name":"PostToolUseFailure",` + head + tool +
			`"error":{"code":"internal","message":"R","retryable":false}}`: {
			Event: protocol.PostTool, Failed: true, Result: "R"},
		`{"hook_event_name":"UserPromptSubmit",` + head + `"prompt":[{"type":"text","text":"P"}],"is_steer":false}`: {
			Event: protocol.PreExecute, Prompt: "P"},
	} {
		c.SessionID, c.Workspace = "s", "/w"
		if c.IsAboutTool() {
			c.Tool, c.Args, c.ToolUseID = "Bash", `{"command":"ls"}`, "c"
		}
		payload, warnings, err := Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.Equal(t, strings.TrimSuffix(strings.TrimSuffix(want, "}"), ",")+"}\n", string(payload.Bytes()))
	}
}

func TestConfig(t *testing.T) {
	const entry = "[[hooks]]\nevent = \"Stop\"\ncommand = 'x'\n"
	for doc, want := range map[string]string{
		"":                                `{"hooks":{}}`,
		"a = 1979-05-27\n":                `{"hooks":{}}`,
		entry + "matcher = 'm'\n" + entry: `{"hooks":{"Stop":[{"command":"x","matcher":"m"},{"command":"x"}]}}`,
		entry + "timeout = 2.0\n":         `{"hooks":{"Stop":[{"command":"x","timeout":2}]}}`,
		"hooks = [{event='Stop'}, {}]\n":  `1:26 hook 2: needs "event"`,
		entry + "type = 'command'\n":      `4:1 hook 1: unknown field "type"`,
		entry + "cwd = 1970-01-01\n":      `4:1 hook 1: unknown field "cwd"`,
		entry + "[hooks.env]\n":           `4:8 hook 1: unknown field "env"`,
		"[[hooks]]\nevent = 'stop'\n": `2:9 hook 1: unknown event "stop"; Kimi Code goes on without all hooks ` +
			`of the file for that; did you mean "Stop"?`,
		"[[hooks]]\nevent = 3\n":            `2:9 hook 1: "event" must be a string`,
		"hooks = [1]\n":                     `1:10 hook 1 must be a table`,
		"[[hooks.Stop]]\ncommand = 'x'\n":   `1:3 "hooks" must be tables, [[hooks]]`,
		"hook = []\n":                       `1:1 unknown field "hook", which is passed over; did you mean "hooks"?`,
		"[[hooks]\n":                        `1:8 parsing: expected ']]' to close array table name`,
		entry + "matcher = 1970-01-01\n":    `4:11 1970-01-01 has no place here`,
		"[[hooks]]\nevent = '''\nStop'''\n": `{"hooks":{"Stop":[{}]}}`,
	} {
		t.Run(doc, func(t *testing.T) {
			f := settings.Open(dialect.NewDocument("config.toml", doc, Dialect, nil))
			readConfig(f)
			if strings.HasPrefix(want, "{") {
				require.Empty(t, append(f.Problems, f.Warnings...))
				require.Equal(t, want, f.Text)
				return
			}
			found := append(f.Problems, f.Warnings...)
			require.Len(t, found, 1)
			d := found[0]
			at, text, _ := strings.Cut(want, " ")
			require.Equal(t, at, fmt.Sprintf("%d:%d", d.Line, d.Column))
			require.True(t, strings.HasPrefix(d.Text, text), d.Text)
		})
	}
}
