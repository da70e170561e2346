package massgen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

func massgenEvent(t *testing.T, c dialect.Call) map[string]any {
	t.Helper()
	payload, warnings, err := massgen.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Empty(t, warnings)
	var text []byte
	for _, piece := range payload {
		text = append(text, piece...)
	}
	require.Equal(t, 1, strings.Count(string(text), "\n"), "one line")
	var event map[string]any
	require.NoError(t, json.Unmarshal(text, &event))
	return event
}

func TestMassGenEvent(t *testing.T) {
	t.Run("M01 hook types", func(t *testing.T) {
		require.Equal(t, []protocol.Event{"PreToolUse", "PostToolUse"}, massgen.Dialect.Events.Names())
		for _, test := range []struct {
			fired dialect.Call
			want  protocol.Event
		}{
			{dialect.Call{Event: "pre-tool"}, "PreToolUse"},
			{dialect.Call{Event: "PreToolUse"}, "PreToolUse"},
			{dialect.Call{Event: "post-tool"}, "PostToolUse"},
			{dialect.Call{Event: "PostToolUse"}, "PostToolUse"},
			{dialect.Call{Event: "post-tool", Failed: true}, "PostToolUseFailure"},
			{dialect.Call{Event: "PostToolUseFailure"}, "PostToolUseFailure"},
			{dialect.Call{Event: "post-tool", Blocked: true}, ""},
			{dialect.Call{Event: "pre-execute"}, "UserPromptSubmit"},
			{dialect.Call{Event: "PermissionRequest"}, "PermissionRequest"},
			{dialect.Call{Event: "PostToolUse", Failed: true}, "PostToolUseFailure"},
		} {
			require.Equal(t, test.want, massgen.Dialect.EventOf(&test.fired), "%+v", test.fired)
		}
	})
	t.Run("M02 M03 eight keys before the tool", func(t *testing.T) {
		event := massgenEvent(t, dialect.Call{Event: "pre-tool", Tool: "Wr\u00ef\"te", Args: `{"p": "é"}`,
			SessionID: "s", AgentID: "a", OrchestratorID: "o", Prompt: "p", ToolUseID: "t"})
		stamp, err := time.Parse(time.RFC3339, event["timestamp"].(string))
		require.NoError(t, err)
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`, event["timestamp"])
		require.WithinDuration(t, time.Now(), stamp, time.Minute)
		delete(event, "timestamp")
		require.Equal(t, map[string]any{
			"hook_type": "PreToolUse", "session_id": "s", "orchestrator_id": "o", "agent_id": "a",
			"tool_name": "Wrï\"te", "tool_input": map[string]any{"p": "é"}, "tool_output": nil,
		}, event)
	})
	t.Run("M02 M03 eight keys after it", func(t *testing.T) {
		event := massgenEvent(t, dialect.Call{Event: "PostToolUse", Tool: "Write", Result: "out\nput"})
		delete(event, "timestamp")
		require.Equal(t, map[string]any{
			"hook_type": "PostToolUse", "session_id": "", "orchestrator_id": "", "agent_id": nil,
			"tool_name": "Write", "tool_input": map[string]any{}, "tool_output": "out\nput",
		}, event)
	})
	t.Run("M03 an empty output is a text, not null", func(t *testing.T) {
		require.Equal(t, "", massgenEvent(t, dialect.Call{Event: "post-tool", Tool: "Write"})["tool_output"])
	})
	t.Run("M04 defaults and arguments", func(t *testing.T) {
		for args, want := range map[string]any{
			"":           map[string]any{},
			" \n":        map[string]any{},
			"xx":         map[string]any{"raw": "xx"},
			`{"a":`:      map[string]any{"raw": `{"a":`},
			"\"xx":       map[string]any{"raw": `"xx`},
			"a \u00e9\n": map[string]any{"raw": "a é\n"},
			"b\xff":      map[string]any{"raw": "b\ufffd"},
			`"xx"`:       "xx", // this is JSON
			`[1]`:        []any{1.0},
			`{"raw":1}`:  map[string]any{"raw": 1.0},
		} {
			require.Equal(t, want, massgenEvent(t, dialect.Call{Event: "pre-tool", Tool: "Write",
				Args: args})["tool_input"], "%q", args)
		}
	})
	t.Run("M36 environment", func(t *testing.T) {
		require.Equal(t, []string{"MASSGEN_HOOK_TYPE=PostToolUse", "MASSGEN_TOOL_NAME=Write", "MASSGEN_SESSION_ID=s",
			"MASSGEN_AGENT_ID=", "MASSGEN_ORCHESTRATOR_ID=o"},
			massgen.Dialect.Hooks.Environment(&dialect.Call{Event: "post-tool", Tool: "Write", SessionID: "s",
				OrchestratorID: "o"}))
		require.Empty(t, massgen.Dialect.Hooks.Environment(&dialect.Call{}), "a process that stays sees many calls")
	})
}
