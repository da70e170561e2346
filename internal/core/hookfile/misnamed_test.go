package hookfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
)

func TestMisnamed(t *testing.T) {
	for name, meant := range map[string]string{
		".tenex-hook.json":          hookfile.FileName,
		"tenex-hooks.json":          hookfile.FileName,
		".tenex_hooks.json":         hookfile.FileName,
		".tenxe-hooks.json":         hookfile.FileName,
		".tenex-hooks.jsonc":        hookfile.FileName,
		".tenex-hooks.josn":         hookfile.FileName,
		".Tenex-Hooks.json":         hookfile.FileName,
		".tenex-hooks.locl.json":    hookfile.LocalFileName,
		"tenex-hooks.local.json":    hookfile.LocalFileName,
		hookfile.FileName:           "",
		hookfile.LocalFileName:      "",
		".tenex-hooks.json~":        "",
		".tenex-hooks.json.bak":     "",
		".tenex-hooks.schema.json":  "",
		".tenex-hooks.example.json": "",
		"a":                         "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600))
		if _, err := os.Stat(filepath.Join(dir, strings.ToLower(name))); err == nil && meant == strings.ToLower(name) {
			meant = "" // case does not count on this disk, so it is a hooks file by another spelling
		}
		paths, names := hookfile.Misnamed(dir)
		if meant == "" {
			require.Empty(t, paths, name)
			continue
		}
		require.Equal(t, []string{filepath.Join(dir, name)}, paths)
		require.Equal(t, []string{meant}, names)
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "tenex-hooks.json"), 0o700))
	paths, _ := hookfile.Misnamed(dir)
	require.Empty(t, paths, "a folder")
	paths, _ = hookfile.Misnamed(filepath.Join(dir, "none"))
	require.Empty(t, paths)
}
