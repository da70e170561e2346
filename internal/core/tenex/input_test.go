package tenex_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// payload is what a hook of .tenex-hooks.json gets on stdin of a client's input.
func payload(t testing.TB, input string) string {
	t.Helper()
	c, _, err := clients.All().ParseInput(input)
	require.NoError(t, err)
	c.Workspace = "/ws"
	p, _, err := tenex.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	return string(p.Bytes())
}

// A tenex hook gets the client's whole input beside TENEX's keys: these first, each key once, values as they are.
func TestTenexPayloadOfAClient(t *testing.T) {
	got := payload(
		t,
		`{"session_id":"s","cwd":"/elsewhere","hook_event_name":"PreToolUse","permission_mode":"plan",`+
			`"agent_id":"a1","agent_type":"research",`+
			`"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1","parent_tool_use_id":"p1",`+
			`"big":9007199254740993,"x":{"b":[1.0,null],"é":"<>&"},"event":"no","args":1,"result":2}`,
	)
	require.Equal(
		t,
		`{"event":"pre-tool","tool":"Bash","args":{"command":"ls"},"session_id":"s","cwd":"/ws",`+
			`"transcript_path":null,"prompt":"","agent_id":"a1",`+
			`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1",`+
			`"permission_mode":"plan","agent_type":"research","parent_tool_use_id":"p1","big":9007199254740993,`+
			`"x":{"b":[1.0,null],"é":"<>&"}}`+"\n",
		got,
	)

	for _, input := range []string{
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"x"},` +
			`"tool_output":"x","is_error":true,"duration_ms":5}`,
		`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"bad","is_interrupt":true}`,
		`{"hook_event_name":"UserPromptSubmit","prompt":"hi","permission_mode":"default","tool":"no"}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"a":1,"a":2,"transcript_path":"/t"}`,
		`{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{},` +
			`"tool_response":{"llmContent":"x"},"mcp_context":{}}`,
	} {
		got := payload(t, input)
		keys := map[string]int{}
		d := json.NewDecoder(strings.NewReader(got))
		_, err := d.Token()
		require.NoError(t, err)
		for d.More() {
			key, err := d.Token()
			require.NoError(t, err)
			keys[key.(string)]++
			require.NoError(t, d.Decode(new(any)))
		}
		var sent map[string]any
		require.NoError(t, json.Unmarshal([]byte(input), &sent))
		for key := range sent {
			if key != "tool" {
				require.Equal(t, 1, keys[key], "%s in %s", key, got)
			}
		}
		for key, n := range keys {
			require.Equal(t, 1, n, key)
		}
	}
	require.NotContains(t, payload(t, `{"hook_event_name":"UserPromptSubmit","prompt":"hi","tool":"no"}`), `"tool"`)
}

// What a hook made of the result is what later ones see, under every name that the client has for it.
func TestRewrittenResultOfAClient(t *testing.T) {
	c, _, err := clients.All().ParseInput(
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"secret",` +
			`"tool_output":"secret"}`,
	)
	require.NoError(t, err)
	v := dialect.Verdict{Decision: protocol.Continue, UpdatedOutput: []byte(`"[redacted]"`)}
	rewritten := dialect.NewCall(c)
	require.True(t, v.Rewrite(rewritten))
	p, _, err := tenex.Dialect.Hooks.Encode(rewritten)
	require.NoError(t, err)
	require.NotContains(t, string(p.Bytes()), "secret")
}

func TestTenexPayload(t *testing.T) {
	c := dialect.Call{
		Event: "PostToolUse", Workspace: "/w", SessionID: "s", Prompt: `say "<hi>" & é`, Tool: "shell",
		Args: ` { "command" : "a\u0062" , "n": 1e400 } `, Result: "line\n\x00\xff", ToolUseID: "t1", AgentID: "a1",
		TranscriptPath: "/t",
	}
	const common = `"session_id":"s","cwd":"/w","transcript_path":"/t","prompt":"say \"<hi>\" & é","agent_id":"a1",`
	const args, result = `{"command":"ab","n":1e400}`, `"line\n\u0000�"`
	encode := func() string {
		p, warnings, err := tenex.Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(p.Bytes())
	}
	require.Equal(t, `{"event":"post-tool","tool":"shell","args":`+args+`,"result":`+result+`,`+common+
		`"hook_event_name":"PostToolUse","tool_name":"shell","tool_input":`+args+`,"tool_response":`+result+
		`,"tool_use_id":"t1"}`+"\n", encode())
	c.Failed = true
	require.Contains(t, encode(), `"hook_event_name":"PostToolUseFailure","error":`+result+`,"tool_name"`)
	c.Event = protocol.PreTool
	require.Equal(t, `{"event":"pre-tool","tool":"shell","args":`+args+`,`+common+
		`"hook_event_name":"PreToolUse","tool_name":"shell","tool_input":`+args+`,"tool_use_id":"t1"}`+"\n", encode())
	c = dialect.Call{Event: protocol.PreExecute}
	require.Equal(t,
		`{"event":"pre-execute","session_id":"","cwd":"","transcript_path":null,"prompt":"",`+
			`"hook_event_name":"UserPromptSubmit"}`+"\n", encode())
}
