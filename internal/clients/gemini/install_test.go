package gemini

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

func TestObstacles(t *testing.T) {
	home, parent := t.TempDir(), t.TempDir()
	workspace := filepath.Join(parent, "project")
	require.NoError(t, os.Mkdir(workspace, 0o755))
	trusts := func(path, level string) string { return `{` + strconv.Quote(path) + `: "` + level + `"}` }
	for _, row := range []struct {
		name, settings, trust, variable, value string
		obstacle, known                        bool
	}{
		{name: "nobody was asked", obstacle: true},
		{name: "trusted", trust: trusts(workspace, "TRUST_FOLDER")},
		{name: "one above is", trust: trusts(parent, "TRUST_FOLDER")},
		{name: "its parent is", trust: trusts(filepath.Join(parent, "other"), "TRUST_PARENT")},
		{name: "another one is", trust: trusts(filepath.Join(parent, "other"), "TRUST_FOLDER"), obstacle: true},
		{name: "not trusted", trust: trusts(workspace, "DO_NOT_TRUST"), obstacle: true, known: true},
		{name: "nobody asks", settings: `{"security": {"folderTrust": {"enabled": false}}}`},
		{name: "by variable", variable: "GEMINI_CLI_TRUST_WORKSPACE", value: "true"},
		{name: "not by variable", variable: "GEMINI_CLI_TRUST_WORKSPACE", value: "false", obstacle: true, known: true},
		{name: "restricted", variable: "GEMINI_RESTRICTED_MODE", value: "true", obstacle: true, known: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := client.Where{Workspace: workspace, Home: home, Getenv: func(name string) string {
				if name == row.variable {
					return row.value
				}
				return ""
			}}
			_, _, beside := install.OtherFiles(w)
			found := install.Obstacles(&client.Installed{Where: w, Files: []client.SettingsText{
				{Path: files.User(home, w.Getenv).Path, Text: row.settings},
				{Path: beside[0], Text: row.trust}}})
			if !row.obstacle {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.NotEmpty(t, found[0].Mend)
			require.Equal(t, row.known, found[0].Known)
		})
	}
}
