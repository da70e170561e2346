package clients_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// What says what a call is must not be there twice: a client and its hooks could read two calls.
func TestInputWithAFieldTwice(t *testing.T) {
	for _, twice := range []string{
		`"tool_name":"Bash","tool_name":"Edit"`, `"tool_name":"Bash","tool\u005fname":"Edit"`,
		`"tool_name":"a","tool_name":null`,
		`"tool_name":"a","hook_event_name":"Stop"`, `"tool_name":"a","cwd":"/a","cwd":"/b"`,
		`"tool_name":"a","source":"1","source":"2"`,
		`"tool_name":"a","session_id":"1","session_id":"2"`, `"tool_name":"a","agent_id":"1","agent_id":"2"`,
		`"tool_name":"a","agent_id":"1","agent_id":"2","agent_id":"1"`,
	} {
		_, _, err := clients.All().ParseInput(`{"hook_event_name":"PreToolUse",` + twice + `,"tool_input":{}}`)
		require.ErrorContains(t, err, "twice", twice)
		require.ErrorContains(t, err, "with different values", twice)
	}
	for _, same := range []string{
		`"tool_name":"a","tool_name":"a"`, `"tool_name":"a","tool_name":"\u0061"`,
		`"tool_name":"a","x":{"n":1.0},"x":{"n":1}`,
		`"tool_name":"a","tool_input":{"a":1}`, `"tool_name":"a","tool_response":1,"tool_response":2`,
		`"tool_name":"a","x":1,"x":2`,
	} {
		_, warnings, err := clients.All().ParseInput(`{"hook_event_name":"PreToolUse",` + same + `,"tool_input":{}}`)
		require.NoError(t, err, same)
		require.Len(t, warnings, 1, same)
	}
}

func TestParseInput(t *testing.T) {
	c, warnings, err := clients.All().ParseInput("\ufeff" +
		` {"session_id" : "s\ud83d\ude00", "transcript_path":"/t","cwd":"/w/sub","prompt_id":null,"agent_id":"a","extra":[1, 2],
		"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input": {"command": "g\u0069t push", "n": 1.50},"tool_use_id":"u","prompt":"p"}` + "\n")
	require.NoError(t, err)
	require.Empty(t, warnings)
	const compact = `{"session_id":"s😀","transcript_path":"/t","cwd":"/w/sub","prompt_id":null,"agent_id":"a",` +
		`"extra":[1,2],` +
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git ` +
		`push","n":1.50},"tool_use_id":"u","prompt":"p"}`
	want := dialect.Call{Event: "PreToolUse", SessionID: "s😀", TranscriptPath: "/t", Dir: "/w/sub",
		AgentID: "a", Tool: "Bash",
		Args: `{"command":"git push","n":1.50}`, ToolUseID: "u", Prompt: "p", ClientInput: compact,
		Client: claude.Dialect}
	require.NoError(t, want.Resolve(clients.All()))
	require.Equal(t, want, c)
	require.Equal(t, compact+"\n", dialecttest.Encoded(t, &c))
	require.Equal(t, `[1,2]`, c.Field("extra"))
	require.Equal(t, "s😀", c.Field("session_id"))
	require.Empty(t, c.Field("absent"))

	for doc, want := range map[string]dialect.Call{
		`{"hook_event_name":"Stop"}`: {
			Event: "Stop"},
		`{"hook_event_name":"pre-tool","tool_name":"t"}`: {
			Event: "pre-tool", Tool: "t"},
		`{"\u0068ook_event_name":"St\u006fp"}`: {
			Event: "Stop"},
		`{"hook_event_name":"Stop","session_id":null,"cwd":null,"agent_id":null}`: {
			Event: "Stop"},
		`{"hook_event_name":"UserPromptSubmit","prompt":"\ud800x"}`: {
			Event: "UserPromptSubmit", Prompt: "\ufffdx"},
		`{"hook_event_name":"UserPromptSubmit","prompt":[{"type":"text","text":"a"},{"type":"image_url"},` +
			`{"type":"text","text":"b"}]}`: {Event: "UserPromptSubmit", Prompt: "a b"},
		`{"hook_event_name":"UserPromptSubmit","prompt":[]}`: {
			Event: "UserPromptSubmit"},
		"{\"hook_event_name\":\"Stop\",\"cwd\":\"\xff\"}": {
			Event: "Stop", Dir: "\ufffd"},
		`{"tool_name":"T","hook_event_name":"PreToolUse","tool_input":"ls"}`: {
			Event: "PreToolUse", Tool: "T", Args: `"ls"`},
		`{"tool_name":"T","hook_event_name":"PreToolUse","tool_input":[1]}`: {
			Event: "PreToolUse", Tool: "T", Args: `[1]`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":{"stdout": "x"}}`: {
			Event: "PostToolUse", Tool: "T", Result: `{"stdout":"x"}`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":"a\nb"}`: {
			Event: "PostToolUse", Tool: "T", Result: "a\nb"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":[{"type":"text"}]}`: {
			Event: "PostToolUse", Tool: "T", Result: `[{"type":"text"}]`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":"M66"}`: {
			Event: "PostToolUse", Tool: "T", Result: "M66"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":{"a": 1},"tool_response":null}`: {
			Event: "PostToolUse", Tool: "T", Result: `{"a":1}`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":"x","tool_response":"counts"}`: {
			Event: "PostToolUse", Tool: "T", Result: "counts"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_result":{"is_error": true}}`: {
			Event: "PostToolUse", Tool: "T", Result: `{"is_error":true}`},
		`{"tool_name":"T","hook_event_name":"PostToolUseFailure","error":"Exit code 3"}`: {
			Event: "PostToolUseFailure", Tool: "T", Result: "Exit code 3", Failed: true},
		`{"hook_event_name":"StopFailure","error":"rate_limit"}`: {
			Event: "StopFailure"},
		`{"tool_name":"T","tool_input":{"hook_event_name":"Stop"},"hook_event_name":"PermissionRequest"}`: {
			Event: "PermissionRequest", Tool: "T", Args: `{"hook_event_name":"Stop"}`},
	} {
		got, warnings, err := clients.All().ParseInput(doc)
		require.NoError(t, err, doc)
		require.Empty(t, warnings, doc)
		require.True(t, json.Valid([]byte(got.ClientInput)))
		want.ClientInput, want.Client = got.ClientInput, got.Client
		require.NoError(t, want.Resolve(clients.All()))
		require.Equal(t, want, got, doc)
	}

	// Of equal keys everybody is given the last, and is told so.
	c, warnings, err = clients.All().ParseInput(`{"tool_name":"evil","tool_n\u0061me":"evil",` +
		`"hook_event_name":"PreToolUse","x":"safe","x":1,"tool_input":{"a":1,"a":2}}`)
	require.NoError(t, err)
	require.Equal(t,
		[]string{`the hook input: the key "tool_name" is there twice in one object; hooks were given the last (and 2 ` +
			`more such keys)`}, warnings)
	require.Equal(t, protocol.Event("PreToolUse"), c.Event)
	require.Equal(t, "evil", c.Tool)
	require.Equal(t, `{"a":2}`, c.Args)
	require.JSONEq(t, `{"hook_event_name":"PreToolUse","tool_name":"evil","x":1,"tool_input":{"a":2}}`, c.ClientInput)
	require.NotContains(t, c.ClientInput, "safe")

	for doc, want := range map[string]string{
		"":                                       "the hook input: line 1, column 1",
		" \n":                                    "the hook input: line 2, column 1",
		"PreToolUse":                             "the hook input: line 1, column 1",
		`{"hook_event_name":"Stop"`:              "the document ends too early",
		`{"hook_event_name":"Stop"} {}`:          "after the end of the document",
		`{"hook_event_name":"Stop",}`:            "line 1, column 26",
		`[]`:                                     "the hook input must be a JSON object",
		`[{"hook_event_name":"Stop"}]`:           "the hook input must be a JSON object",
		`null`:                                   "the hook input must be a JSON object",
		`"Stop"`:                                 "the hook input must be a JSON object",
		`{}`:                                     "the hook input has no hook_event_name",
		`{"event":"Stop"}`:                       "the hook input has no hook_event_name",
		`{"Hook_event_name":"Stop"}`:             "the hook input has no hook_event_name",
		`{"hook_event_name":null}`:               "hook_event_name null is no event that is known",
		`{"hook_event_name":1}`:                  "hook_event_name 1 is no event that is known",
		`{"hook_event_name":["Stop"]}`:           `hook_event_name ["Stop"] is no event that is known`,
		`{"hook_event_name":"sTop"}`:             `hook_event_name "sTop" is no event that is known`,
		`{"hook_event_name":""}`:                 `hook_event_name "" is no event that is known`,
		`{"hook_event_name":"Stop","cwd":1}`:     "the hook input's cwd must be a string, not 1",
		`{"hook_event_name":"Stop","prompt":{}}`: "the hook input's prompt must be a string, not {}",
		`{"hook_event_name":"UserPromptSubmit","prompt":["a"]}`: `the hook input's prompt must be a string, not ["a"]`,
		`{"hook_event_name":"UserPromptSubmit","prompt":[{"text":"a"}]}`: "the hook input's prompt must be a string, " +
			`not [{"text":"a"}]`,
		`{"hook_event_name":"UserPromptSubmit","cwd":[{"type":"text"}]}`: "the hook input's cwd must be a string, " +
			`not [{"type":"text"}]`,
		`{"hook_event_name":"PreToolUse","tool_name":["Bash"]}`: `the hook input's tool_name must be a ` +
			`string, not ["Bash"]`,
		`{"hook_event_name":"PreToolUse","tool_use_id":true}`: "the hook input's tool_use_id must be " +
			"a string, not true",
		`{"hook_event_name":"Stop","session_id":0}`: "the hook input's session_id must be a " +
			"string, not 0",
		`{"hook_event_name":"Stop","transcript_path":false}`: "the hook input's transcript_path must " +
			"be a string, not false",
		`{"hook_event_name":"Stop","agent_id":[]}`: "the hook input's agent_id must be a " +
			"string, not []",
		`{"hook_event_name":"PreToolUse","x":` + strings.Repeat("[", 10_000): "nested more than 9999 deep",
	} {
		_, warnings, err := clients.All().ParseInput(doc)
		require.ErrorContains(t, err, want, "%.60s", doc)
		require.Empty(t, warnings)
	}
}

func TestRewriteReachesTheClientsInput(t *testing.T) {
	const doc = `{"tool_input_before":{"tool_input":1},"hook_event_name":"PostToolUse","tool_name":"T",` +
		`"tool_input":{"tool_response":0,"a":"é"},"tool_response":{"tool_input":2},"z":"tool_input"}`
	parse := func(doc string) *dialect.Call {
		c, _, err := clients.All().ParseInput(doc)
		require.NoError(t, err)
		return dialect.NewCall(c)
	}
	c := parse(doc)
	_, _, err := c.Input()
	require.NoError(t, err)
	v := dialect.Verdict{Decision: protocol.Continue, UpdatedInput: []byte(`{"b":[1]}`)}
	require.True(t, v.Rewrite(c))
	want := strings.Replace(doc, `{"tool_response":0,"a":"é"}`, `{"b":[1]}`, 1)
	require.Equal(t, want+"\n", dialecttest.Encoded(t, c))
	require.Equal(t, `{"b":[1]}`, c.Args)
	input, _, err := c.Input()
	require.NoError(t, err)
	require.Equal(t, `{"b":[1]}`, string(input), "not what was worked out before")

	v = dialect.Verdict{Decision: protocol.Ask, UpdatedOutput: []byte(`"new"`)}
	require.True(t, v.Rewrite(c))
	want = strings.Replace(want, `{"tool_input":2}`, `"new"`, 1)
	require.Equal(t, want+"\n", dialecttest.Encoded(t, c))
	require.Equal(t, "new", c.Result)

	v = dialect.Verdict{Decision: protocol.Block, UpdatedInput: []byte(`{}`), UpdatedOutput: []byte(`1`)}
	require.False(t, v.Rewrite(c), "a block rewrites nothing")
	v = dialect.Verdict{Decision: protocol.Continue}
	require.False(t, v.Rewrite(c))
	require.Equal(t, want+"\n", dialecttest.Encoded(t, c))

	for output, want := range map[string]string{"": "old", `"n\u0065w"`: "new", `{"a":1}`: `{"a":1}`, "null": "null"} {
		o := protocol.Outcome{Decision: protocol.Continue}
		if output != "" {
			o.UpdatedOutput = []byte(output)
		}
		require.Equal(t, want, form.ResultText(o, "old"))
	}

	c = parse(`{"hook_event_name":"Stop"}`)
	v = dialect.Verdict{Decision: protocol.Continue, UpdatedInput: []byte(`{}`), UpdatedOutput: []byte(`1`)}
	v.Rewrite(c)
	require.Equal(t, `{"hook_event_name":"Stop"}`, c.ClientInput, "what the client did not give is not made up")
}

// TestEqualKeysOfOtherForms: some clients have the tool and its arguments in an object of their own.
func TestEqualKeysOfOtherForms(t *testing.T) {
	call := func(members string) string { return `{"conversationId":"c","stepIdx":1,` + members + `}` }
	for input, fault := range map[string]string{
		call(`"toolCall":{"name":"run_command","args":{"CommandLine":"rm","CommandLine":"ls"}}`): "",
		call(`"toolCall":{"name":"run_command","args":{"CommandLine":"rm"},"args":{"x":1}}`):     "",
		call(`"toolCall":{"name":"run_command","name":"ls","args":{}}`):                          "toolCall.name",
		call(`"toolCall":{"name":"run_command","args":{}},"toolCall":{"name":"ls","args":{}}`):   "toolCall",
		`{"toolCall":{"name":"a","args":{}},"toolCall":{"name":"a","args":{}},"stepIdx":1}`:      "",
	} {
		c, _, err := clients.All().ParseInput(input)
		if fault != "" {
			require.ErrorContains(t, err, strconv.Quote(fault)+" twice with different values", input)
			continue
		}
		require.NoError(t, err, input)
		require.True(t, c.EqualKeys, input)
	}
}
