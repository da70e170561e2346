//go:build linux

package clients

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/record/clients"
	"github.com/hookrun/hookrun/e2e/binary"
)

// mcpServer is a server on stdio with the tools y and z, whose result is a secret.
const mcpServer = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {}
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
             "serverInfo": {"name": "other", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": n, "description": "d", "inputSchema": {"type": "object"}} for n in ("y", "z")]}
    elif m["method"] == "tools/call":
        open("called-" + m["params"]["name"], "w")
        r = {"content": [{"type": "text", "text": "the launch code"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// mcpClient is what differs between clients with a server my-stub.
type mcpClient struct {
	name, path string // the tool y, and the file with the servers in the home or, with ./, in the project
	key, entry string // of the servers in the file; the server ($SERVER)
	keeps      bool   // the model reads the old result
	search     string // the input of the tool that shows the model the others
	allow      string // in the place of Bash in the arguments
	ends       bool   // a block ends the turn, and the model reads no reason
}

var mcpClients = map[string]mcpClient{
	"claude": {name: "mcp__my-stub__y", path: ".claude.json", key: "mcpServers",
		allow: "Bash,mcp__my-stub__y,mcp__my-stub__z", entry: `{"command": "python3", "args": ["$SERVER"]}`},
	"cline": {name: "my-stub__y", ends: true, path: ".cline/data/settings/cline_mcp_settings.json", key: "mcpServers",
		entry: `{"transport": {"type": "stdio", "command": "python3", "args": ["$SERVER"]}}`},
	"droid": {name: "my-stub___y", path: ".factory/mcp.json", key: "mcpServers",
		search: `{"query": "select:my-stub___y,my-stub___z"}`,
		entry:  `{"type": "stdio", "command": "python3", "args": ["$SERVER"]}`},
	"qwen": {name: "mcp__my-stub__y", path: ".qwen/settings.json", key: "mcpServers",
		search: `{"query": "select:mcp__my-stub__y,mcp__my-stub__z"}`,
		entry:  `{"command": "python3", "args": ["$SERVER"], "trust": true}`},
	"copilot": {name: "my-stub-y", path: ".copilot/mcp-config.json", key: "mcpServers",
		entry: `{"type": "local", "tools": ["*"], "command": "python3", "args": ["$SERVER"]}`},
	"gemini": {name: "mcp_my-stub_y", path: ".gemini/settings.json", key: "mcpServers",
		entry: `{"command": "python3", "args": ["$SERVER"], "trust": true}`},
	"kimi": {name: "mcp__my-stub__y", path: ".kimi-code/mcp.json", key: "mcpServers", keeps: true,
		entry: `{"command": "python3", "args": ["$SERVER"]}`},
	"opencode": {name: "my-stub_y", path: ".config/opencode/opencode.json", key: "mcp",
		entry: `{"type": "local", "enabled": true, "command": ["python3", "$SERVER"]}`},
}

// TestMCPTools has real clients call the tools of a real MCP server: a rule for one of them blocks, and a redactor has
// the model read another result of the other, whatever the client calls the tools.
func TestMCPTools(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mcpClients)) {
		t.Run(name, func(t *testing.T) {
			if !alone(t, pathOf(t, name)) {
				testMCPTools(t, name)
			}
		})
	}
}

func testMCPTools(t *testing.T, name string) {
	binary.Needs(t, "python3")
	m := mcpClients[name]
	at := slices.IndexFunc(realClients, func(c client) bool { return c.name == name })
	r := newClientRun(t, realClients[at])
	if r.shell = m.name; m.search != "" {
		r.shell = map[bool]string{true: "tool_search", false: "ToolSearch"}[name == "qwen"]
	}
	if at := slices.Index(r.args, "Bash"); m.allow != "" {
		r.args[at] = m.allow
	}
	r.says = func(n int, tools ...string) string { // a command is a tool
		var calls []clients.Call
		for _, tool := range tools {
			input := json.RawMessage(`{}`)
			if m.search != "" && tool == r.shell {
				input = json.RawMessage(m.search)
			}
			calls = append(calls, clients.Call{Tool: tool, Input: input})
		}
		return clients.All[at].Says(n, calls...)
	}
	server := filepath.Join(t.TempDir(), "server.py")
	require.NoError(t, os.WriteFile(server, []byte(mcpServer), 0o600))
	servers := `"` + m.key + `": {"my-stub": ` + strings.ReplaceAll(m.entry, "$SERVER", server) + `}}`
	path, text := filepath.Join(r.home, m.path), "{"
	if old, err := os.ReadFile(path); err == nil {
		text = strings.TrimSuffix(strings.TrimSpace(string(old)), "}") + ", "
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text+servers), 0o600))
	binary.WriteFile(t, r.workspace, ".tenex-hooks.json", `{"hooks": [
{"name": "y", "block": "not this server", "events": ["pre-tool"], "matcher": "mcp__my-stub__y"},
{"name": "redact", "events": ["post-tool"], "matcher": "mcp__my-stub__z", "command":
  "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":\"what may be seen\"}}'"}]}`)
	r.install()
	z := strings.TrimSuffix(m.name, "y") + "z"
	replies := [][]string{{m.name}, {z}}
	if m.ends {
		r.turn(replies[0])
		require.False(t, r.ran("called-y"), r.output)
		replies = replies[1:]
	}
	if m.search != "" {
		replies = slices.Insert(replies, 0, []string{r.shell})
	}
	r.turn(replies...)
	require.False(t, r.ran("called-y"), r.output)
	require.True(t, m.ends || r.modelReads(m.name, "not this server"), r.requests)
	require.True(t, r.ran("called-z"), r.output)
	require.Equal(t, m.keeps, r.modelReads(z, "the launch code"), r.requests)
}
