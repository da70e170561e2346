package preset

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/hookfile"
)

// What the presets block is tested on the real binary, in e2e/init.

func TestFiles(t *testing.T) {
	for form, begins := range map[Form]string{Posix: "#!/bin/sh\n", Windows: "# "} {
		for _, names := range [][]string{Names(), Default, {"git"}, {"secrets"}, {"paths"}, {"shell"}} {
			files, err := Files(names, form)
			require.NoError(t, err)
			require.Equal(t, hookfile.FileName, files[0].Name)
			config, err := hookfile.Parse(files[0].Name, []byte(files[0].Text))
			require.NoError(t, err)
			require.Empty(t, config.Warnings)
			require.True(t, json.Valid([]byte(files[0].Text)))

			require.True(t, strings.HasSuffix(files[1].Name, cases.Suffix))
			tests, err := cases.Parse(files[1].Name, []byte(files[1].Text), "/w")
			require.NoError(t, err)
			require.NotEmpty(t, tests.Tests)

			made := map[string]bool{}
			for _, f := range files[3:] {
				require.True(t, strings.HasPrefix(f.Text, begins), f.Name)
				require.EqualValues(t, 0o755, f.Mode)
				made["./"+f.Name] = true
			}
			started := 0
			for _, h := range config.Hooks {
				if len(h.Command.Argv) > 0 && strings.HasPrefix(h.Command.Argv[0], "./") {
					require.True(t, made[h.Command.Argv[0]], h.Name)
					started++
				}
			}
			require.Equal(t, len(made), started)
		}
	}
}

// TestScriptsOfWindows: Windows PowerShell takes a file without a byte order mark for one in the system's code page.
func TestScriptsOfWindows(t *testing.T) {
	files, err := Files(Names(), Windows)
	require.NoError(t, err)
	for _, f := range files[3:] {
		for i, b := range []byte(f.Text) {
			require.Less(t, b, byte(0x80), "%s: byte %d", f.Name, i)
		}
	}
}

// TestWriteCleansUp: what was made before a failure is taken away again.
func TestWriteCleansUp(t *testing.T) {
	dir := t.TempDir()
	files := []File{{"a/x", "x", 0o644}, {"b", "b", 0o644}, {"b/x", "x", 0o644}}
	require.Error(t, Write(dir, files))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
