package guardian

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/protocol"
)

// folder returns an absolute path of this system.
func folder() string {
	if runtime.GOOS == "windows" {
		return "C:/w"
	}
	return "/w"
}

func params(payload string) string {
	return `{"acs_version":"0.1.0","request_id":"r",` +
		`"metadata":{"agent_id":"a","session_id":"s","cwd":"` + folder() + `"},"payload":{` + payload + `}}`
}

func read(t *testing.T, method, payload string) *Request {
	t.Helper()
	r, err := Read(method, params(payload))
	require.NoError(t, err)
	return &r
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ method, payload, tool, args, result, prompt, fault string }{
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"a":{"value":[1]},"b":{"value":null}}`,
			tool: "t", args: `{"a":[1],"b":null}`},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{},"raw_command":"ls"`, tool: "t",
			args: `{"command":"ls"}`},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"command":{"value":""}},` +
			`"raw_command":""`, tool: "t", args: `{"command":""}`},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"command":{"value":1}},` +
			`"raw_command":""`, fault: "differ"},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"command":{"value":"ls"}},` +
			`"raw_command":["rm"]`, fault: "raw_command is no string"},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{},"raw_command":null`, tool: "t",
			args: "{}"},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"a":1}`, fault: `"a" has no value`},
		{method: toolCallRequest, payload: `"tool":{"name":"t"},"arguments":{"a":{"value":1},"a":{"value":2}}`,
			fault: "cannot be read"},
		{method: toolCallRequest, payload: `"tool":{"name":"t"}`, fault: "needs arguments"},
		{method: toolCallRequest, payload: `"tool":"t","arguments":{}`, fault: "needs a tool"},
		{method: toolCallResult, payload: `"tool":{"name":"t"},"exit_status":"success",` +
			`"outputs":[{"value":"a"},{"value":1}]`,
			tool: "t", result: "a\n1"},
		{method: toolCallResult, payload: `"tool":{"name":"t"},"outputs":["a"]`, fault: "needs a value"},
		{method: toolCallResult, payload: `"tool":{"name":"t"}`, fault: "needs the outputs"},
		{method: toolCallResult, payload: `"tool":{"name":"t"},"outputs":{"value":"a"}`,
			fault: "needs the outputs"},
		{method: userMessage, payload: `"content":[{"type":"text","text":"a"}]`, fault: "has no value"},
		{method: userMessage, payload: `"content":["a"]`, fault: "needs a type"},
		{method: userMessage, payload: `"content":[{"type":"text","value":"a"},{"type":"image"},` +
			`{"type":"text","value":"b"}]`,
			prompt: "a\nb"},
		{method: userMessage, payload: `"content":"a"`, fault: "which is an array"},
	} {
		r := read(t, test.method, test.payload)
		if test.fault != "" {
			require.ErrorContains(t, r.Fault, test.fault, test.payload)
			continue
		}
		require.NoError(t, r.Fault, test.payload)
		require.Equal(t, []string{test.tool, test.args, test.result, test.prompt},
			[]string{r.Call.Tool, r.Call.Args, r.Call.Result, r.Call.Prompt}, test.payload)
		require.Equal(t, []string{"s", "a", folder()}, []string{r.Call.SessionID, r.Call.AgentID, r.Call.Dir})
	}
	for text, want := range map[string]jsonrpc.Code{
		`{"acs_version":"0.1.0"}`: jsonrpc.InvalidParams,
		`[]`:                      jsonrpc.InvalidParams,
		`{"acs_version":"1.0.0","request_id":"r"}`:                       unsupportedVersion,
		`{"request_id":"r"}`:                                             unsupportedVersion,
		`{"acs_version":"0.1.0","request_id":"r","signature":{"a":"b"}}`: signatureInvalid,
	} {
		_, err := Read(toolCallRequest, text)
		var e *jsonrpc.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, want, e.Code, text)
	}
	_, err := Read("steps/turnStart", params(""))
	require.ErrorContains(t, err, "not evaluated")
}

func TestDecision(t *testing.T) {
	const two = `"tool":{"name":"t"},"arguments":{"a":{"value":1},"b":{"value":2}}`
	pre, post, prompt := read(t, toolCallRequest, two),
		read(t, toolCallResult, `"tool":{"name":"t"},"exit_status":"failure","outputs":[]`),
		read(t, userMessage, `"content":[]`)
	require.True(t, post.Call.Failed)
	const goes = protocol.Continue
	rewrite := func(text string) protocol.Outcome {
		return protocol.Outcome{Decision: goes, UpdatedInput: json.RawMessage(text)}
	}
	for _, test := range []struct {
		r    *Request
		o    protocol.Outcome
		want string
	}{
		{pre, protocol.Outcome{Decision: goes, Approved: true}, `"decision":"allow"}`},
		{pre, protocol.Outcome{}, `"decision":"deny","reasoning":"blocked by a hook"}`},
		{pre, protocol.Outcome{Reason: "no", Hook: "h", Cause: "policy", Texts: []protocol.Text{{Content: "c"}}},
			`"decision":"deny","reasoning":"no\n\nc","policy_references":[{"policy_id":"hookrun","rule_id":"h"}],` +
				`"reason_codes":["policy"],"policy_data":{"hookrun":{"texts":["c"]}}}`},
		{pre, protocol.Outcome{Decision: protocol.Ask, Reason: "sure?"}, `"decision":"ask","ask_details":{"approver":` +
			`{"type":"human","id":"user"},"question":"sure?","timeout_seconds":300,"timeout_disposition":"deny"},` +
			`"reasoning":"sure?"}`},
		{pre, protocol.Outcome{Decision: protocol.Defer}, `"timeout_decision":"deny"}}`},
		{pre, protocol.Outcome{Decision: goes, Stop: true, StopReason: "enough"},
			`"decision":"deny","reasoning":"enough","policy_data":{"hookrun":{"stop":true}}}`},
		{pre, rewrite(`{"a":1,"b":3,"c":4}`), `"decision":"modify","modifications":{"parameter_overrides":` +
			`{"b":3,"c":4}},"reasoning":"a project hook changed the tool's input"}`},
		{pre, rewrite(`{"b":2,"a":1.0}`), `"decision":"allow"}`},
		{pre, rewrite(`{"a":1}`), `"decision":"deny","reasoning":"a project hook changed the tool's input, and the ` +
			`Agent Control Standard cannot remove \"b\"","reason_codes":["rewrite"]}`},
		{pre, rewrite(`[]`), `to something that is no object","reason_codes":["rewrite"]}`},
		{post, protocol.Outcome{Decision: goes, UpdatedOutput: json.RawMessage(`{"a":1}`)},
			`"decision":"modify","modifications":{"modified_content":"{\"a\":1}"},`},
		{prompt, rewrite(`{"prompt":"p"}`), `"modifications":{"modified_content":"p"}`},
		{prompt, protocol.Outcome{Decision: goes, SystemMessages: []string{"m"}, Warnings: []string{"w"}},
			`"policy_data":{"hookrun":{"system_messages":["m"],"warnings":["w"]}}}`},
	} {
		test.o.Event = test.r.Call.Event
		test.r.Fit(&test.o)
		text := string(test.r.Decision(test.o))
		require.True(t, json.Valid([]byte(text)), text)
		require.Contains(t, text, `{"type":"final","acs_version":"0.1.0","request_id":"r","decision":`)
		require.Contains(t, text, test.want)
	}
}

// FuzzRead: whatever an agent sends, a step has a decision in JSON, and a step that cannot be read is denied.
func FuzzRead(f *testing.F) {
	f.Add(toolCallRequest, params(`"tool":{"name":"t"},"arguments":{"a":{"value":1}},"raw_command":"x"`))
	f.Add(toolCallResult, params(`"tool":{"name":"t"},"outputs":[{"value":"a"}]`))
	f.Add(userMessage, params(`"content":[{"type":"text","value":"\ud83d"}]`))
	f.Add("handshake/hello", params(`"acs_versions_supported":["0.1.0"]`))
	f.Add("system/ping", params(`"echo":"\u0000"`))
	f.Fuzz(func(t *testing.T, method, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		r, err := Read(method, text)
		if err != nil {
			return
		}
		if r.Reply != nil {
			require.True(t, json.Valid(r.Reply), "%s", r.Reply)
			return
		}
		if r.Fault != nil {
			require.Contains(t, string(r.Deny(r.Fault.Error())), `"decision":"deny"`)
			return
		}
		o := protocol.Outcome{Event: r.Call.Event, Decision: protocol.Continue,
			UpdatedInput: json.RawMessage(`{"a":2}`)}
		r.Fit(&o)
		require.True(t, json.Valid(r.Decision(o)))
		require.True(t, r.Call.Event != protocol.PreTool || json.Valid([]byte(r.Call.Args)), r.Call.Args)
	})
}
