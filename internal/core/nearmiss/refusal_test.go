package nearmiss_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/nearmiss"
)

func TestRefusal(t *testing.T) {
	for _, text := range []string{
		"decision: block", "---\ndecision: block\n", "---\nreason: no\ndecision: \"deny\"\n...", "decision=block",
		`decision = "block"`, "export DECISION=block", "permission_decision: deny", "allowed: false", "allow=no",
		"\x1b[31mdecision: block\x1b[0m", "verdict: unsafe", "block: true", "action: reject;",
		`{"safe":false}`, `{"valid":false}`, `{"success":false}`, `{"authorized":false}`, `{"run":false}`,
		`{"action":"cancel"}`, `{"action":"kill"}`, `{"action":"skip"}`, `{"verdict":"unsafe"}`, `{"state":"denied"}`,
		`{"mode":"deny"}`, `{"violations":["x"]}`, `{"errors":["denied"]}`, `{"answer":{"block":true}}`,
		`{"output":{"deny":true}}`, `{"data":{"allowed":false}}`, `{"allowed":false}`,
	} {
		require.NotEmpty(t, nearmiss.Refusal(text, false), text)
	}
	for _, text := range []string{
		"", "hello", "decision: approve", "allowed: true", "the decision: block it", "status: blocked", "block: no",
		"we decided: block", "safe: yes", "error: denied", "see docs/decision: blocked", "a = b",
		`{"safe":true}`, `{"violations":[]}`, `{"errors":["E1"]}`, `{"ok":true}`, `{"status":"failed","failures":2}`,
		`{"success":false,"numTotalTests":3,"numFailedTests":1,"startTime":1,"testResults":[]}`, // of a test runner
		`{"a":{"b":{"c":{"safe":false}}}}`, `{"safe":false`, `["decision: block"]`,
		"decision: " + strings.Repeat("x", 70<<10),
	} {
		require.Empty(t, nearmiss.Refusal(text, false), text)
	}
}
