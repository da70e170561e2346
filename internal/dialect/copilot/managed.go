package copilot

import (
	"github.com/hookrun/hookrun/internal/dialect"

	"github.com/hookrun/hookrun/internal/client"
)

// Managed describes a file of hookrun's own among the administrator's policies.
func (installer) Managed(system string) client.Managed {
	const off = `{"version": 1, "disableAllHooks": true, "hooks": {}}`
	return client.Managed{
		Path: dialect.OnSystem(system, "/etc/github-copilot/policy.d/", "/etc/github-copilot/policy.d/",
			`C:\ProgramData\GitHub\Copilot\policy.d\`) + "hookrun.json",
		Key:  dialect.OnSystem(system, "bash", "bash", "powershell"), // it takes no other key here
		Pins: []client.Pin{{Key: "version", Value: "1"}},
		Ways: []string{"a hook of one's own that changes a call behind hookrun, unless " + dialect.OnSystem(system,
			"/etc/github-copilot/", "/etc/github-copilot/", `C:\ProgramData\GitHub\Copilot\`) +
			`managed-settings.json has "allowManagedHooksOnly": true`},
		Trial: client.Trial{
			Args: []string{"--allow-all-tools", "--no-color", "-p"},
			Env: []string{"COPILOT_PROVIDER_BASE_URL=$URL/v1", "COPILOT_PROVIDER_API_KEY=none",
				"COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"},
			Home:  map[string]string{".copilot/settings.json": off, ".copilot/hooks/off.json": off},
			There: map[string]string{".github/hooks/off.json": off, ".claude/settings.json": off},
		},
	}
}
