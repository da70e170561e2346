package antigravity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// decode is what an answer amounts to where no policy says otherwise.
func decode(e protocol.Event, r dialect.HookResult) dialect.Verdict {
	c := dialect.Call{Event: e, Tool: "run_command"}
	return Dialect.ApplyFailurePolicy(&c, Dialect.Hooks.Decode(&c, "h", &r))
}

func TestDecodeBeforeTool(t *testing.T) {
	for _, test := range []struct {
		stdout   string
		exit     int
		decision protocol.Decision
		approved bool
		cause    protocol.Cause
		reason   string
	}{
		{"", 0, protocol.Continue, false, "", ""},
		{" \n", 0, protocol.Continue, false, "", ""},
		{`{"decision":"allow","reason":"fine"}`, 0, protocol.Continue, true, protocol.CausePolicy, "fine"},
		{`{"decision":"ask","reason":"sure?"}`, 0, protocol.Ask, false, protocol.CausePolicy, "sure?"},
		{`{"decision":"deny_unless_prior_grant"}`, 0, protocol.Ask, false, protocol.CausePolicy,
			"A hook wants to know"},
		{`{"decision":"force_ask"}`, 0, protocol.Ask, false, protocol.CausePolicy, "A hook wants to know"},
		{`{"decision":"deny","reason":"no"}`, 0, protocol.Block, false, protocol.CausePolicy, "no"},
		{`{"decision":"deny"}`, 0, protocol.Block, false, protocol.CausePolicy, defaultReason},
		{`{"decision":"deny","reason":"no"}`, 1, protocol.Block, false, protocol.CausePolicy, "no"},

		{`{}`, 0, protocol.Block, false, protocol.CauseOutput, `it has no "decision"`},
		{`{"reason":"no"}`, 0, protocol.Block, false, protocol.CauseOutput, `it has no "decision"`},
		{`{"decision":""}`, 0, protocol.Block, false, protocol.CauseOutput, `its "decision" is ""`},
		{`{"decision":"Allow"}`, 0, protocol.Block, false, protocol.CauseOutput, `its "decision" is "Allow"`},
		{`{"decision":true}`, 0, protocol.Block, false, protocol.CauseOutput, `its "decision" is true`},
		{`{"decision":"deny","decision":"allow"}`, 0, protocol.Block, false, protocol.CauseOutput, "a key twice"},
		{`["allow"]`, 0, protocol.Block, false, protocol.CauseOutput, "no JSON object"},
		{`ok`, 0, protocol.Block, false, protocol.CauseOutput, "no JSON object"},
		{"loading\n" + `{"decision":"allow"}`, 0, protocol.Block, false, protocol.CauseOutput, "no JSON object"},
		{`{"decision":"allow"`, 0, protocol.Block, false, protocol.CauseOutput, "no JSON object"},
		{"", 1, protocol.Block, false, protocol.CauseExit, "1"},
		{"", 2, protocol.Block, false, protocol.CauseExit, "2"},
		{`{"decision":"allow"}`, 1, protocol.Block, false, protocol.CauseExit, "1"},
	} {
		v := decode("PreToolUse", dialecttest.Exited(test.exit, test.stdout, ""))
		require.Equal(t, test.decision, v.Decision, "%d %s", test.exit, test.stdout)
		require.Equal(t, test.approved, v.Approved, test.stdout)
		require.Equal(t, test.cause, v.Cause, test.stdout)
		require.Contains(t, v.Reason+v.Problem, test.reason, test.stdout)
	}
	require.Equal(t, protocol.Block, decode("pre-tool", dialect.HookResult{TimedOut: true}).Decision)
	v := decode("PreToolUse", dialecttest.Printed(`{"decision":"allow","permissionOverrides":["command(ls)"]}`))
	require.Contains(t, v.Warnings[0], `"permissionOverrides", which hookrun does not pass on`)
	c := dialect.Call{Event: before, Tool: "run_command", Args: `{"CommandLine":"a","Cwd":"/","command":"a"}`}
	r := dialecttest.Printed(`{"decision":"allow","overwrite":{"CommandLine":"b"}}`)
	require.JSONEq(t, `{"CommandLine":"b","command":"b","Cwd":"/","cwd":"/"}`,
		string(Dialect.Hooks.Decode(&c, "h", &r).UpdatedInput))
}

func TestDecodeElsewhere(t *testing.T) {
	for _, e := range []protocol.Event{"PostToolUse", "Stop", "PreInvocation", "PostInvocation", "SessionStart"} {
		for _, r := range []dialect.HookResult{dialecttest.Printed(""), dialecttest.Printed("{}"),
			dialecttest.Printed("text"), dialecttest.Exited(1, "", ""), dialecttest.Printed(`{"decision":"deny"}`),
			{TimedOut: true}} {
			v := decode(e, r)
			require.Equal(t, protocol.Continue, v.Decision, "%s %s", e, r.Stdout.Text())
			require.Empty(t, v.Context, e)
		}
	}
	v := decode("Stop", dialecttest.Printed(`{"decision":"continue","reason":"not done"}`))
	require.Equal(t, protocol.Block, v.Decision)
	require.Equal(t, "not done", v.Reason)
	v = decode("PreInvocation", dialecttest.Printed(`{"injectSteps":[{"ephemeralMessage":"a"},{"userMessage":"b"},`+
		`{"toolCall":{}}],"terminationBehavior":"terminate"}`))
	require.Equal(t, "a\n\nb", v.Context)
	require.Len(t, v.Warnings, 2)
}

func TestOutput(t *testing.T) {
	const goesOn = protocol.Continue
	inject := []protocol.Text{{Hook: "noter", Content: "C"}}
	failed := []protocol.Report{{Name: "h", Status: dialect.StatusTimeout, Cause: protocol.CauseTimeout}}
	for name, test := range map[string]struct {
		o    protocol.Outcome
		want string
	}{
		"nothing to say":   {protocol.Outcome{Event: "pre-tool", Decision: goesOn}, ""},
		"the zero outcome": {protocol.Outcome{Event: "PreToolUse"}, `{"decision":"deny","reason":"Denied by a hook"}`},
		"a block": {protocol.Outcome{Event: "pre-tool", Reason: "R", Texts: inject},
			`{"decision":"deny","reason":"R\n\nC"}`},
		"a text before a tool": {protocol.Outcome{Event: "pre-tool", Decision: goesOn, Texts: inject},
			`{"decision":"deny","reason":"project hook 'noter' has a text for the model, and Antigravity CLI cannot ` +
				`give it the model before a tool runs, so the call is blocked:\n\nC"}`},
		"an ask": {protocol.Outcome{Event: "pre-tool", Decision: protocol.Ask, Reason: "sure?"},
			`{"decision":"force_ask","reason":"sure?"}`},
		"a defer": {protocol.Outcome{Event: "pre-tool", Decision: protocol.Defer}, `{"decision":"deny","reason":"` +
			`hookrun: a hook said defer, and a hook of Antigravity CLI cannot say that here, so it is a block"}`},
		"an approval": {protocol.Outcome{Event: "pre-tool", Decision: goesOn, Approved: true, Reason: "fine"},
			`{"decision":"allow","reason":"fine"}`},
		"a stop": {protocol.Outcome{Event: "pre-tool", Decision: goesOn, Approved: true, Stop: true,
			StopReason: "S"}, `{"decision":"deny","reason":"S"}`},
		"a rewrite beside an ask": {protocol.Outcome{Event: "pre-tool", Decision: protocol.Ask,
			UpdatedInput: []byte(`{"a":1}`)}, `{"decision":"deny","reason":"hookrun: a hook said ask, and a hook of ` +
			`Antigravity CLI cannot say that here, so it is a block\n\na project hook changed the tool's input, and ` +
			`Antigravity CLI cannot give the tool another, so the call is blocked; the changed input: {\"a\":1}"}`},
		"a warning": {protocol.Outcome{Event: "pre-tool", Decision: goesOn, Hooks: failed},
			`{"decision":"ask","reason":"hookrun: hook 'h' gave no answer (timeout), so it did not check this"}`},
		"after a tool":      {protocol.Outcome{Event: "post-tool", Reason: "R", Texts: inject}, `{}`},
		"a turn that ends":  {protocol.Outcome{Event: "Stop", Decision: goesOn}, `{"decision":""}`},
		"a turn that stops": {protocol.Outcome{Event: "Stop", Stop: true}, `{"decision":""}`},
		"a turn that goes on": {protocol.Outcome{Event: "Stop", Reason: "R"},
			`{"decision":"continue","reason":"R"}`},
		"a text for the model": {protocol.Outcome{Event: "PreInvocation", Decision: goesOn, Texts: inject},
			`{"injectSteps":[{"ephemeralMessage":"C"}]}`},
		"no text":       {protocol.Outcome{Event: "SessionStart", Decision: goesOn}, `{}`},
		"another event": {protocol.Outcome{Event: "UserPromptSubmit", Texts: inject}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, exit, err := dialecttest.Reply(Client, test.o)
			require.NoError(t, err)
			require.Zero(t, exit)
			require.Equal(t, test.want, string(stdout))
		})
	}
}

func TestInputEvent(t *testing.T) {
	for input, want := range map[string]protocol.Event{
		`{"toolCall":{"name":"run_command","args":{}},"stepIdx":19,"conversationId":"c"}`:            before,
		`{"toolCall":{"name":"run_command","args":{}}}`:                                              before,
		`{"toolCall":{"name":"run_command"},"stepIdx":1,"executionNum":1,"conversationId":"c"}`:      before,
		`{"stepIdx":5,"error":"exit status 1","conversationId":"c"}`:                                 after,
		`{"stepIdx":5,"conversationId":"c","toolCall":null}`:                                         after,
		`{"stepIdx":5,"error":"","toolCall":{"name":"run_command"},"conversationId":"c"}`:            after,
		`{"invocationNum":3,"initialNumSteps":10,"conversationId":"c"}`:                              preInvocation,
		`{"executionNum":1,"terminationReason":"model_stop","error":"","conversationId":"c"}`:        stop,
		`{"conversationId":"c","modelName":"m","workspacePaths":["/w"]}`:                             sessionStart,
		`{"hook_event_name":"PreToolUse","conversationId":"c","toolCall":{"name":"run_command"}}`:    "",
		`{"hookName":"tool_call","clineVersion":"","tool_call":{}}`:                                  "",
		`{"hook_event_name":"PreToolUse","conversation_id":"c"}`:                                     "",
		`{"toolCall":"run_command"}`:                                                                 "",
		`{"hook_event_name":"Stop","stepIdx":5,"error":"exit status 1","conversationId":"c","x":{}}`: "",
	} {
		require.Equal(t, want, inputEvent(input), input)
	}
}

func TestInput(t *testing.T) {
	c := dialect.Call{Event: before, ClientInput: `{"toolCall":{"name":"run_command","args":{"command":"ls",` +
		`"CommandLine":"rm -r /","Cwd":"/w"}},"conversationId":"c","workspacePaths":["/w","/v"],"transcriptPath":"t"}`}
	readInput(&c, gjson.Result{})
	require.Equal(t, "run_command", c.Tool)
	require.JSONEq(t, `{"command":"rm -r /","CommandLine":"rm -r /","Cwd":"/w","cwd":"/w"}`, c.Args)
	require.Equal(t, []string{"c", "/w", "t"}, []string{c.SessionID, c.Dir, c.TranscriptPath})
	payload, _, err := Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Equal(t, c.ClientInput+"\n", string(payload.Bytes()))

	changed := c
	changed.Args = `{"command":"ls"}`
	payload, _, err = Dialect.Hooks.Encode(dialect.NewCall(changed))
	require.NoError(t, err)
	require.JSONEq(t, `{"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}},"conversationId":"c",`+
		`"workspacePaths":["/w","/v"],"transcriptPath":"t"}`, string(payload.Bytes()))

	c = dialect.Call{Event: after, ClientInput: `{"stepIdx":5,"error":"exit status 1","conversationId":"c",` +
		`"toolCall":{"name":"view_file","args":{"AbsolutePath":"/x"}}}`}
	readInput(&c, gjson.Result{})
	require.True(t, c.Failed)
	require.Equal(t, "exit status 1", c.Result)

	for event, want := range map[protocol.Event]string{
		"pre-tool":       `"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}},"stepIdx":0`,
		"post-tool":      `"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}},"stepIdx":0,"error":"no"`,
		"PreInvocation":  `"invocationNum":0,"initialNumSteps":0`,
		"PostInvocation": `"invocationNum":0,"initialNumSteps":0`,
		"Stop":           `"executionNum":1,"terminationReason":"model_stop","error":"","fullyIdle":true`,
	} {
		c := dialect.Call{Event: event, SessionID: "s", Workspace: "/w", TranscriptPath: "t"}
		if Dialect.IsAboutTool(event) {
			c.Tool, c.Args = "run_command", `{"command":"ls"}`
		}
		if event == "post-tool" {
			c.Failed, c.Result = true, "no"
		}
		payload, _, err := Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Equal(t, `{`+want+`,"conversationId":"s","workspacePaths":["/w"],"transcriptPath":"t",`+
			`"artifactDirectoryPath":""}`+"\n", string(payload.Bytes()))
		if event != "PostInvocation" { // its input is that of PreInvocation
			require.Equal(t, Dialect.Hooks.Event(&c), inputEvent(string(payload.Bytes())))
		}
	}
}

func TestMatcher(t *testing.T) {
	for matcher, names := range map[string][2]string{ // those that it matches, and those that it does not
		"":                      {"run_command mcp_x", ""},
		"*":                     {"run_command", ""},
		"run_command":           {"run_command", "run_commands x_run_command"},
		"run_command|view_file": {"run_command view_file", "view_files"},
		"browser_.*":            {"browser_click browser_", "my_browser_click"},
		"[":                     {"", "["},
	} {
		p := reader{}.Pattern(matcher, "tool_name")
		for name := range strings.FieldsSeq(names[0]) {
			require.True(t, p.Match(name), "%s %s", matcher, name)
		}
		for name := range strings.FieldsSeq(names[1]) {
			require.False(t, p.Match(name), "%s %s", matcher, name)
		}
	}
}

func TestToolName(t *testing.T) {
	for args, want := range map[string]string{
		`{"Action":"list"}`: "shell_output", `{"Action":"kill"}`: "shell_stop", `{"Action":"status"}`: "shell_output",
		`{"Action":"send_input","Input":"ls"}`: "shell", `{"Action":"new"}`: "shell", `{}`: "shell", "": "shell",
	} {
		require.Equal(t, want, toolName(&dialect.Call{Tool: "manage_task", Args: args}), args)
	}
	require.Empty(t, toolName(&dialect.Call{Tool: "run_command"}))
	require.Equal(t, "mcp__s__t", toolName(&dialect.Call{Tool: "call_mcp_tool",
		Args: `{"ServerName":"s","ToolName":"t"}`}))
	require.Empty(t, toolName(&dialect.Call{Tool: "call_mcp_tool", Args: `{"ServerName":"s"}`}))
}
