package opencode

import (
	"strings"

	"github.com/hookrun/hookrun/internal/client"
	"github.com/hookrun/hookrun/internal/dialect"
)

// Managed describes the plugin, and a second file of the administrator's settings that names the plugin. The client
// merges both files of settings.
func (installer) Managed(system string) client.Managed {
	folder := dialect.OnSystem(system, "/etc/opencode/", "/Library/Application Support/opencode/",
		`C:\ProgramData\opencode\`)
	address := "file:///" + strings.TrimPrefix(strings.ReplaceAll(folder, `\`, "/"), "/") + plugin
	address = strings.ReplaceAll(address, " ", "%20")
	settings := func(client.OwnCall) string { return `{"plugin": ["` + address + `"]}` + "\n" }
	return client.Managed{
		Path: folder + plugin,
		Own: []client.OwnFile{
			{Base: plugin, Events: install.Events, Comment: "//", Text: pluginText},
			{Base: "opencode.jsonc", Events: install.Events, Comment: "//", Text: settings},
		},
		Ways: []string{"opencode --pure and OPENCODE_PURE",
			"OPENCODE_TEST_MANAGED_CONFIG_DIR, which names another folder"},
		Trial: client.Trial{
			Args: []string{"run"},
			Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1"},
			Home: map[string]string{".npmrc": "fetch-retries=0\n",
				".config/opencode/opencode.json": `{"model": "loopback/m", "small_model": "loopback/m", "plugin": [],
"share": "disabled", "provider": {"loopback": {"npm": "@ai-sdk/openai-compatible", "name": "loopback",
"options": {"baseURL": "$URL/v1", "apiKey": "none"}, "models": {"m": {"name": "m"}}}}}`},
			There: map[string]string{"opencode.json": `{"plugin": []}`},
		},
	}
}
