//go:build linux

package binary

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	recorded "github.com/hookrun/hookrun/conformance/record/clients"
	"github.com/hookrun/hookrun/internal/clients"
)

// InstallJS copies a folder of the repository and installs the packages of npm that it needs.
func InstallJS(t *testing.T, folder ...string) string {
	t.Helper()
	from, dir := filepath.Join(Repository(t), filepath.Join(folder...)), t.TempDir()
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		if f.IsDir() {
			continue // node_modules of somebody who tried it here
		}
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644))
	}
	Fetch(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	return dir
}

// InstallClient installs the version of a real client that was recorded, once for all tests of a package, and returns
// the folder with its program.
func InstallClient(t *testing.T, name string) string {
	t.Helper()
	Needs(t, "npm")
	d, known := clients.All().ClientNamed(name)
	require.True(t, known, name)
	c, known := recorded.Named(name)
	require.True(t, known, name)
	dir := filepath.Join(filepath.Dir(Path), "client-"+name)
	bin := filepath.Join(dir, "node_modules", ".bin")
	installing.Lock()
	defer installing.Unlock()
	if Exists(bin, name) {
		return bin
	}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	argv := append([]string{"npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", dir},
		c.Install(d.Install.Versions[0])...)
	Fetch(t, dir, nil, argv...)
	return bin
}

var installing sync.Mutex

// WithArgument finds the processes that have this argument.
func WithArgument(t *testing.T, argument string) (found []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range lines {
		line, _ := os.ReadFile(path)
		if strings.Contains("\x00"+string(line), "\x00"+argument+"\x00") {
			found = append(found, path)
		}
	}
	return found
}
