package acs

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func call(e protocol.Event) *dialect.Call {
	return dialect.NewCall(dialect.Call{Event: e, Tool: "shell", Args: `{"command":"ls","n":1}`, Result: "out",
		Prompt: "p", SessionID: "s", Workspace: "/w"})
}

func sent(t *testing.T, c *dialect.Call) (dialect.Payload, gjson.Result) {
	p, warnings, err := Dialect.Hooks.Encode(c)
	require.NoError(t, err)
	require.Empty(t, warnings)
	return p, gjson.ParseBytes(p.Bytes())
}

func TestEncode(t *testing.T) {
	for e, want := range map[protocol.Event]string{
		protocol.PreExecute: `steps/userMessage {"content":[{"type":"text","value":"p"}]}`,
		protocol.PreTool: `steps/toolCallRequest {"tool":{"name":"shell"},"arguments":{"command":{"value":"ls"},` +
			`"n":{"value":1}}}`,
		protocol.PostTool: `steps/toolCallResult {"tool":{"name":"shell"},"exit_status":"success",` +
			`"outputs":[{"value":"out"}]}`,
	} {
		_, one := sent(t, call(e))
		require.Equal(t, want, one.Get("method").String()+" "+one.Get("params.payload").Raw)
		_, other := sent(t, call(e))
		session := one.Get("params.metadata.session_id").String()
		require.Equal(t, session, other.Get("params.metadata.session_id").String())
		require.Regexp(t, uuid.Text, session)
		for _, id := range []string{"id", "params.request_id"} {
			require.Regexp(t, uuid.Text, one.Get(id).String())
			require.NotEqual(t, one.Get(id).String(), other.Get(id).String())
		}
	}
	c := call(protocol.PreTool)
	c.SessionID = "5b7a6e2a-6a2e-4b7a-9f2e-6a6d2e6a9a22"
	_, request := sent(t, c)
	require.Equal(t, c.SessionID, request.Get("params.metadata.session_id").String())
	c.SetArgs([]byte(`[1]`))
	_, _, err := Dialect.Hooks.Encode(c)
	require.ErrorContains(t, err, "no JSON object")
}

const deny = protocol.Block

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		answer   string // ID, REQUEST and R are replaced
		event    protocol.Event
		decision protocol.Decision
		reason   string
		changed  string
	}{
		{answer: `R"decision":"allow"}}`, decision: protocol.Continue},
		{answer: `R"decision":"ALLOW","reasoning":"fine"}}`, decision: protocol.Continue},
		{answer: `R"decision":"deny","reasoning":"no"}}`, decision: deny, reason: "no"},
		{answer: `R"decision":"deny"}}`, decision: deny, reason: "the guardian of project hook 'g' decided: deny"},
		{answer: `R"decision":"ask","reasoning":"sure?"}}`, decision: protocol.Ask, reason: "sure?"},
		{answer: `R"decision":"ask","reasoning":"sure?"}}`, event: protocol.PostTool, decision: deny, reason: "sure?",
			changed: `"[withheld by hookrun]"`},
		{answer: `R"decision":"defer","reasoning":"later"}}`, decision: protocol.Defer, reason: "later"},
		{answer: `R"decision":"defer","reasoning":"later"}}`, event: protocol.PreExecute, decision: deny},
		{answer: `R"decision":"modify","modifications":{"parameter_overrides":{"n":2}}}}`, decision: protocol.Continue,
			changed: `{"command":"ls","n":2}`},
		{answer: `R"decision":"modify","modifications":{"modified_content":"x"}}}`, event: protocol.PostTool,
			decision: protocol.Continue, changed: `"x"`},
		{answer: `R"decision":"modify","modifications":{"modified_content":"x"}}}`, event: protocol.PreExecute,
			decision: protocol.Continue, changed: `{"prompt":"x"}`},
		{answer: `R"decision":"modify","modifications":{"modified_content":"x"}}}`, decision: deny,
			reason: "modified_content is no object of arguments"},
		{answer: `R"decision":"modify","modifications":{"redactions":[{"path":"/command"}]}}}`, decision: deny,
			reason: "hookrun makes no redactions"},
		{answer: `R"decision":"modify","modifications":{"parameter_overrides":{"n":2}}}}`, event: protocol.PostTool,
			decision: deny, reason: "mean nothing at post-tool", changed: `"[withheld by hookrun]"`},
		{answer: `R"decision":"modify","modifications":{"parameter_overrides":{},"modified_content":"x"}}}`,
			decision: deny, reason: "beside other modifications"},
		{answer: `R"decision":"modify","modifications":{"parameter_overrides":7}}}`, decision: deny,
			reason: "wrong type"},
		{answer: `R"decision":"modify","modifications":{}}}`, decision: deny, reason: "has no modifications"},
		{answer: `R"decision":"modify"}}`, decision: deny, reason: "has no modifications"},
		{answer: `R"decision":"allow","modifications":{"modified_content":"x"}}}`, decision: deny,
			reason: "it allows the call, and has modifications"},
		{answer: `R"decision":"permit"}}`, decision: deny, reason: `the decision "permit" does not exist`},
		{answer: `R"decision":true}}`, decision: deny, reason: `the decision true does not exist`},
		{answer: `R"reasoning":"x"}}`, decision: deny, reason: `the decision "" does not exist`},
		{answer: `R"decision":"allow","decision":"deny"}}`, decision: deny, reason: "twice"},
		{answer: `R"decision":"allow"},"error":{"code":-32603,"message":"oh"}}`, decision: deny, reason: "-32603: oh"},
		{answer: `{"jsonrpc":"2.0","id":"ID","error":{"code":-32004,"message":"signature"}}`, decision: deny,
			reason: "the guardian returned the error -32004: signature"},
		{answer: `{"jsonrpc":"2.0","id":"other","result":{"type":"final"}}`, decision: deny, reason: "its id is not"},
		{answer: `{"jsonrpc":"2.0","id":null,"result":{"type":"final"}}`, decision: deny, reason: "its id is not"},
		{answer: `{"jsonrpc":"2.0","id":"ID","result":{"type":"final","acs_version":"0.1.0","request_id":"other",` +
			`"decision":"allow"}}`, decision: deny, reason: "its request_id is not"},
		{answer: `{"jsonrpc":"2.0","id":"ID","result":{"type":"final","acs_version":"1.0.0","request_id":"REQUEST",` +
			`"decision":"allow"}}`, decision: deny, reason: "its acs_version is not"},
		{answer: `{"jsonrpc":"2.0","id":"ID","result":{"type":"partial"}}`, decision: deny, reason: `type "final"`},
		{answer: `{"jsonrpc":"2.0","id":"ID","result":null}`, decision: deny, reason: `type "final"`},
		{answer: `{"decision":"allow"}`, decision: deny, reason: "no answer of JSON-RPC"},
		{answer: `[]`, decision: deny, reason: "no answer of JSON-RPC"},
		{answer: ``, decision: deny, reason: "cannot be read"},
		{answer: `R"decision":"allow"`, decision: deny, reason: "ends too early"},
	} {
		if test.event == "" {
			test.event = protocol.PreTool
		}
		c := call(test.event)
		payload, request := sent(t, c)
		begins := `{"jsonrpc":"2.0","id":"ID","result":{"type":"final","acs_version":"0.1.0","request_id":"REQUEST",`
		answer := strings.NewReplacer("ID", request.Get("id").String(), "REQUEST",
			request.Get("params.request_id").String()).Replace(strings.Replace(test.answer, "R", begins, 1))
		if !strings.HasPrefix(test.answer, "R") {
			answer = strings.NewReplacer("ID", request.Get("id").String(), "REQUEST",
				request.Get("params.request_id").String()).Replace(test.answer)
		}
		r := dialecttest.Printed(answer)
		r.Sent = payload
		v := Dialect.ApplyFailurePolicy(c, Dialect.Hooks.Decode(c, "g", &r))
		require.Equal(t, test.decision, v.Decision, "%s: %s", test.answer, v.Reason)
		require.Contains(t, v.Reason, test.reason, test.answer)
		require.Equal(t, test.changed, string(v.UpdatedInput)+string(v.UpdatedOutput), test.answer)
		require.False(t, v.Approved, "a guardian skips no prompt of the client's")
	}
}

// A guardian that gave no answer blocks at each event.
func TestFailures(t *testing.T) {
	for _, e := range dialect.CanonicalEvents() {
		for _, r := range []dialect.HookResult{
			{TimedOut: true}, {ExitCode: 1}, {Signal: "SIGKILL"}, {Err: errors.New("no")},
			{HTTP: &dialect.HTTPResult{Failure: protocol.CauseExit, Why: "http 500"}},
			{HTTP: &dialect.HTTPResult{Failure: protocol.CauseUnstarted, Why: "no connection"}},
			{Stdout: dialect.Capture{Total: 1 << 30}},
		} {
			c := call(e)
			v := Dialect.ApplyFailurePolicy(c, Dialect.Hooks.Decode(c, "g", &r))
			require.Equal(t, protocol.Block, v.Decision, "%s %+v", e, r)
			require.NotEmpty(t, v.Reason)
		}
	}
}

// An answer without its middle could have said anything there.
func TestDecodeOfLongAnswer(t *testing.T) {
	c := call(protocol.PreTool)
	payload, request := sent(t, c)
	r := dialecttest.Printed(`{"jsonrpc":"2.0","id":` + request.Get("id").Raw + `,"result":{"type":"final",` +
		`"acs_version":"0.1.0","request_id":` + request.Get("params.request_id").Raw + `,"decision":"allow"}}`)
	r.Sent = payload
	require.Equal(t, protocol.Continue, Dialect.Hooks.Decode(c, "g", &r).Decision)
	r.Stdout.Total++
	v := Dialect.ApplyFailurePolicy(c, Dialect.Hooks.Decode(c, "g", &r))
	require.Equal(t, protocol.Block, v.Decision)
}

func TestEnds(t *testing.T) {
	block, goes := dialect.Verdict{Decision: protocol.Block}, dialect.Verdict{Decision: protocol.Continue}
	require.True(t, hooks{}.Ends(protocol.PreTool, &block))
	require.False(t, hooks{}.Ends(protocol.PreTool, &goes))
	require.False(t, hooks{}.Ends(protocol.PostTool, &block), "the tool has run, so the others may report")
}

func TestNegotiate(t *testing.T) {
	c := call(protocol.PreTool)
	_, first := sent(t, c)
	for answer, wants := range map[string]bool{
		`{"error":{"code":-32003}}`: true, `{"error":{"code":"-32003"}}`: false,
		`{"error":{"code":-32004}}`: false, ``: false,
	} {
		hello, again := hooks{}.Negotiate(c, []byte(answer))
		require.Equal(t, wants, hello != nil, answer)
		if wants {
			greeting, request := gjson.ParseBytes(hello.Bytes()), gjson.ParseBytes(again.Bytes())
			require.Equal(t, "handshake/hello", greeting.Get("method").String())
			session := "params.metadata.session_id"
			require.Equal(t, first.Get(session).String(), greeting.Get(session).String())
			require.Equal(t, first.Get("params.payload").Raw, request.Get("params.payload").Raw)
			require.NotEqual(t, first.Get("params.request_id").String(), request.Get("params.request_id").String())
		}
	}
}
