package gemini

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"BeforeAgent", "BeforeTool", "AfterTool"},
	WindowsShell: client.PowerShell,
	JSON:         client.WithComments,
	Note:         "with --skip-trust Gemini CLI runs no hook of a project",
	HooklessActions: []client.HooklessAction{
		{What: "runs the commands in a custom command without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}},
	},
	Program: "gemini", Page: "gemini-cli.md#what-no-hook-sees",
	Versions:  []string{"0.61.0"},
	Variables: []string{"GEMINI_CLI"},
	Installer: installer{&family},
}

// installer implements dialect.Installer, with the parts that Gemini CLI and its forks share.
type installer struct{ *client.GenAI }

// EntryMembers adds a name, because the client's hooks have names.
func (installer) EntryMembers(client.Shell) (commandKey, more string) {
	return client.CommandKey, `"name":"hookrun"`
}

func (installer) Switches(doc string) []client.Switch {
	found := client.OffIfFalse(doc, "hooksConfig.enabled",
		`"hooksConfig" has "enabled": false, so Gemini CLI runs no hook`,
		`take "enabled" out of "hooksConfig" in that file`)
	if slices.Contains(client.Texts(gjson.Get(doc, "hooksConfig.disabled")), "hookrun") { // all lists add up
		found = append(found, client.Switch{
			Name: "hooksConfig.disabled", Off: true,
			What: `"hooksConfig" has "hookrun" among its "disabled", so Gemini CLI does not run it`,
			Mend: "gemini hooks enable hookrun",
		})
	}
	return found
}

var family = client.GenAI{
	Variables: "GEMINI_CLI", Folder: "gemini-cli", MacFolder: "GeminiCli", Files: files,
}

// Obstacles returns missing trust in the folder: without trust Gemini CLI runs no hook of its settings.
func (installer) Obstacles(in *client.Installed) []client.Obstacle {
	trusts := "export GEMINI_CLI_TRUST_WORKSPACE=true, or start gemini there and trust the folder"
	switch value := in.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); {
	case in.Getenv("GEMINI_RESTRICTED_MODE") == "true":
		return []client.Obstacle{{What: "$GEMINI_RESTRICTED_MODE is true, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_RESTRICTED_MODE", Known: true}}
	case value == "false":
		return []client.Obstacle{{What: "$GEMINI_CLI_TRUST_WORKSPACE is false, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_CLI_TRUST_WORKSPACE", Known: true}}
	case value == "true", in.HasEntry(files.User(in.Home, in.Getenv)): // the user's hooks run everywhere
		return nil
	}
	file, wanted, trusted, refused := family.Trust(in, true)
	switch {
	case !wanted || trusted:
		return nil
	case refused:
		return []client.Obstacle{{Path: file, What: "the folder is not trusted, so Gemini CLI runs none of its hooks",
			Mend: trusts, Known: true}}
	}
	// An editor may also report the folder as trusted, which hookrun cannot see.
	return []client.Obstacle{{Path: file, Person: true, Mend: trusts, What: "nobody has trusted the folder: gemini " +
		"--skip-trust runs its tools and not the project's hooks, and without a terminal gemini does not start"}}
}

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
