package codex

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

const trustedCommand = `/tmp/hr-p5 fire --output codex || /bin/sh -c 'echo \"hookrun gave no answer\" >&2; exit 2'`

// The hashes are what Codex 0.169.0 gave for these entries in hooks/list.
func TestHash(t *testing.T) {
	handler := `{"type": "command", "command": "` + trustedCommand + `", "timeout": 60}`
	for _, row := range []struct{ event, matcher, handler, want string }{
		{"PreToolUse", "", handler, "sha256:b05ca4c47bfdee3e5d27ab3916d463a432696a7f085c85a7129983fed684521a"},
		{"PreToolUse", "null", handler, "sha256:b05ca4c47bfdee3e5d27ab3916d463a432696a7f085c85a7129983fed684521a"},
		{"PostToolUse", "", handler, "sha256:872f4c2eb255e37a2b962c019fc73d8e79c5600524489befb371677b51d4c676"},
		{"UserPromptSubmit", "", handler, "sha256:b73e7aef718874bad8508d0543292ae6155f8393d5e30ead35680a2f7378639c"},
		{"PreToolUse", "", strings.Replace(handler, "}", `, "statusMessage": "?"}`, 1), ""},
	} {
		require.Equal(t, row.want, hashOf(client.EntryText{Event: row.event, Matcher: row.matcher, Text: row.handler}),
			row)
	}
	whole := hashOf(client.EntryText{Event: "PreToolUse", Matcher: `"Bash"`,
		Text: strings.Replace(handler, `, "timeout": 60`, "", 1)})
	require.True(t, strings.HasPrefix(whole, "sha256:9f9db73e20ad0"), "a default is part of it: %s", whole)
}

func TestObstacles(t *testing.T) {
	home, workspace := t.TempDir(), t.TempDir()
	config := filepath.Join(home, ".codex", configFile)
	entry := client.EntryText{
		Path: filepath.Join(workspace, ".codex", "hooks.json"), Event: "PreToolUse",
		Text: `{"type": "command", "command": "` + trustedCommand + `", "timeout": 60}`,
	}
	obstacles := func(text string) (all []string) {
		in := &client.Installed{
			Where: client.Where{Workspace: workspace, Home: home, Getenv: func(string) string { return "" }},
			Files: []client.SettingsText{{Path: config, Text: text}}, Entries: []client.EntryText{entry},
		}
		for _, o := range install.Obstacles(in) {
			require.NotEmpty(t, o.Mend)
			require.True(t, o.Known)
			all = append(all, o.What)
		}
		return all
	}
	project := "projects." + quoted(workspace) + ".trust_level = \"trusted\"\n"
	state := "hooks.state." + quoted(key(entry))
	hash := state + ".trusted_hash = " + quoted(hashOf(entry)) + "\n"

	require.Empty(t, obstacles(project+hash))
	require.Contains(t, obstacles(hash)[0], "does not trust the project")
	require.Contains(t, obstacles(strings.Replace(project, "trusted\"", "untrusted\"", 1))[0],
		"does not trust the project")
	require.Contains(t, obstacles(project)[0], "nobody has trusted the hook at PreToolUse")
	require.Contains(t, obstacles(project + state + ".trusted_hash = \"sha256:0\"\n")[0], "has changed since")
	require.Contains(t, obstacles(project + hash + state + ".enabled = false\n")[0], "switched off")
}

// quoted is a key of TOML, or a string.
func quoted(text string) string { return "'" + text + "'" }
