package claude

import (
	"github.com/hookrun/hookrun/internal/dialect"

	"github.com/hookrun/hookrun/internal/client"
)

func managedFolder(system string) string {
	return dialect.OnSystem(system, "/etc/claude-code/", "/Library/Application Support/ClaudeCode/",
		`C:\Program Files\ClaudeCode\`)
}

// Managed describes a file of hookrun's own beside the administrator's settings. The client merges all of the folder.
func (installer) Managed(system string) client.Managed {
	const off = `{"disableAllHooks": true, "hooks": {}}`
	return client.Managed{
		Path: managedFolder(system) + dialect.OnSystem(system, "managed-settings.d/", "managed-settings.d/",
			`managed-settings.d\`) + "hookrun.json",
		Only: []client.Pin{{Key: "allowManagedHooksOnly", Value: "true"}},
		Note: "settings that the organisation's server gives Claude Code take the place of all files: have the entry " +
			"there, too",
		Trial: client.Trial{
			Args: []string{"-p"},
			Env: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1"},
			Home:  map[string]string{".claude/settings.json": off},
			There: map[string]string{".claude/settings.json": off, ".claude/settings.local.json": off},
		},
	}
}
