package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// proxiedIn writes files into a folder, W in a text being the folder, and returns the names of the servers that are
// found.
func proxiedIn(t *testing.T, client string, files map[string]string, w client.Where) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "W/", filepath.ToSlash(dir)+"/")), 0o666))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project"), 0o777))
	w.Workspace, w.Home, w.Getenv = filepath.Join(dir, "project"), filepath.Join(dir, "home"), func(string) string {
		return ""
	}
	c, found := install.Lookup(client)
	require.True(t, found)
	for _, p := range c.ProxiedServers(w, "/opt/gate") {
		require.FileExists(t, p.File)
		require.Positive(t, p.Line)
		_, name, _ := strings.Cut(p.Text, `"`)
		name, _, _ = strings.Cut(name, `"`)
		names = append(names, name)
	}
	return names
}

func TestProxiedCommands(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	for line, found := range map[string]bool{
		`"command":"hookrun","args":["mcp","--","x"]`: true,
		// this hookrun, under another name
		`"command":"/opt/gate","args":["mcp"]`:                                 true,
		`"command":"/opt/other","args":["mcp"]`:                                false,
		`"command":"C:/x/hookrun.exe","args":["mcp"]`:                          true,
		`"command":"env","args":["-i","A=b","./hookrun","mcp"]`:                true,
		`"command":"bash","args":["-lc","cd x; hookrun  mcp -- x"]`:            true,
		`"command":"bash","args":["-lc","\"/a/hookrun\" mcp"]`:                 true,
		`"command":"hookrun mcp -- x"`:                                         true,
		`"command":"hookrun","args":["serve","mcp"]`:                           false,
		`"command":"npx","args":["mcp-hookrun","mcp"]`:                         false,
		`"command":"echo","args":["hookrun mcpx"]`:                             false,
		`"command":"hookrun"`:                                                  false,
		`"args":["hookrun","mcp"]`:                                             true,
		`"command":3,"args":{"a":"hookrun"}`:                                   false,
		`"url":"http://hookrun/mcp"`:                                           false,
		`"command":"x","args":["hookrun",3,"mcp"],"env":{"A":"hookrun mcp"}`:   true,
		`"command":"x","env":{"A":"hookrun mcp"}`:                              false,
		`"type":"stdio","command":"hookrun","args":["mcp"],"disabled":"false"`: true,
	} {
		names := proxiedIn(t, "claude", map[string]string{"project/.mcp.json": `{"mcpServers":{"s":{` + line + `}}}`},
			client.Where{})
		require.Equal(t, found, len(names) == 1, line)
	}
}

func TestProxiedPlaces(t *testing.T) {
	const server = `{"command":"hookrun","args":["mcp","--","x"]}`
	claude := map[string]string{
		"project/.mcp.json": `{"mcpServers":{"project":` + server + `,"no":` + server + `,"none":` +
			server + `}}`,
		".mcp.json":                           `{"mcpServers":{"above":` + server + `}}`,
		"project/.claude/settings.json":       `{"disabledMcpjsonServers":["no"]}`,
		"home/.claude/settings.json":          `{"disabledMcpjsonServers":["none"]}`,
		"project/.claude/settings.local.json": `{`,
		"home/.claude.json": `{"history":"` + strings.Repeat("x", 2<<20) + `","mcpServers":{"no":` + server +
			`},"projects":{"W/project":{"mcpServers":{"here":` + server +
			`}},"W/other":{"mcpServers":{"there":` + server + `}},"W/more":{}}}`,
	}
	require.Equal(t, []string{"project", "above", "no", "here"}, proxiedIn(t, "claude", claude, client.Where{}))
	require.Equal(t, []string{"project", "above", "no", "here", "there"},
		proxiedIn(t, "claude", claude, client.Where{AllProjects: true}))
	const table = "command = 'hookrun'\nargs = ['mcp', '--', 'x']\n"
	require.Equal(t, []string{"a", "c"}, proxiedIn(t, "codex", map[string]string{
		"project/.codex/config.toml": "d = 2026-01-02\n[mcp_servers.a]\n" + table +
			"[mcp_servers.b]\nenabled = false\n" + table,
		"home/.codex/config.toml": "[mcp_servers.c]\nenabled = true\n" + table,
	}, client.Where{}))
	require.Equal(t, []string{"a", "c"}, proxiedIn(t, "gemini", map[string]string{
		"project/.gemini/settings.json": `{"mcp":{"excluded":["b"]},"mcpServers":{"a":` + server + `,"b":` + server +
			`}} // servers`,
		"home/.gemini/settings.json": `{"mcpServers":{"c":` + server + `}}`,
	}, client.Where{}))
	for _, name := range install.Names() {
		require.Empty(t, proxiedIn(t, name, nil, client.Where{}))
		require.Empty(t, proxiedIn(t, name, map[string]string{".mcp.json": "[]",
			"home/.claude.json":          `{"projects":[],"mcpServers":3}`,
			"project/.codex/config.toml": "mcp_servers = 3\n", "home/.codex/config.toml": "[mcp_servers]\na = 3\n",
			"project/.gemini/settings.json": `{"mcpServers":["hookrun mcp"]}`},
			client.Where{}))
	}
}
