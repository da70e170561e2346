//go:build linux

package binary

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TrustInCodex does what a user does at /hooks: a hook runs when the hash of its entry is in the user's file. The
// server is `codex app-server`, and the project has so many hooks.
func TrustInCodex(t *testing.T, home, workspace string, server *exec.Cmd, hooks int) {
	t.Helper()
	var listed struct {
		ID     int
		Result struct {
			Data []struct {
				Hooks []struct{ Key, CurrentHash string }
			}
		}
	}
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	fmt.Fprintln(in, `{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "e2e", "version": "1"}}}`)
	fmt.Fprintln(in, `{"method": "initialized"}`)
	fmt.Fprintln(in, JSON(t, Hook{"id": 2, "method": "hooks/list", "params": Hook{"cwds": []string{workspace}}}))
	for lines := bufio.NewScanner(out); listed.ID != 2 && lines.Scan(); {
		require.NoError(t, json.Unmarshal(lines.Bytes(), &listed))
	}
	require.NoError(t, in.Close())
	require.NoError(t, server.Wait())
	require.Len(t, listed.Result.Data, 1)
	require.Len(t, listed.Result.Data[0].Hooks, hooks)
	var trusted strings.Builder
	for _, h := range listed.Result.Data[0].Hooks {
		fmt.Fprintf(&trusted, "hooks.state.%q.trusted_hash = %q\n", h.Key, h.CurrentHash)
	}
	config := filepath.Join(home, ".codex/config.toml")
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config, append(text, trusted.String()...), 0o600))
}
