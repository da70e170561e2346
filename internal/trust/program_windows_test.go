package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// A program may be named without its extension.
func TestProgramWithoutItsExtension(t *testing.T) {
	dir := t.TempDir()
	cmd, exe := filepath.Join(dir, "guard.cmd"), filepath.Join(dir, "guard.exe")
	require.NoError(t, os.WriteFile(cmd, nil, 0o600))
	for _, name := range []string{"./guard", `.\\guard`, "./guard.cmd"} {
		cfg, err := hookfile.Parse(filepath.Join(dir, hookfile.FileName),
			[]byte(`{"hooks": [{"name": "h", "command": ["`+name+`"], "events": ["pre-tool"]}]}`))
		require.NoError(t, err)
		named := func() []string {
			now, err := trust.Take(cfg, trust.Options{Workspace: dir, Environ: func(h *hookfile.Hook) []string {
				return h.Environ(dialect.NewCall(protocol.Call{Workspace: dir}), os.Environ(), "")
			}})
			require.NoError(t, err)
			return now.Named(&cfg.Hooks[0])
		}
		require.Equal(t, []string{"guard.cmd"}, named(), name)
		if filepath.Ext(name) == ".cmd" {
			continue
		}
		require.NoError(t, os.WriteFile(exe, nil, 0o600)) // which would run now
		require.Equal(t, []string{"guard.cmd", "guard.exe"}, named(), name)
		require.NoError(t, os.Remove(exe))
	}
}
