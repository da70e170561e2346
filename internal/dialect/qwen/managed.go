package qwen

import (
	"github.com/hookrun/hookrun/internal/client"
)

// Managed describes the settings that override a user's own.
func (installer) Managed(system string) client.Managed {
	const off = `"disableAllHooks": true, "hooks": {}`
	return client.Managed{
		Path: family.SystemFile(system),
		Pins: []client.Pin{{Key: offSwitch, Value: "false"}},
		Ways: []string{"qwen --bare and --safe-mode", "QWEN_CODE_SYSTEM_SETTINGS_PATH, which names another file"},
		Trial: client.Trial{
			Args: []string{"--auth-type", "openai", "-p"},
			Env:  []string{"OPENAI_BASE_URL=$URL/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=scripted"},
			Home: map[string]string{".qwen/settings.json": "{" + off + `, "privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "disableAutoUpdate": true}}`},
			There: map[string]string{".qwen/settings.json": "{" + off + "}"},
		},
	}
}
