package hook_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// TestPacksUnderAllNames: a rule for shell lines meets every client's tool that runs one, and a rule for files every
// tool that reads one.
func TestPacksUnderAllNames(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"packs": ["git", "secrets", "agents"]}`))
	require.NoError(t, err)
	blocks := func(tool string, args map[string]any) string {
		input, err := json.Marshal(args)
		require.NoError(t, err)
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: tool, Args: string(input), Workspace: "/w"})
		cfg.NameTool(c)
		m := hook.NewMatchContext(c)
		for i := range cfg.Hooks {
			if m.Runs(&cfg.Hooks[i]) {
				return cfg.Hooks[i].Name
			}
		}
		return ""
	}
	shells, readers, writers := 0, 0, 0
	for _, client := range clients.All().Clients() {
		for _, tool := range client.Tools {
			names := tool.Names()
			switch {
			case slices.Contains(names[:], "shell"):
				shells++
				require.Equal(t, "git/no-force-push", blocks(tool.Name(), map[string]any{"command": "git push -f"}),
					"%s %s", client.Name, tool.Name())
				require.Empty(t, blocks(tool.Name(), map[string]any{"command": "git status"}), tool.Name())
			case slices.Contains(names[:], "fs_read"):
				readers++
				require.Equal(t, "secrets/no-reading-of-secrets", blocks(tool.Name(), map[string]any{"path": ".env"}),
					"%s %s", client.Name, tool.Name())
				require.Empty(t, blocks(tool.Name(), map[string]any{"path": "a.go"}), tool.Name())
				require.Empty(t, blocks(tool.Name(), map[string]any{"path": ".tenex-hooks.json"}), tool.Name())
			case tool.Name() == "download": // Crush's works on an address in the first place
			case slices.Contains(names[:], "fs_write"), slices.Contains(names[:], "fs_edit"):
				writers++
				rule := blocks(tool.Name(), map[string]any{"path": ".tenex-hooks.json"})
				require.Equal(t, "agents/no-hook-edits", rule, "%s %s", client.Name, tool.Name())
			}
		}
	}
	require.Greater(t, shells, 10)
	require.Greater(t, readers, 8)
	require.Greater(t, writers, 8)
	require.Equal(t, "agents/no-hook-edits", blocks("an_unknown_tool", map[string]any{"path": ".tenex-hooks.json"}))
	require.Equal(t, "git/no-force-push", blocks("an_unknown_tool", map[string]any{"command": "git push -f"}))
	require.Empty(t, blocks("web_search", map[string]any{"query": "git push -f"}))
}
