package gemini

import (
	"github.com/hookrun/hookrun/internal/client"
)

// Managed describes the settings that override a user's own.
func (installer) Managed(system string) client.Managed {
	const off = `"hooksConfig": {"enabled": false}, "hooks": {}`
	return client.Managed{
		Path: family.SystemFile(system),
		Pins: []client.Pin{{Key: "hooksConfig.enabled", Value: "true"}},
		Ways: []string{`"hooksConfig": {"disabled": ["hookrun"]} in any settings file`,
			"a hook of one's own that changes a call behind hookrun",
			"GEMINI_CLI_SYSTEM_SETTINGS_PATH, which names another file"},
		Trial: client.Trial{
			Args: []string{"--model", "gemini-2.5-pro", "--prompt"},
			Env: []string{"GOOGLE_GEMINI_BASE_URL=$URL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true",
				"GEMINI_CLI_NO_RELAUNCH=true"},
			Home: map[string]string{".gemini/settings.json": "{" + off + `, "privacy":
{"usageStatisticsEnabled": false}, "security": {"auth": {"selectedType": "gemini-api-key"}},
"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`},
			There: map[string]string{".gemini/settings.json": "{" + off + "}"},
		},
	}
}
