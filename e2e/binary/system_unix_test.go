//go:build unix

package binary

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever has installed hookrun must be able to run the tests.
func TestPathWithout(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	}
	write("local/hookrun")
	write("local/node")
	write("local/claude")
	write("bin/sh")
	path := filepath.Join(dir, "local") + ":" + filepath.Join(dir, "bin") + ":" + filepath.Join(dir, "nowhere")

	got, err := pathWithout([]string{"hookrun", "claude"}, path, filepath.Join(dir, "links"))
	require.NoError(t, err)
	folders := strings.Split(got, ":")
	require.Equal(t, strings.Split(path, ":")[1:], folders[1:], "other folders stay")
	require.NoFileExists(t, filepath.Join(folders[0], "hookrun"))
	require.NoFileExists(t, filepath.Join(folders[0], "claude"))
	require.FileExists(t, filepath.Join(folders[0], "node"))

	same, err := pathWithout([]string{"hookrun", "claude"}, got, filepath.Join(dir, "links"))
	require.NoError(t, err)
	require.Equal(t, got, same)
}
