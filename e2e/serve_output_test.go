//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What only a hook that is a command can say stands beside the client's own output, and hooks see the client's input alone.
func TestServeAnswersInTheFormOfAClient(t *testing.T) {
	s := newServing(t)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".tenex-hooks.json"), []byte(`{"hooks": {
		"TeammateIdle": [{"hooks": [{"type": "command", "command": "echo go on >&2; exit 2"}]}],
		"PreCompact": [{"hooks": [{"type": "command", "command": "echo keep the plan"}]}],
		"PreToolUse": [{"hooks": [{"type": "command", "command": "cat >seen"}]}],
		"PostToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`), 0o600))
	s.listen()
	c := s.dial()
	for event, want := range map[string]string{
		"TeammateIdle": `{"decision":"block","reason":"go on\n","exit":2}`,
		"PreCompact":   `{"stdout":"keep the plan"}`,
		"PreToolUse":   `{}`,
	} {
		a := c.call("fire", hook{"output": "claude", "hook_event_name": event, "tool_name": "Bash", "tool_input": hook{"output": "inner"}, "custom": "output"})
		require.Nil(t, a.Error)
		require.JSONEq(t, want, string(a.Result), event)
	}
	seen, err := os.ReadFile(filepath.Join(s.dir, "seen"))
	require.NoError(t, err)
	require.JSONEq(t, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"output":"inner"},"custom":"output"}`, string(seen))
}
