package cli

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/pack"
	"github.com/hookrun/hookrun/internal/rules/permission"
)

// TestPacksKnowTheCommands: for each command the pack agents knows whether it changes gates. The word "uninstall" after
// a command that the pack does not know counts as the command.
func TestPacksKnowTheCommands(t *testing.T) {
	agents, err := pack.Named("agents")
	require.NoError(t, err)
	for _, c := range commands() {
		changes := slices.Contains([]string{"allow", "approve", "deny", "init", "install", "uninstall"}, c.name)
		input, err := json.Marshal(map[string]string{"command": "hookrun " + c.name + " uninstall"})
		require.NoError(t, err)
		call := permission.Call{Tool: "shell", Kind: permission.KindOf("shell"), Input: string(input)}
		found := agents.Rule("no-gate-commands").Decide(pack.NewCall(call.WithCache(), false))
		require.Equal(t, changes, found.Subject != "", "%s belongs to gateCommands or to hookrunCommands of "+
			"internal/rules/pack/agents_find.go, and if it changes gates to the list above", c.name)
	}
}
