//go:build unix

package binary

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// CopyExamples copies scripts/examples into a workspace, as people do.
func CopyExamples(t *testing.T) string {
	t.Helper()
	from, dir := filepath.Join(Repository(t), "scripts", "examples"), t.TempDir()
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		if f.IsDir() || filepath.Ext(f.Name()) == ".go" {
			continue // a folder has tests of its own; nobody copies the Go file
		}
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		require.NoError(t, err)
		mode := os.FileMode(0o755)
		if filepath.Ext(f.Name()) == ".json" {
			mode = 0o644
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name()), text, mode))
	}
	return dir
}

// OnlyHook leaves one hook in the hooks file of a workspace, as it stands there.
func OnlyHook(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, ".tenex-hooks.json")
	hooks := slices.DeleteFunc(HooksOf(t, path), func(h map[string]any) bool { return h["name"] != name })
	require.Len(t, hooks, 1, name)
	require.NoError(t, os.WriteFile(path, []byte(JSON(t, map[string]any{"hooks": hooks})), 0o644))
}

// FailingReplace lets redact-secrets.mjs fail at its work.
const FailingReplace = `String.prototype.replace = () => { throw new Error("on purpose") };`

func GuardFiles(t *testing.T) string {
	return filepath.Join(Repository(t), "scripts", "examples", "guards")
}
