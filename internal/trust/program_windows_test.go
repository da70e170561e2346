package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/trust"
)

// A program may be named without its extension.
func TestProgramWithoutItsExtension(t *testing.T) {
	dir := t.TempDir()
	cmd, exe := filepath.Join(dir, "guard.cmd"), filepath.Join(dir, "guard.exe")
	require.NoError(t, os.WriteFile(cmd, nil, 0o600))
	for _, name := range []string{"./guard", `.\\guard`, "./guard.cmd"} {
		cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName),
			[]byte(`{"hooks": [{"name": "h", "command": ["`+name+`"], "events": ["pre-tool"]}]}`))
		require.NoError(t, err)
		named := func() []string {
			now, err := trust.Take(cfg, trust.Options{Workspace: dir, Environ: func(h *hook.Hook) []string {
				return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: dir}), os.Environ(), "")
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

// Files of a hook are found however Windows or Git's sh lets somebody write their names, with a shell or without one.
func TestFilesOfCommandsOnWindows(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"guard", "guard.js", "lib.sh", "x.cmd", "y.ps1"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	slashes := filepath.ToSlash(dir)
	drive := "/" + strings.ToLower(slashes[:1]) + slashes[2:]
	for command, want := range map[string][]string{
		`["./guard"]`:            {"guard", "guard.js"}, // of which PATHEXT has the second
		`"./lib.sh"`:             {"lib.sh"},
		`"` + drive + `/lib.sh"`: {"lib.sh"},
		`"` + strings.ToUpper(drive) + `/lib.sh"`:                    {"LIB.SH"},
		`". \"` + strings.ReplaceAll(dir, `\`, `\\`) + `\\lib.sh\""`: {"lib.sh"},
		`["CMD.EXE", "/C", "x && .\\y.ps1"]`:                         {"x.cmd", "y.ps1"},
		`"true", "env": {"BASH_ENV": "` + slashes + `/lib.sh"}`:      {"lib.sh"},
	} {
		cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName),
			[]byte(`{"hooks": [{"name": "h", "command": `+command+`, "events": ["pre-tool"]}]}`))
		require.NoError(t, err, command)
		now, err := trust.Take(cfg, trust.Options{Workspace: dir, Environ: func(h *hook.Hook) []string {
			return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: dir}), []string{"PATHEXT=.EXE;.JS"}, "")
		}})
		require.NoError(t, err)
		if strings.HasSuffix(want[0], "SH") {
			require.Len(t, now.Named(&cfg.Hooks[0]), 1, command)
			continue
		}
		require.Equal(t, want, now.Named(&cfg.Hooks[0]), command)
	}
}
