//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// clientNamed is one of realClients.
func clientNamed(name string) client {
	return realClients[slices.IndexFunc(realClients, func(c client) bool { return c.name == name })]
}

// TestDroidDropsAFaultyFile: the client drops all hooks of a settings file that has a fault, and so hookrun with them.
// Doctor says so.
func TestDroidDropsAFaultyFile(t *testing.T) {
	t.Setenv("PATH", pathOf(t, "droid"))
	r := newClientRun(t, clientNamed("droid"))
	r.run(binary.Path, "install", "droid", "--project", "--allow")
	settings := filepath.Join(r.workspace, ".factory", "settings.json")
	text, err := os.ReadFile(settings)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(settings, append(text, '}'), 0o600))
	r.turn([]string{"touch forbidden"})
	require.True(t, r.ran("forbidden"), r.output)
	out, err := r.command(binary.Path, "doctor", "droid").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "settings.json:")
}
