package cline

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// TestArgs: all forms in which the client takes commands are lines that rules and hooks can read.
func TestArgs(t *testing.T) {
	for input, want := range map[string]string{
		`{"commands":["ls"]}`:                               `{"command":"ls"}`,
		`{"commands":["a","b"]}`:                            `{"command":"a\nb","commands":["a","b"]}`,
		`{"commands":"ls"}`:                                 `{"command":"ls"}`,
		`{"commands":[{"command":"git","args":["push"]}]}`:  `{"command":"git push"}`,
		`{"commands":{"command":"rm","args":["a b","$x"]}}`: `{"command":"rm 'a b' '$x'"}`,
		`[{"command":"a"},"b"]`:                             `{"command":"a\nb","commands":["a","b"]}`,
		`{"command":"a; b"}`:                                `{"command":"a; b"}`,
		`{"command":"a","args":[5]}`:                        `{"command":"a"}`,
		`{"command":"a","args":null}`:                       `{"command":"a"}`,
		`{"cmd":"a"}`:                                       `{"command":"a"}`,
		`{"command":null,"cmd":"a"}`:                        `{"command":"a"}`,
		`{"command":5,"cmd":"a"}`:                           `{"command":"a"}`,
		`{"commands":null,"command":"a"}`:                   `{"command":"a"}`,
		`{"commands":[5],"command":"a","args":["b"]}`:       `{"command":"a b"}`,
		`"a"`:                              `{"command":"a"}`,
		`{"commands":["a"],"command":"b"}`: `{"command":"a"}`,
		`{"commands":[]}`:                  `{"commands":[]}`,
		`{"commands":[5]}`:                 `{"commands":[5]}`,
		`[["a"]]`:                          `[["a"]]`,
		`{}`:                               `{}`,
		`5`:                                `5`,
	} {
		require.Equal(t, want, argsOf(runCommands, gjson.Parse(input)), input)
		require.Equal(t, input, argsOf("other", gjson.Parse(input)))
	}
}

// TestFitInput: a hook that was given two forms of the commands may change either.
func TestFitInput(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"x"}`:                         `{"command":"x"}`,
		`{"commands":["x","y"]}`:                  `{"commands":["x","y"]}`,
		`{"command":"x","commands":["a","b"]}`:    `{"command":"x"}`,
		`{"command":"a\nb","commands":["x"]}`:     `{"command":"x"}`,
		`{"command":"a\nb","commands":["x","b"]}`: `{"command":"x\nb","commands":["x","b"]}`,
		`{"command":"x\ny","commands":["x","y"]}`: `{"command":"x\ny","commands":["x","y"]}`,
		`{"command":"x","commands":["y","z"]}`:    ``,
		`{"command":null,"commands":["y","z"]}`:   ``,
	} {
		c := dialect.Call{Event: before, Tool: runCommands, Args: `{"command":"a\nb","commands":["a","b"]}`}
		v := dialect.OK()
		v.UpdatedInput = []byte(input)
		hooks.Fit(hooks{}, &c, "h", &v)
		require.Equal(t, want, string(v.UpdatedInput), input)
		require.Equal(t, want == "", v.Decision == protocol.Block, input)
	}
}

const input = `{"clineVersion":"","sessionContext":{"rootSessionId":"s"},"workspaceInfo":{"rootPath":"/w"},` +
	`"agent_id":"a","parent_agent_id":null,"hookName":"tool_result","tool_result":{"id":"1","name":"run_commands",` +
	`"input":{"commands":["a","b"]},"output":[{"result":"R"}]},"postToolUse":{"toolName":"run_commands"},"more":1}`

func given(t *testing.T, change func(*dialect.Call)) (read dialect.Call, stdin string) {
	c := &dialect.Call{Event: inputEvent(input), ClientInput: input, AgentID: "a"}
	readInput(c, gjson.Result{})
	read = *c
	change(c)
	text, _, err := hooks.Encode(hooks{}, c)
	require.NoError(t, err)
	return read, string(text.Bytes())
}

func TestInput(t *testing.T) {
	c, stdin := given(t, func(*dialect.Call) {})
	require.Equal(t, dialect.Call{Event: after, ClientInput: input, SessionID: "s", Dir: "/w", Tool: "run_commands",
		ToolUseID: "1", Args: `{"command":"a\nb","commands":["a","b"]}`, Result: `[{"result":"R"}]`}, c)
	require.Equal(t, input+"\n", stdin)

	// What another hook has changed stands where the client would have it.
	_, stdin = given(t, func(c *dialect.Call) {
		(&dialect.Verdict{Decision: protocol.Continue, UpdatedOutput: []byte(`"new"`)}).Rewrite(c)
		c.SetArgs([]byte(`{"command":"x"}`))
	})
	require.Equal(t, `{"commands":["x"]}`, gjson.Get(stdin, "tool_result.input").Raw)
	require.Equal(t, "new", gjson.Get(stdin, "tool_result.output").String())
	require.Equal(t, `["x"]`, gjson.Get(stdin, "postToolUse.parameters.commands").String())
	require.Equal(t, int64(1), gjson.Get(stdin, "more").Int())

	// A call of another client's.
	text, _, err := hooks.Encode(hooks{}, dialect.NewCall(dialect.Call{Event: protocol.PreTool,
		Tool: runCommands, Workspace: "/w",
		SessionID: "s", Args: `{"command":"ls","description":"d"}`}))
	require.NoError(t, err)
	require.Equal(t, before, inputEvent(string(text.Bytes())))
	require.Equal(t, `{"id":"","name":"run_commands","input":{"commands":["ls"]}}`,
		gjson.GetBytes(text.Bytes(), "tool_call").Raw)
}

func TestOutput(t *testing.T) {
	goesOn := func(e protocol.Event) protocol.Outcome {
		return protocol.Outcome{Event: e, Tool: "t", Decision: protocol.Continue}
	}
	block := func(e protocol.Event, cause protocol.Cause, hook string) protocol.Outcome {
		return protocol.Outcome{Event: e, Decision: protocol.Block, Cause: cause, Hook: hook, Reason: "R"}
	}
	const ends = ", and Cline cannot give the model another one, so the run ends; the tool has run"
	for name, test := range map[string]struct {
		o    protocol.Outcome
		with func(*protocol.Outcome)
		want string
	}{
		"nothing": {goesOn(before), nil, `{}`},
		"a rewrite": {goesOn(before), func(o *protocol.Outcome) { o.UpdatedInput = []byte(`{"a":1}`) },
			`{"overrideInput":{"a":1}}`},
		"no object": {goesOn(before), func(o *protocol.Outcome) { o.UpdatedInput, o.UpdatedBy = []byte(`5`), "h" },
			`{"cancel":true,"errorMessage":"project hook 'h' changed the tool's input to something that is ` +
				`no object"}`},
		"a message": {goesOn(before), func(o *protocol.Outcome) { o.SystemMessages = []string{"m"} },
			`{"contextModification":"For the user: m"}`},
		"a stop": {goesOn(before), func(o *protocol.Outcome) { o.Stop, o.StopReason = true, "S" },
			`{"cancel":true,"errorMessage":"S"}`},
		"a block": {block(before, protocol.CausePolicy, "h"), nil, `{"cancel":true,"errorMessage":"R"}`},
		"the zero outcome": {protocol.Outcome{Event: before}, nil,
			`{"cancel":true,"errorMessage":"Blocked by a hook"}`},
		"a block behind": {block(after, protocol.CausePolicy, "h"), nil, `{"contextModification":"R"}`},
		"a failure behind": {block(after, protocol.CauseTimeout, "h"), nil,
			`{"cancel":true,"errorMessage":"project hook 'h' failed (timeout) and fails closed` + ends + `"}`},
		"hookrun's own error": {block(after, "unstarted", ""), nil,
			`{"cancel":true,"errorMessage":"R\n\nthe hooks of this call did not do their work (unstarted)` + ends +
				`"}`},
		"a new result": {goesOn(after),
			func(o *protocol.Outcome) { o.UpdatedOutput, o.UpdatedBy = []byte(`"x"`), "h" },
			`{"cancel":true,"errorMessage":"project hook 'h' changed the tool's result` + ends + `"}`},
	} {
		if test.with != nil {
			test.with(&test.o)
		}
		text, err := output(test.o)
		require.NoError(t, err)
		require.Equal(t, test.want, string(text), name)
		c := dialect.Call{Event: test.o.Event}
		r := dialecttest.Printed(string(text))
		v := hooks.Decode(hooks{}, &c, "hookrun", &r)
		require.Empty(t, v.Warnings, name)
		require.Empty(t, v.Problem+v.Doubt, name)
	}
}

// TestEvents: at events whose hooks the client does not wait for nothing counts.
func TestEvents(t *testing.T) {
	for _, e := range Dialect.Events.Names() {
		r := dialecttest.Printed(`{"cancel":true,"contextModification":"C"}`)
		v := hooks.Decode(hooks{}, &dialect.Call{Event: e}, "h", &r)
		require.Equal(t, readsAnswer(e), v.Decision == protocol.Block, e)
		require.Empty(t, v.Context)
		require.Equal(t, !readsAnswer(e), Dialect.CannotBlock(e))
	}
	require.Empty(t, inputEvent(`{"hookName":"tool_call"}`))
	require.Empty(t, inputEvent(`{"hookName":"permissionRequest","clineVersion":""}`))
	require.Equal(t, protocol.Event("UserPromptSubmit"), inputEvent(`{"hookName":"prompt_submit","clineVersion":""}`))
	require.Equal(t, "mcp__srv__echo", toolName(&dialect.Call{Tool: "srv__echo"}))
	require.Empty(t, toolName(&dialect.Call{Tool: "editor"}))
}
