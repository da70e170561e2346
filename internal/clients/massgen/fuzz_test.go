package massgen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzHookResult holds an answer against MassGen's rules, worked out on what encoding/json reads: of equal keys the
// last, as Python does.
func FuzzHookResult(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"allowed":false}`, `{"allowed":null,"reason":5}`, `{"decision":"ask","reason":"r"}`,
		`{"decision":"deny","decision":"allow"}`,
		`{"allowed":[{}],"updated_input":{"a":1,"b":[]}}`, `{"modified_args":"{}","updated_input":{}}`,
		`{"metadata":{"reason":"m"},"allowed":0}`,
		`{"inject":{"content":"c","strategy":"user_message"},"hook_errors":["e"]}`,
		`{"metadata":{"s":NaN},"decision":"deny"}`,
		"{\"\\u0061llowed\":\"\"}", "{\"reason\":\"\xff\\ud800\",\"allowed\":-0}", `{"allowed":1e-400}`,
		` {"decision":""}`, `[]`, `{"allowed":{"a":1}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		v := decideMassgen("pre-tool", dialecttest.Printed(stdout))
		require.False(t, v.Approved)
		text := strings.TrimSpace(string([]rune(stdout)))
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if !json.Valid([]byte(text)) || !strings.HasPrefix(text, "{") || d.Decode(&m) != nil {
			if strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") {
				return // a no beside them counts
			}
			require.Equal(t, protocol.CauseOutput, v.Cause, "no HookResult")
			require.Equal(t, protocol.Continue, v.Decision)
			require.Empty(t, v.UpdatedInput)
			return
		}
		allowed, is := m["allowed"]
		switch denies := is && !truthy(allowed) || m["decision"] == "deny"; {
		case denies:
			require.Equal(t, protocol.Block, v.Decision)
			require.NotEmpty(t, v.Reason)
			require.Nil(t, v.UpdatedInput)
			if reason, _ := m["reason"].(string); reason != "" && v.Cause == protocol.CausePolicy &&
				!strings.Contains(strings.Join(v.Warnings, ""), "more than once") {
				require.True(t, strings.Contains(v.Reason, reason) || len(v.Warnings) > 0, "%q has not %q", v.Reason,
					reason)
			}
		case m["decision"] == "ask":
			require.NotEqual(t, protocol.Continue, v.Decision)
			require.NotEmpty(t, v.Reason)
		case v.Decision != protocol.Continue: // equal keys, of which an earlier one says no
			require.Contains(t, strings.Join(v.Warnings, "\n"), "JSON that is not right")
		case v.Cause == "":
			require.Contains(t, []any{nil, "allow"}, m["decision"])
			if want, is := m["updated_input"].(map[string]any); is && m["modified_args"] == nil &&
				v.UpdatedInput != nil {
				var got map[string]any
				d := json.NewDecoder(strings.NewReader(string(v.UpdatedInput)))
				d.UseNumber()
				require.NoError(t, d.Decode(&got))
				require.Equal(t, want, got)
			}
		default:
			require.Equal(t, protocol.CauseOutput, v.Cause)
			require.Nil(t, v.UpdatedInput)
			require.Empty(t, v.Context)
		}
	})
}

// truthy is what Python takes for true.
func truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case json.Number:
		f, _ := v.Float64()
		return f != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}
