package projecthooks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/projecthooks"
)

// A program can tell errors of files from others, and has the position of each.
func TestLoadErrors(t *testing.T) {
	require.Equal(t, hookfile.FileName, projecthooks.FileName)
	var found projecthooks.Diagnostics
	file := filepath.Join(t.TempDir(), "hooks.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"hooks":[{"nam":"a"},1]}`), 0o666))
	_, err := projecthooks.Load(projecthooks.Options{Files: []string{file, file}})
	require.ErrorAs(t, err, &found)
	require.Equal(t, projecthooks.Diagnostic{
		File: file, Line: 1, Column: 11, Text: `hook 1 has no "name", no "command", no "events"`,
	}, found[0])
	_, same := hookfile.Load(hookfile.Options{Files: []string{file, file}})
	require.EqualError(t, err, same.Error())

	_, err = projecthooks.Load(projecthooks.Options{Dialect: "gemni"})
	require.ErrorContains(t, err,
		`unknown dialect "gemni"; known are tenex, `)
	require.ErrorContains(t, err, `; did you mean "gemini"?`)
	_, err = projecthooks.Load(projecthooks.Options{Workspace: "/nowhere"})
	require.ErrorAs(t, err, &found)
}

// A program that relies on gates learns that there is no hooks file.
func TestRequireHooks(t *testing.T) {
	dir := t.TempDir()
	required := projecthooks.Options{Workspace: dir, NoUser: true, RequireHooks: true}
	_, err := projecthooks.Load(required)
	path := filepath.Join(dir, projecthooks.FileName)
	require.EqualError(t, err, path+": no such file, and RequireHooks needs a hooks file; "+
		"see FindProject for the folder that has it")
	require.ErrorAs(t, err, &projecthooks.Diagnostics{})
	required.RequireHooks = false
	_, err = projecthooks.Load(required)
	require.NoError(t, err)
	required.RequireHooks = true
	require.NoError(t, os.WriteFile(path, []byte(`{"hooks":[]}`), 0o600))
	_, err = projecthooks.Load(required)
	require.NoError(t, err, "a file without hooks is a file")
}

// Nobody loaded these configs: they have no hooks.
func TestZeroConfig(t *testing.T) {
	for _, cfg := range []*projecthooks.Config{nil, {}} {
		require.Empty(t, cfg.Hooks())
		require.Empty(t, cfg.Files())
		require.Empty(t, cfg.Warnings())
		require.Empty(t, cfg.Snapshot().Changed())
	}
}

// TestZeroSnapshot: who asks one that Config.Snapshot did not make must not hear that nothing has changed.
func TestZeroSnapshot(t *testing.T) {
	for _, s := range []*projecthooks.Snapshot{nil, {}} {
		require.Len(t, s.Changed(), 1)
	}
	require.Empty(t, projecthooks.Empty().Snapshot().Changed())
	require.Empty(t, projecthooks.Empty().Hooks())
	require.Empty(t, projecthooks.Empty().Files())
}
