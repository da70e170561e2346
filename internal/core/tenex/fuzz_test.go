package tenex_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzAnswer holds the answer parser against a reading of the same text by encoding/json, which knows nothing of it: a
// text that denies in any reading must block a call before a tool, and one that is no JSON must not pass for an answer.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"", "text", "{}", `{"a":1}`, dialecttest.Deny, `{"decision":"block","reason":"r"}`, `{"decision":"approve"}`,
		`{"decision":"block","decision":"approve"}`,
		`{"continue":false,"stopReason":"x"}`,
		`{"hookSpecificOutput":{"updatedInput":{"a":1},"additionalContext":"c"}}`, "\ufeff" + dialecttest.Deny,
		"{" + dialecttest.Deny, dialecttest.Deny + "}", `{"a":1} {"b":2}`, "{} log",
		`{"a":` + dialecttest.Deny + "}\nlog",
		`{"hookSpecificOutput":{"permissionDecision":"den\u0079"}}`, `{"\u0064ecision":"block"}`,
		`{"hookSpecificOutput":null}`, "log\n" + dialecttest.Deny, `{"reason":"\ud800"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		text := strings.TrimSpace(string([]rune(stdout)))
		text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
		var object map[string]json.RawMessage
		if !strings.HasPrefix(text, "{") {
			if v.Decision != protocol.Continue { // there is an answer in the text
				require.Equal(t, protocol.CauseOutput, v.Cause)
			}
			return
		}
		if json.Unmarshal([]byte(text), &object) != nil {
			var first map[string]json.RawMessage
			if json.NewDecoder(strings.NewReader(text)).Decode(&first) == nil && v.Decision == protocol.Continue {
				requireTextOfOthers(t, first, v) // as of a linter that prints a line of JSON for each file
				return
			}
			require.Equal(t, protocol.Block, v.Decision)
			require.Equal(t, protocol.CauseOutput, v.Cause)
			return
		}
		if dialecttest.Says(object["decision"], "block") ||
			dialecttest.Says(dialecttest.Member(object["hookSpecificOutput"], "permissionDecision"), "deny") {
			require.Equal(t, protocol.Block, v.Decision)
		}
		if dialecttest.Says(object["continue"], false) {
			require.True(t, v.Stop || v.Decision == protocol.Block)
		}
		if v.UpdatedInput != nil {
			var want, got bytes.Buffer
			require.NoError(t, json.Compact(&want, dialecttest.Member(object["hookSpecificOutput"], "updatedInput")))
			require.NoError(t, json.Compact(&got, v.UpdatedInput))
			require.Equal(t, want.String(), got.String())
		}
		if v.Decision == protocol.Block {
			require.NotEmpty(t, v.Reason)
			require.NotEmpty(t, v.Cause)
		}
	})
}

// requireTextOfOthers checks that JSON and more behind it was taken for text, and may be: its first value has members,
// none of them of an answer.
func requireTextOfOthers(t *testing.T, first map[string]json.RawMessage, v dialect.Verdict) {
	t.Helper()
	require.NotEmpty(t, first)
	for _, key := range []string{"decision", "continue", "stopReason", "systemMessage", "hookSpecificOutput",
		"reason"} {
		require.NotContains(t, first, key)
	}
	require.False(t, v.Approved || v.Stop)
	require.Nil(t, v.UpdatedInput)
	require.Empty(t, v.SystemMessage)
}

// FuzzPayload holds the stdin encoder against encoding/json.
func FuzzPayload(f *testing.F) {
	for _, s := range []string{"", "ls", `{"command":"ls"}`, `{"a":1,"a":2}`, "[1 ,2]", "\xff", `"\ud800"`,
		"{\"a\":\"\x7f\u2028<&>\"}", `{"n":1e400}`, " null "} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, tool, args, result string) {
		c := dialect.Call{Event: protocol.PostTool, Tool: tool, Args: args, Result: result, Prompt: result,
			Workspace: tool}
		p, _, err := tenex.Dialect.Hooks.Encode(dialect.NewCall(c))
		if err != nil {
			require.ErrorContains(t, err, "nested")
			return
		}
		line := p.Bytes()
		require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "one line")
		got := dialecttest.Decode(t, line)
		asString := func(s string) string { return string([]rune(s)) } // U+FFFD for each byte that is no UTF-8
		require.Equal(t, "post-tool", got["event"])
		require.Equal(t, asString(tool), got["tool"])
		require.Equal(t, asString(result), got["result"])
		require.Equal(t, asString(result), got["tool_response"])
		require.Equal(t, asString(result), got["prompt"])
		require.Equal(t, got["args"], got["tool_input"])
		require.Nil(t, got["transcript_path"])
		var want any = asString(args)
		switch valid := string([]rune(args)); {
		case strings.TrimSpace(args) == "":
			want = map[string]any{}
		case json.Valid([]byte(args)):
			want = dialecttest.Decode(t, []byte(`{"x":`+valid+`}`))["x"]
		}
		require.Equal(t, want, got["args"])
	})
}
