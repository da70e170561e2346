//go:build linux

package binary

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// InstallJS copies an adapter, as people do, and installs what it needs.
func InstallJS(t *testing.T, name string) string {
	t.Helper()
	from, dir := filepath.Join(Repository(t), "scripts", "examples", "adapters", name), t.TempDir()
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
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = dir
	npm.WaitDelay = time.Second
	out, err := npm.CombinedOutput()
	if ctx.Err() != nil {
		t.Skipf("npm ci took over 3 minutes:\n%s", out)
	}
	if err != nil && offline.Match(out) {
		t.Skipf("the registry cannot be reached:\n%s", out)
	}
	require.NoError(t, err, string(out))
	return dir
}

var offline = regexp.MustCompile(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|` +
	`ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)\b`)

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
