package codex

import (
	"github.com/hookrun/hookrun/internal/client"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
)

func managedFolder(system string) string {
	return dialect.OnSystem(system, "/etc/codex/", "/etc/codex/", `C:\ProgramData\OpenAI\Codex\`)
}

// Managed describes the administrator's requirements. Hooks there need no trust, and the client runs them only if they
// have a folder.
func (installer) Managed(system string) client.Managed {
	folder, key := managedFolder(system), "managed_dir"
	if system == "windows" {
		key = "windows_managed_dir"
	}
	dir := string(strictjson.AppendString(nil, folder[:len(folder)-1]))
	const off = "features.hooks = false\nfeatures.codex_hooks = false\n"
	return client.Managed{
		Path: folder + policyFile,
		Pins: []client.Pin{{Key: "features.hooks", Value: "true"}, {Key: "hooks." + key, Value: dir}},
		Only: []client.Pin{{Key: "allow_managed_hooks_only", Value: "true"}},
		Trial: client.Trial{
			Args: []string{"exec", "--skip-git-repo-check", "--disable", "hooks"},
			Home: map[string]string{".codex/config.toml": off + `
model = "scripted"
model_provider = "loopback"
model_providers.loopback = {name = "loopback", base_url = "$URL/v1", wire_api = "responses", request_max_retries = 0}
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false
`},
			There: map[string]string{".codex/config.toml": off},
		},
	}
}
