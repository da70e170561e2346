package claude

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

func TestObstacles(t *testing.T) {
	none := func(string) string { return "" }
	policy := "/etc/claude-code/managed-settings.json"
	for _, row := range []struct {
		path, text, variable, want string
	}{
		{path: policy, text: `{"permissions": {}}`},
		{path: policy, text: `{"allowManagedHooksOnly": true}`, want: "administrator's hooks alone"},
		{path: policy, text: `{"strictPluginOnlyCustomization": ["hooks"]}`, want: "plugins"},
		{path: "/etc/claude-code/managed-settings.d/a.json", text: `{"allowManagedHooksOnly": true}`, want: "alone"},
		{path: "/project/.claude/settings.json", text: `{"allowManagedHooksOnly": true}`},
		{path: "/project/.claude/settings.json", text: `{"env": {"PATH": "/project"}}`, want: `"env" sets PATH`},
		{path: "/project/.claude/settings.json", text: `{"env": {"MODE": "x"}}`},
		{variable: "CLAUDE_CODE_SAFE_MODE", want: "runs no hook"},
		{variable: "CLAUDE_CODE_SIMPLE", want: "runs no hook"},
	} {
		in := &client.Installed{Where: client.Where{Getenv: none},
			Files: []client.SettingsText{{Path: row.path, Text: row.text}}}
		if row.variable != "" {
			in.Getenv = func(name string) string { return map[string]string{row.variable: "1"}[name] }
		}
		found := install.Obstacles(in)
		if row.want == "" {
			require.Empty(t, found, row)
			continue
		}
		require.Len(t, found, 1, row)
		require.Contains(t, found[0].What, row.want)
		require.NotEmpty(t, found[0].Mend)
	}
}
