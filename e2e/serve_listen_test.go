package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// A server on a socket, which is a named pipe on Windows, from its start to its end.
func TestServeOnASocket(t *testing.T) {
	dir := t.TempDir()
	program, err := json.Marshal(binary.Path) // it fails, and so the tool is blocked
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(`{"hooks": [
		{"name": "guard", "command": [`+string(program)+`, "nonsense"], "events": ["pre-tool"], "matcher": "shell"}]}`),
		0o600))
	socket := newSocket(t)
	server := exec.Command(binary.Path, "serve", "-C", dir, "--socket", socket)
	server.Stderr = t.Output()
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill() })

	const patience = 20 * time.Second
	var conn io.ReadWriteCloser
	require.Eventually(t, func() bool {
		conn, err = connect(socket)
		return err == nil
	}, patience, time.Millisecond, "nobody listens")
	defer conn.Close()
	answers := bufio.NewReader(conn)
	ask := func(method, params string) string {
		_, err := fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params)
		require.NoError(t, err)
		line, err := answers.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	require.Contains(t, ask("ping", "{}"), `"version"`)
	require.Regexp(t, `"decision":"block".*unknown command`, ask("pre-tool", `{"tool":"shell"}`))
	require.Contains(t, ask("pre-tool", `{"tool":"fs"}`), `"decision":"continue"`)

	said, _ := exec.Command(binary.Path, "doctor", "gemini", "-C", dir, "--socket", socket).Output()
	require.Contains(t, string(said), "hookrun serve listens there")
	said, err = exec.Command(binary.Path, "serve", "-C", dir, "--socket", socket).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "another server listens on it")

	require.Contains(t, ask("shutdown", "{}"), `"result":null`)
	require.NoError(t, server.Wait())
	require.NoError(t, conn.Close())
	_, err = connect(socket)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
