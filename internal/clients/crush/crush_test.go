package crush

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func call() dialect.Call {
	return dialect.Call{Event: protocol.PreTool, Tool: "bash", Args: `{"command":"ls","description":"d"}`,
		SessionID: "s", Workspace: "/w"}
}

// TestOutput: what the client makes of an outcome that it is given.
func TestOutput(t *testing.T) {
	const goesOn = protocol.Continue
	inject := []protocol.Text{{Hook: "noter", Content: "C"}}
	failed := protocol.Report{Name: "h", Status: dialect.StatusTimeout, Cause: protocol.CauseTimeout}
	odd := protocol.Outcome{Decision: goesOn, UpdatedInput: []byte(`{"a.b":1}`)}
	odd.UpdatedBy = "fixer"
	for name, test := range map[string]struct {
		o    protocol.Outcome
		says string
	}{
		"nothing to say":   {o: protocol.Outcome{Decision: goesOn}},
		"the zero outcome": {says: `{"decision":"deny","reason":"Blocked by a hook"}`},
		"a block": {o: protocol.Outcome{Reason: "R", Texts: inject},
			says: `{"decision":"deny","reason":"R\n\nC"}`},
		"an ask": {o: protocol.Outcome{Decision: protocol.Ask, Reason: "sure?"},
			says: `{"decision":"deny","reason":"sure?\n\nhookrun: a hook said ask, and a hook of Crush cannot say ` +
				`that here, so it is a block"}`},
		"a stop": {o: protocol.Outcome{Decision: goesOn, Stop: true, StopReason: "S"},
			says: `{"decision":"deny","reason":"S","halt":true}`},
		"an approval": {o: protocol.Outcome{Decision: goesOn, Approved: true, Reason: "R"},
			says: `{"decision":"allow"}`},
		"a rewrite": {o: protocol.Outcome{Decision: goesOn, UpdatedInput: []byte(`{"command":"x"}`)},
			says: `{"updated_input":{"command":"x"}}`},
		"a rewrite of a key that is a path": {o: odd, says: `{"decision":"deny","reason":"project hook 'fixer' ` +
			`changed the tool's input, and Crush takes its key \"a.b\" for a path, so the call is blocked"}`},
		"a rewrite to a list": {o: protocol.Outcome{Decision: goesOn, UpdatedInput: []byte(`[1]`)},
			says: `{"decision":"deny","reason":"a project hook changed the tool's input to something that is no ` +
				`object"}`},
		"texts": {o: protocol.Outcome{Decision: goesOn, Texts: inject, SystemMessages: []string{"M"},
			Hooks: []protocol.Report{failed}}, says: `{"context":"C\n\nFor the user: M\n\nFor the user: ` +
			`hookrun: hook 'h' gave no answer (timeout), so it did not check this"}`},
	} {
		t.Run(name, func(t *testing.T) {
			test.o.Event = protocol.PreTool
			stdout, exit, err := dialecttest.Reply(Client, test.o)
			require.NoError(t, err)
			require.Zero(t, exit)
			require.Equal(t, test.says, string(stdout))
			c, r := call(), dialecttest.Printed(string(stdout))
			v := Dialect.Hooks.Decode(&c, "hookrun", &r)
			require.Empty(t, v.Doubt, "the client reads it as it is meant")
			require.Empty(t, v.Warnings)
			require.Equal(t, test.o.Stop, v.Stop)
			require.Equal(t, strings.Contains(test.says, "deny"), v.Decision == protocol.Block)
			test.o.Event = protocol.PostTool
			stdout, _, err = dialecttest.Reply(Client, test.o)
			require.NoError(t, err)
			require.Empty(t, stdout, "it has no other event")
		})
	}
}

// TestFit: a key that a hook took out of the input would stay.
func TestFit(t *testing.T) {
	for now, want := range map[string]string{
		`{"command":"x","description":"d"}`: `{"command":"x","description":"d"}`,
		`{"command":"x"}`:                   `{"command":"x","description":null}`,
		`[1]`:                               `[1]`,
	} {
		c, v := call(), dialect.Verdict{UpdatedInput: []byte(now)}
		hooks{}.Fit(&c, "h", &v)
		require.Equal(t, want, string(v.UpdatedInput))
	}
}

// TestPayload: a call that comes from no client has the input and the variables that were recorded.
func TestPayload(t *testing.T) {
	c := call()
	payload, warnings, err := Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, `{"event":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"bash",`+
		`"tool_input":{"command":"ls","description":"d"}}`+"\n", string(payload.Bytes()))
	all := []string{"CRUSH=1", "AGENT=crush", "AI_AGENT=crush", "CRUSH_CWD=/w", "CRUSH_PROJECT_DIR=/w",
		"CRUSH_EVENT=PreToolUse", "CRUSH_TOOL_NAME=bash", "CRUSH_SESSION_ID=s", "CRUSH_TOOL_INPUT_COMMAND=ls"}
	require.Equal(t, all, Dialect.Hooks.Environment(&c))
	c.Event = ""
	require.Equal(t, all[:5], Dialect.Hooks.Environment(&c), "of a process that sees many calls")
}

// TestUnseen: a hook that could not be given the command lets nothing pass.
func TestUnseen(t *testing.T) {
	for args, hidden := range map[string]bool{
		`{"command":"` + strings.Repeat("x", dialect.MaxVariable()/2) + `"}`: false,
		`{"command":"` + strings.Repeat("x", dialect.MaxVariable()) + `"}`:   true,
		`{"command":"ls \u0000"}`: true,
		`{"file_path":"` + strings.Repeat("x", dialect.MaxVariable()) + `"}`:       true,
		`{"description":"` + strings.Repeat("x", dialect.MaxVariable()) + `"}`:     false,
		`{"command":["` + strings.Repeat("x", dialect.MaxVariable()-100) + `",1]}`: false,
	} {
		c := call()
		c.Args = args
		for stdout, passes := range map[string]bool{"": true, `{"decision":"allow"}`: true,
			`{"decision":"deny","reason":"R"}`: false} {
			r := dialecttest.Printed(stdout)
			v := Dialect.ApplyFailurePolicy(&c, Dialect.Hooks.Decode(&c, "h", &r))
			require.Equal(t, hidden || !passes, v.Decision == protocol.Block, "%.60s", args)
			require.Equal(t, hidden && passes, strings.Contains(v.Reason, "does not fit into $"))
		}
	}
}

// TestDeep: the client reads JSON that nests deeper than any other answer may.
func TestDeep(t *testing.T) {
	for depth, denies := range map[int]bool{100: true, 9_999: true, 10_000: false} {
		c := call()
		nested := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		r := dialecttest.Printed(`{"decision":"deny","x":` + nested + "}")
		v := Dialect.ApplyFailurePolicy(&c, Dialect.Hooks.Decode(&c, "h", &r))
		require.Equal(t, denies, v.Decision == protocol.Block)
	}
}

// TestRespell: keys are found in the letters that the client reads them in, and everything stays in its place.
func TestRespell(t *testing.T) {
	const hooks = `[{"command":"x"}]`
	for text, want := range map[string]string{
		` {"HOOKS":{"Pre_Tool_Use":` + hooks + `}}`: ` {"hooks":{"PreToolUse"  :` + hooks + `}}`,
		`{"hookſ":{"PRETOOLUSE":null}}`:             `{"hooks" :{"PreToolUse":[]  }}`,
		`{"hooks":{"pretooluse":[{"Command":"x","MATCHER":"m"},3]}}`: `{"hooks":{"PreToolUse":` +
			`[{"command":"x","matcher":"m"},3]}}`,
		`{"hooks":null,"Env":{}}`: `{"hooks":null,"env":{}}`,
		`{"hooks":[{"Stop":[]}]}`: `{"hooks":[{"Stop":[]}]}`,
		`[]`:                      `[]`,
		`{"hooks":{"pretooluse":` + hooks + `,"PreToolUse":[]}}`: `"PreToolUse" is "pretooluse" once more; write it ` +
			`once`,
		`{"hooks":{"PreToolUse":[{"command":"x","Command":"y"}]}}`: `"Command" is "command" once more; write it once`,
		`{"hooks":{"Stop":[{"Command":"x"},{}]}}`: `Stop 2: needs a "command"; Crush does not start with ` +
			`that`,
	} {
		nowhere := func(int) document.Position { return document.Position{} }
		d := settings.Open(dialect.NewDocument("crush.json", text, Dialect, nowhere))
		respell(d)
		if strings.HasPrefix(want, "{") || strings.HasPrefix(want, "[") || strings.HasPrefix(want, " ") {
			require.Empty(t, append(d.Problems, d.Warnings...), text)
			require.Equal(t, want, d.Text)
			continue
		}
		found := append(d.Problems, d.Warnings...)
		require.Len(t, found, 1, text)
		require.Equal(t, want, found[0].Text)
	}
}
