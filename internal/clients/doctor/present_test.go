package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionBeside(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
		return path
	}
	write("npm/package.json", `{"name": "a", "version": "1.2.3", "bin": {"a": "bin/a.js"}}`)
	write("project/package.json", `{"version": "9.9.9"}`)
	require.Equal(t, "1.2.3", versionBeside(write("npm/bin/a.js", "")))
	require.Equal(t, "2.1.37", versionBeside(write("versions/2.1.37", "")))
	require.Empty(t, versionBeside(write("project/tool", "")), "a project is no package of a program")
	require.Empty(t, versionBeside(filepath.Join(dir, "none")))
	require.Empty(t, versionBeside(""))
}
