package opencode

import (
	_ "embed"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// files has the folder of the plugin. The client loads plugins from this folder in a project, in the folders above up
// to the project's root, and in the user's home.
var files = &dialect.Files{
	Client: "OpenCode", Folder: ".opencode/plugins", Base: plugin,
	Timeout: dialect.Unit(time.Millisecond),
}

const plugin = "hookrun.js"

var install = &client.Installation{
	Events: []string{string(prompt), string(before), string(after)},
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook after a tool that failed", Event: protocol.PostTool},
		{What: "runs the commands in a custom command or a skill without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}},
	},
	Program: "opencode", Page: "opencode.md#what-no-hook-sees",
	Versions:  []string{"1.18.33"},
	Variables: []string{"OPENCODE"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$OPENCODE_CLIENT", "" }

func (installer) OwnFiles() []client.OwnFile {
	return []client.OwnFile{{Base: plugin, Events: install.Events, Comment: "//", Text: pluginText}}
}

func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	for name, does := range map[string]string{
		"OPENCODE_PURE":                   "loads no plugin",
		"OPENCODE_DISABLE_PROJECT_CONFIG": "loads no plugin of the project's",
	} {
		if value := in.Getenv(name); value == "1" || strings.EqualFold(value, "true") {
			found = append(found, client.Obstacle{What: "$" + name + " is set, so OpenCode " + does,
				Mend: "unset " + name, Known: name == "OPENCODE_PURE"})
		}
	}
	return found
}

//go:embed plugin.js
var source string

func pluginText(call client.OwnCall) string {
	missing := "hookrun is not there any more; run hookrun install opencode again"
	if call.Program == "hookrun" {
		missing = client.InstallHookrun
	}
	written, err := strictjson.Marshal(struct {
		Program string   `json:"program"`
		Args    []string `json:"args"`
		Limit   int64    `json:"limit"`
		Missing string   `json:"missing"`
	}{call.Program, call.Args, call.Timeout.Milliseconds(), missing})
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return strings.Replace(source, "CALL", string(written), 1)
}

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
