//go:build linux

package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// clineCall is a call of a tool, whose input is JSON.
type clineCall struct{ id, tool, input string }

// clineAnswer is a message of the model, which ends the turn if there are no calls in it.
func clineAnswer(calls ...clineCall) string {
	delta, reason := binary.Hook{"role": "assistant", "content": "done"}, "stop"
	if len(calls) > 0 {
		var all []any
		for i, c := range calls {
			all = append(all, binary.Hook{"index": i, "id": c.id, "type": "function",
				"function": binary.Hook{"name": c.tool, "arguments": c.input}})
		}
		delta, reason = binary.Hook{"role": "assistant", "tool_calls": all}, "tool_calls"
	}
	return chunks(delta, reason)
}

// TestClineForms: a guard of the shell holds in every form in which the real client takes commands.
func TestClineForms(t *testing.T) {
	testall.Only(t, "it installs Cline")
	t.Setenv("PATH", pathOf(t, "cline"))
	r := newClientRun(t, clientNamed("cline"))
	r.run(binary.Path, "install", "cline", "--project", "--allow")
	for _, input := range []string{`{"commands": ["touch free", "touch forbidden"]}`, `["touch forbidden"]`,
		`{"commands": "touch forbidden"}`, `{"command": "touch forbidden"}`, `{"cmd": "touch forbidden"}`,
		`{"command": "touch", "args": ["forbidden"]}`, `{"commands": [{"command": "touch", "args": ["forbidden"]}]}`,
		`{"commands": ["sh <<E", "touch forbidden", "E"]}`} {
		r.says = func(int, ...string) string { return clineAnswer(clineCall{"a", "run_commands", input}) }
		r.turn()
		require.Len(t, r.requests, 1, "%s: %s", input, r.output)
		require.False(t, r.ran("forbidden"), input)
		require.False(t, r.ran("free"), input)
	}
	r.says = func(n int, _ ...string) string {
		if n > 0 {
			return clineAnswer()
		}
		return clineAnswer(clineCall{"a", "run_commands", `{"commands": ["touch free", "touch noted"]}`},
			clineCall{"b", "run_commands", `{"commands": ["touch free", "touch asked"]}`})
	}
	r.turn()
	require.True(t, r.ran("rewritten"), r.output)
	require.True(t, r.ran("free"))
	require.False(t, r.ran("asked"))
	require.Contains(t, r.requests[2], "text before the tool")
	require.Contains(t, r.requests[2], "text after the tool")
}
