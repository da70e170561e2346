//go:build !windows

package install

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

func TestEntries(t *testing.T) {
	dir := t.TempDir()
	entries := func(client, name, text string) []InstalledEntry {
		c, _ := Lookup(client)
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		file, exists, err := c.Text(path)
		require.NoError(t, err)
		require.True(t, exists)
		return c.Entries(file, "/opt/hr")
	}
	found := entries("claude", "settings.json", `{"hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
  "PreToolUse": [{"hooks": []}, {"matcher": "Bash", "hooks": [{"type": "http"},
    {"type": "command", "timeout": 1.5, "command": "/opt/hookrun fire --output claude || exit 2"}]}],
  "PostToolUse": [{"hooks": [{"command": "cd /; \"$X/hookrun\" fire"}, {"command": "/opt/hr fire"}]}, 1, {"hooks": {}}]
}}`)
	require.Len(t, found, 3)
	first := found[0]
	require.Equal(t, client.EntryText{Path: filepath.Join(dir, "settings.json"), Event: "PreToolUse", Group: 1,
		Handler: 1, Matcher: `"Bash"`, Text: first.Text}, first.EntryText)
	require.Equal(t, 4, first.Line)
	require.Equal(t, 1500*time.Millisecond, first.Timeout)
	require.False(t, first.IsStandard, "an older version wrote it, which takes anything for an answer")
	require.False(t, found[1].IsStandard || found[2].IsStandard)
	require.Equal(t, 5, found[1].Line)

	found = entries("codex", "config.toml", "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\n"+
		"type = \"command\"\ncommand = \"hookrun fire\"\ntimeout = 7\n")
	require.Len(t, found, 1)
	require.Equal(t, 7*time.Second, found[0].Timeout)
	require.Equal(t, 2, found[0].Line)

	require.Len(t, entries("gemini", "gemini.json", `{"hooks": {"BeforeTool": [{"hooks": [ // mine
		{"type": "command", "command": "hookrun fire"}]}]}}`), 1)
	require.Empty(t, entries("gemini", "empty.json", `{"hooks": {"BeforeTool": {"hooks": 1}}}`))

	c, _ := Lookup("claude")
	_, exists, err := c.Text(filepath.Join(dir, "none.json"))
	require.NoError(t, err)
	require.False(t, exists)
	_, exists, err = c.Text(dir)
	require.Error(t, err)
	require.True(t, exists)
}

func TestExact(t *testing.T) {
	for _, c := range jsonClients {
		command, err := c.Command("/opt/a b/hookrun", []string{"--output", c.Name}, true)
		require.NoError(t, err)
		require.True(t, c.exact(command, c.Events[0]))
		require.True(t, c.exact(command+footnote([]string{"file {}"}), c.Events[0]))
		for _, other := range []string{"/opt/hookrun fire || touch x", command + "; touch x", command + " # x",
			command + footnoteStart + "\ntouch x", "hookrun fire", "/opt/hookrun fire -c x"} {
			require.False(t, c.exact(other, c.Events[0]), other)
		}
	}
}
