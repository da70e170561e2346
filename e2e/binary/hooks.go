package binary

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// WriteFile writes a file of a project. Scripts are executable.
func WriteFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
}

func HooksOf(t *testing.T, path string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct{ Hooks []map[string]any }
	require.NoError(t, json.Unmarshal(text, &file))
	return file.Hooks
}
