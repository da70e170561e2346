package gemini_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// geminiOracle is what the client makes of a hook's output at BeforeTool, read by encoding/json, which knows nothing of
// hookrun.
func geminiOracle(stdout, stderr string, code int) (decision protocol.Decision, stop bool) {
	all := func(s string) string {
		c := dialect.Capture{Head: []byte(s), Total: int64(len(s))}
		return strings.Trim(c.All(), dialecttest.JsSpace)
	}
	text := cmp.Or(all(stdout), all(stderr))
	var value any
	err := json.Unmarshal([]byte(text), &value)
	if inner, ok := value.(string); ok && err == nil {
		value = nil
		err = json.Unmarshal([]byte(inner), &value)
	}
	object, _ := value.(map[string]any)
	switch {
	case err != nil && text != "" && code > 1:
		return protocol.Block, false
	case object["continue"] == false:
		return protocol.Block, true
	case object["decision"] == "deny", object["decision"] == "block":
		return protocol.Block, false
	case object["decision"] == "ask":
		return protocol.Ask, false
	}
	return protocol.Continue, false
}

// FuzzGeminiJudge holds the judge against the oracle, on the three kinds of exit.
func FuzzGeminiJudge(f *testing.F) {
	for _, s := range []string{
		"", "text", "{}", "{", "null", "[]", "42", `"x"`, `"{}"`, `"\"{}\""`, `{"decision":"deny","reason":"r"}`,
		`"{\"decision\":\"deny\"}"`, `{"decision":"allow","decision":"block"}`,
		`{"decision":"block","decision":"allow"}`,
		`{"decision":"ask"}`, `{"decision":"Deny"}`, `{"continue":false}`, `{"continue":"false"}`,
		`{"\u0064ecision":"deny"}`, "\ufeff{\"decision\":\"deny\"}", "\u0085{\"decision\":\"deny\"}",
		`{"decision":"deny"} x`, `x {"decision":"deny"}`,
		`{"hookSpecificOutput":{"tool_input":{"a":1},"permissionDecision":"deny"}}`, `{"hookSpecificOutput":[]}`,
		"{\"reason\":\"\xff\"}", `{"desicion":"deny"}`,
	} {
		for code := range uint8(3) {
			f.Add(s, "", code)
			f.Add("", s, code)
			f.Add(s, "stderr", code)
		}
	}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code uint8) {
		if strings.Count(stdout+stderr, "[")+strings.Count(stdout+stderr, "{") > 9_000 {
			return // depth is limited, and not to the same by all
		}
		r := dialecttest.Exited(int(code), stdout, stderr)
		v, strict := decideGemini("BeforeTool", r), decideGemini("BeforeTool", r, dialecttest.OnFailure(protocol.Block))
		decision, stop := geminiOracle(stdout, stderr, int(code))
		require.Equal(t, decision, v.Decision)
		require.Equal(t, stop, v.Stop)
		require.Equal(t, v.Decision != protocol.Continue, v.Status == dialect.StatusBlocked)
		require.False(t, v.Approved || strict.Approved)
		require.LessOrEqual(t, strict.Decision, v.Decision, "a policy that blocks never makes a verdict milder")
		warnings := strings.Join(v.Warnings, "\n")
		doubted := strings.Contains(warnings, "takes for none") ||
			strings.Contains(warnings, "twice in its answer") ||
			strings.Contains(warnings, "which was therefore not read")
		require.Equal(t, v.Status == dialect.StatusFailed || doubted && v.Decision == protocol.Continue,
			strict.Decision != v.Decision)
		require.Empty(t, v.Context)
	})
}
