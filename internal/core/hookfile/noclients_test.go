package hookfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// The zero Parts reads hookrun's own form, and refuses what only clients have.
func TestNoClients(t *testing.T) {
	t.Parallel()
	cfg, err := hookfile.Parts{}.Parse("f", []byte(
		`{"tools": {"Run": "shell"}, "hooks": [{"name": "a", "command": "true", "events": ["PreToolUse"]}]}`))
	require.NoError(t, err)
	require.Equal(t, []protocol.Event{protocol.PreTool}, cfg.Hooks[0].Events)
	call := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "Run"})
	require.NoError(t, call.Resolve(cfg.Clients()))
	cfg.NameTool(call)
	require.Equal(t, "shell", call.ProjectTool())
	require.EqualError(t, (&dialect.Call{Event: "BeforeTool"}).Resolve(cfg.Clients()), `unknown event "BeforeTool"`)
	for doc, want := range map[string]string{
		`{"hooks": {"PreToolUse": []}}`: `"hooks" must be an array, not an object`,
		`{"hooks": [{"name": "a", "dialect": "codex", "command": "x", "events": ["PreToolUse"]}]}`: "unknown dialect",
	} {
		_, err := hookfile.Parts{}.Parse("settings.json", []byte(doc))
		require.ErrorContains(t, err, want)
	}
}
