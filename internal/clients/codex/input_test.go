package codex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

func TestCodexPayload(t *testing.T) {
	write := func(c dialect.Call) string {
		payload, warnings, err := codex.Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(payload.Bytes())
	}
	input := `{"session_id":"s","turn_id":"t","cwd":"/w/sub","hook_event_name":"PreToolUse","model":"m",` +
		`"tool_name":"Bash","tool_input":{"command":"ls"}}`
	c, _, err := clients.All().ParseInput(input)
	require.NoError(t, err)
	require.Equal(t, input+"\n", write(c), "the client's own goes through")
	c.Workspace = "/w"
	c.Event = "BeforeTool" // of another client, in its own words
	c.ClientInput = strings.Replace(input, "PreToolUse", "BeforeTool", 1)
	require.NoError(t, c.Resolve(clients.All()))
	require.Equal(t,
		`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/w/sub","hook_event_name":"PreToolUse",`+
			`"model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},`+
			`"tool_use_id":""}`+"\n", write(c))
	call := dialect.Call{Event: "post-tool", Workspace: "/w", SessionID: "s", TranscriptPath: "/t", Tool: "Bash",
		Args: `{"command": "ls"}`, Result: "out\n", ToolUseID: "u", AgentID: "a"}
	require.Equal(t,
		`{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"PostToolUse","model":"",`+
			`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"out\n",`+
			`"tool_use_id":"u","agent_id":"a"}`+"\n", write(call))
	call = dialect.Call{Event: "pre-execute", Workspace: "/w", Prompt: "hi"}
	require.Equal(t,
		`{"session_id":"","transcript_path":null,"cwd":"/w","hook_event_name":"UserPromptSubmit","model":"",`+
			`"permission_mode":"default","prompt":"hi"}`+"\n", write(call))
}
