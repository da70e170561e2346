//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/clients"
)

// What only a hook that is a command can say stands beside the client's own output, and hooks see the client's input
// alone.
func TestServeAnswersInTheFormOfAClient(t *testing.T) {
	s := rpc.NewServer(t)
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, ".tenex-hooks.json"), []byte(`{"hooks": {
		"TeammateIdle": [{"hooks": [{"type": "command", "command": "echo go on >&2; exit 2"}]}],
		"PreCompact": [{"hooks": [{"type": "command", "command": "echo keep the plan"}]}],
		"PreToolUse": [{"hooks": [{"type": "command", "command": "cat >seen"}]}],
		"PostToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`), 0o600))
	s.Listen()
	c := s.Dial()
	for event, want := range map[string]string{
		"TeammateIdle": `{"decision":"block","reason":"go on\n","exit":2}`,
		"PreCompact":   `{"stdout":"keep the plan"}`,
		"PreToolUse":   `{}`,
	} {
		a := c.Call("fire", binary.Hook{"output": "claude", "hook_event_name": event, "tool_name": "Bash",
			"tool_input": binary.Hook{"output": "inner"}, "custom": "output"})
		require.Nil(t, a.Error)
		require.JSONEq(t, want, string(a.Result), event)
	}
	seen, err := os.ReadFile(filepath.Join(s.Dir, "seen"))
	require.NoError(t, err)
	require.JSONEq(t, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"output":"inner"},
		"custom":"output"}`, string(seen))
}

// A callback of a client's SDK hands the result on as it is.
func TestServeAnswersEachClient(t *testing.T) {
	s := rpc.NewServer(t,
		binary.Hook{"name": "guard", "block": "Ask first.", "events": []string{"pre-tool"}, "matcher": "shell"},
		binary.Hook{"name": "context", "inject": "Mind the gap.", "events": []string{"post-tool"}, "matcher": "other"})
	s.Listen()
	c := s.Dial()
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
		"permissionDecisionReason":"Ask first."}}`
	for _, test := range []struct {
		output, event, tool string
		more                binary.Hook
		want                string
	}{
		{"claude", "PreToolUse", "Bash", nil, deny},
		{"claude", "PreToolUse", "Read", nil, `{}`},
		{"codex", "PreToolUse", "Bash", binary.Hook{"turn_id": "1"}, deny},
		{"gemini", "BeforeTool", "run_shell_command", binary.Hook{"timestamp": "t"},
			`{"decision":"deny","reason":"Ask first."}`},
		{"claude", "PostToolUse", "other", binary.Hook{"tool_response": "x"},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Mind the gap."}}`},
	} {
		params := binary.Hook{"output": test.output, "hook_event_name": test.event, "tool_name": test.tool,
			"tool_input": binary.Hook{"command": "ls"}}
		for key, value := range test.more {
			params[key] = value
		}
		a := c.Call("fire", params)
		require.Nil(t, a.Error)
		require.JSONEq(t, test.want, string(a.Result), test.output)
	}
	a := c.Call("fire", binary.Hook{"output": "json", "hook_event_name": "PreToolUse", "tool_name": "Bash"})
	require.Contains(t, string(a.Result), `"decision":"block"`)
	a = c.Call("fire", binary.Hook{"output": "cluade", "hook_event_name": "PreToolUse", "tool_name": "Read"})
	require.Contains(t, a.Error.Message,
		`"output" "cluade" is not one of `+strings.Join(clients.All().ClientNames(), ", ")+
			`, json; did you mean "claude"?`)
	a = c.Call("pre-tool", binary.Hook{"output": "claude", "tool": "x"})
	require.Contains(t, a.Error.Message, `"output" is for all calls of a server`)
}

// Without -C the project is found upwards, as for a command, and its folder is where hooks run.
func TestServeFindsTheProject(t *testing.T) {
	s := rpc.NewServer(t, binary.On("pre-tool", "where", `echo "$HOOKRUN_WORKSPACE $PWD"`))
	sub := filepath.Join(s.Dir, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(s.Dir, ".git"), 0o700))
	s.Cmd = exec.Command(binary.Path, "serve", "--socket", s.Socket)
	s.Cmd.Dir, s.Cmd.Env, s.Cmd.Stderr = sub, append(os.Environ(), s.Mark, "PWD="+sub), &s.Err
	require.NoError(t, s.Cmd.Start())
	s.Wait()
	c := s.Dial()
	for method, params := range map[string]binary.Hook{
		"pre-tool": {"tool": "x"}, "fire": {"hook_event_name": "PreToolUse", "tool_name": "x"},
	} {
		a := c.Call(method, params)
		require.Nil(t, a.Error)
		var o struct {
			Inject   []struct{ Content string }
			Warnings []string
		}
		require.NoError(t, json.Unmarshal(a.Result, &o))
		require.Len(t, o.Inject, 1)
		require.Equal(t, s.Dir+" "+s.Dir, o.Inject[0].Content)
		require.Empty(t, o.Warnings)
	}
}
