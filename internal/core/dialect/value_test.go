package dialect_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// Value says of every field what a hook would read on stdin.
func TestValue(t *testing.T) {
	client, _, err := clients.All().ParseInput(`{"hook_event_name":"PostToolUse","session_id":"s",` +
		`"cwd":"/elsewhere","tool_name":"Bash","tool_input":{"a":1},"tool_response":{"stdout":"x"},"tool_use_id":"t"}`)
	require.NoError(t, err)
	client.Workspace = "/w"
	for _, c := range []dialect.Call{
		{Event: protocol.PreExecute, Workspace: "/w", Prompt: "p\xff", SessionID: "s"},
		{Event: protocol.PreTool, Workspace: "/w", Tool: "shell\xff", Args: ` {"a" : "\u0041"} `, ToolUseID: "t",
			AgentID: "a", TranscriptPath: "/t"},
		{Event: protocol.PreTool, Workspace: "/w", Tool: "shell", Args: "no JSON"},
		{Event: "PreToolUse", Workspace: "/w", Tool: "shell"},
		{Event: protocol.PostTool, Workspace: "/w", Tool: "shell", Result: `{"b":1}` + "\xff"},
		{Event: protocol.PostTool, Workspace: "/w", Tool: "shell", Result: "why", Failed: true},
		client,
	} {
		c := dialect.NewCall(c)
		payload, _, err := tenex.Dialect.Hooks.Encode(c)
		require.NoError(t, err)
		doc := gjson.ParseBytes(bytes.Join(payload, nil))
		var named []string
		doc.ForEach(func(key, _ gjson.Result) bool {
			named = append(named, key.String())
			return true
		})
		require.Subset(t, dialect.ValueNames(), named)
		for _, name := range dialect.ValueNames() {
			want := doc.Get(name)
			value, json, ok, err := c.Value(name)
			require.NoError(t, err)
			require.Equal(t, want.Exists(), ok, "%s of %s", name, c.Event)
			switch {
			case !ok:
			case json:
				require.Equal(t, want.Raw, value, name)
				require.True(t, dialect.IsJSON(name) || value == "null", name)
			default:
				require.Equal(t, gjson.String, want.Type, name)
				require.Equal(t, want.String(), value, name)
			}
			if ok {
				require.True(t, tenex.Dialect.HasValue(c.Event, name), name)
			}
		}
	}
}
