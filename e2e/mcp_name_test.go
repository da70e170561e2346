//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
)

// TestMCPWithoutAName: hooks match the server's name, so no call passes before that is known.
func TestMCPWithoutAName(t *testing.T) {
	t.Parallel()
	binary.Needs(t, "python3")
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"prod"}}}`
	server, err := filepath.Abs("testdata/mcp/server.py")
	require.NoError(t, err)
	for name, input := range map[string]string{
		"no initialize":       call,
		"another request":     `{"jsonrpc":"2.0","id":1,"method":"nothing"}` + "\n" + call,
		"a notification only": `{"jsonrpc":"2.0","method":"initialize"}` + "\n" + call,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary.WriteHooks(t, dir, rpc.PreTool("no-prod", "mcp__small_server__*", "exit 2"))
			log := filepath.Join(dir, "server.log")
			env := append(os.Environ(), "SERVER_LOG="+log)
			done := binary.Run(t, dir, input+"\n", env, binary.Path, "mcp", "--", "python3", server)
			require.Contains(t, done.Stdout, `"id":2,"error":{"code":-32600,"message":"the server has not answered`)
			got, _ := os.ReadFile(log) // it is not there if the server got nothing
			require.NotContains(t, string(got), "tools/call")
		})
	}
}

// TestMCPServerOfAnotherName: the server chose a name that no hook is for.
func TestMCPServerOfAnotherName(t *testing.T) {
	t.Parallel()
	const warning = "warning: the server calls itself small_server, and the hooks for MCP tools are for demo; if " +
		"they are meant for it, give --name"
	for name, test := range map[string]struct {
		matcher string
		flags   []string
		warned  int
	}{
		"another server":      {"mcp__demo__echo", nil, 1},
		"all servers":         {"mcp__*__echo", nil, 0},
		"this server":         {"mcp__demo__echo|mcp__small_server__x", nil, 0},
		"no server":           {"shell", nil, 0},
		"a name that is said": {"mcp__demo__echo", []string{"--name=own"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var more []string
			for _, flag := range test.flags {
				more = append(more, strings.SplitN(flag, "=", 2)...)
			}
			p := newProxied(t, []binary.Hook{rpc.PreTool("gate", test.matcher, "exit 0")}, more...)
			for range 2 {
				require.Equal(t, []string{"x"}, p.result("echo", binary.Hook{"text": "x"}).texts())
			}
			p.leave(0)
			require.Equal(t, test.warned, strings.Count(p.Err.String(), warning), p.Err.String())
		})
	}
}
