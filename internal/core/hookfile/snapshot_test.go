package hookfile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	long := time.Now().Add(-time.Hour)

	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	absent := hookfile.NewSnapshot(cfg)
	require.Empty(t, absent.Changed())
	write(`{"hooks":[]}`)
	require.Equal(t, []string{path + " was not there before"}, absent.Changed())

	cfg, err = hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	pin := hookfile.NewSnapshot(cfg)
	for range 3 {
		require.Empty(t, pin.Changed())
	}
	require.NoError(t, os.Chtimes(path, long, long))
	require.Empty(t, pin.Changed(), "it was touched, and its text is the same")
	write(`{"hooks": []}`)
	require.Equal(t, []string{path + " was changed"}, pin.Changed())
	write(`{"hooks":[]}`)
	require.Empty(t, pin.Changed(), "as it was")

	// A change that keeps size and time is that of another file.
	require.NoError(t, os.Chtimes(path, long, long))
	require.Empty(t, pin.Changed())
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte(`{"hooks":{}}`), 0o600))
	require.NoError(t, os.Chtimes(other, long, long))
	require.NoError(t, os.Rename(other, path))
	require.Equal(t, []string{path + " was changed"}, pin.Changed())

	require.NoError(t, os.Remove(path))
	require.Equal(t, []string{path + " is gone"}, pin.Changed())
	require.NoError(t, os.Mkdir(path, 0o700))
	require.Equal(t, []string{path + " was changed"}, pin.Changed(), "it cannot be read")
	require.Empty(t, new(hookfile.Snapshot).Changed())
}

func TestSnapshotOfClaudeFiles(t *testing.T) {
	t.Setenv("CLAUDE_CONFIG_DIR", t.TempDir())
	dir := t.TempDir()
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir, Claude: true})
	require.NoError(t, err)
	pin := hookfile.NewSnapshot(cfg)
	require.Empty(t, pin.Changed())
	local := filepath.Join(dir, ".claude", "settings.local.json")
	require.NoError(t, os.Mkdir(filepath.Dir(local), 0o700))
	require.NoError(t, os.WriteFile(local, []byte(`{}`), 0o600))
	require.Equal(t, []string{local + " was not there before"}, pin.Changed())
}
