//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What only a hook that is a command can say stands beside the client's own output, and hooks see the client's input
// alone.
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
		a := c.call("fire", hook{"output": "claude", "hook_event_name": event, "tool_name": "Bash",
			"tool_input": hook{"output": "inner"}, "custom": "output"})
		require.Nil(t, a.Error)
		require.JSONEq(t, want, string(a.Result), event)
	}
	seen, err := os.ReadFile(filepath.Join(s.dir, "seen"))
	require.NoError(t, err)
	require.JSONEq(t, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"output":"inner"},
		"custom":"output"}`, string(seen))
}

// A callback of a client's SDK hands the result on as it is.
func TestServeAnswersEachClient(t *testing.T) {
	s := newServing(t,
		hook{"name": "guard", "block": "Ask first.", "events": []string{"pre-tool"}, "matcher": "shell"},
		hook{"name": "context", "inject": "Mind the gap.", "events": []string{"post-tool"}, "matcher": "other"})
	s.listen()
	c := s.dial()
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
		"permissionDecisionReason":"Ask first."}}`
	for _, test := range []struct {
		output, event, tool string
		more                hook
		want                string
	}{
		{"claude", "PreToolUse", "Bash", nil, deny},
		{"claude", "PreToolUse", "Read", nil, `{}`},
		{"codex", "PreToolUse", "Bash", hook{"turn_id": "1"}, deny},
		{"gemini", "BeforeTool", "run_shell_command", hook{"timestamp": "t"}, `{"decision":"deny","reason":"Ask first."}`},
		{"claude", "PostToolUse", "other", hook{"tool_response": "x"},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Mind the gap."}}`},
	} {
		params := hook{"output": test.output, "hook_event_name": test.event, "tool_name": test.tool, "tool_input": hook{"command": "ls"}}
		for key, value := range test.more {
			params[key] = value
		}
		a := c.call("fire", params)
		require.Nil(t, a.Error)
		require.JSONEq(t, test.want, string(a.Result), test.output)
	}
	a := c.call("fire", hook{"output": "json", "hook_event_name": "PreToolUse", "tool_name": "Bash"})
	require.Contains(t, string(a.Result), `"decision":"block"`)
	a = c.call("fire", hook{"output": "cluade", "hook_event_name": "PreToolUse", "tool_name": "Read"})
	require.Contains(t, a.Error.Message, `"output" "cluade" is not one of claude, codex, gemini, json; did you mean "claude"?`)
	a = c.call("pre-tool", hook{"output": "claude", "tool": "x"})
	require.Contains(t, a.Error.Message, `"output" is for all calls of a server`)
}

// Without -C the project is found upwards, as for a command, and its folder is where hooks run.
func TestServeFindsTheProject(t *testing.T) {
	s := newServing(t, on("pre-tool", "where", `echo "$HOOKRUN_WORKSPACE $PWD"`))
	sub := filepath.Join(s.dir, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, ".git"), 0o700))
	s.cmd = exec.Command(hookrun, "serve", "--socket", s.socket)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = sub, append(os.Environ(), s.mark, "PWD="+sub), &s.err
	require.NoError(t, s.cmd.Start())
	s.wait()
	c := s.dial()
	for method, params := range map[string]hook{
		"pre-tool": {"tool": "x"}, "fire": {"hook_event_name": "PreToolUse", "tool_name": "x"},
	} {
		a := c.call(method, params)
		require.Nil(t, a.Error)
		var o struct {
			Inject   []struct{ Content string }
			Warnings []string
		}
		require.NoError(t, json.Unmarshal(a.Result, &o))
		require.Len(t, o.Inject, 1)
		require.Equal(t, s.dir+" "+s.dir, o.Inject[0].Content)
		require.Empty(t, o.Warnings)
	}
}
