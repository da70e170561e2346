//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestKimiDropsAFaultySection: the client drops all hooks for a fault of one of them, and hookrun's entries with them.
// It says so, and so does doctor.
func TestKimiDropsAFaultySection(t *testing.T) {
	t.Setenv("PATH", pathOf(t, "kimi"))
	r := newClientRun(t, clientNamed("kimi"))
	settings := filepath.Join(r.home, ".kimi-code", "config.toml")
	before, err := os.ReadFile(settings)
	require.NoError(t, err)
	r.install()
	installed, err := os.ReadFile(settings)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(settings, append(installed, "[[hooks]]\nevent = \"PreToolUse\"\n"...), 0o600))
	r.turn([]string{"touch forbidden"})
	require.True(t, r.ran("forbidden"), r.output)
	require.Contains(t, r.output, "Ignored invalid config section 'hooks'")
	out, err := r.command(binary.Path, "doctor", "kimi").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "config.toml:")

	require.NoError(t, os.WriteFile(settings, installed, 0o600))
	r.run(binary.Path, "uninstall", "kimi", "--user")
	after, err := os.ReadFile(settings)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}
