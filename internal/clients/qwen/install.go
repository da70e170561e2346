package qwen

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

// installed are the events of hookrun's entries.
var installed = []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"}

var install = &client.Installation{
	Events:       installed,
	WindowsShell: client.PowerShell,
	JSON:         client.WithComments,
	Note:         "with --bare or --safe-mode Qwen Code runs no hook",
	HooklessActions: []client.HooklessAction{
		{What: "runs the commands in a custom command without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}},
	},
	Program: "qwen", Page: "qwen-code.md#what-no-hook-sees",
	Versions:  []string{"0.24.4"},
	Variables: []string{"QWEN_CODE"},
	Installer: installer{&family},
}

// installer implements dialect.Installer, with the parts that Gemini CLI and its forks share.
type installer struct{ *client.GenAI }

// EntryMembers adds "shell" on Windows, because without it the environment selects the shell.
func (installer) EntryMembers(s client.Shell) (commandKey, more string) {
	if s == client.PowerShell {
		more = `"shell":"powershell"`
	}
	return client.CommandKey, more
}

// SilentBlock returns JSON at exit 0: exit 2 withholds no result, and stdout is not read at exit 2. "continue": false
// is in the answer because no other hook's allow overrides it.
func (installer) SilentBlock() (json string, exit int) {
	return `{"decision":"deny","reason":"` + client.SilentReason + `","continue":false}`, 0
}

func (installer) Switches(doc string) []client.Switch {
	v := gjson.Get(doc, offSwitch)
	if !v.Exists() {
		return nil
	}
	off := v.Type == gjson.True || v.Type == gjson.String && v.Str != "" || v.Num != 0
	return []client.Switch{{
		Name: offSwitch, Off: off,
		What: fmt.Sprintf(`"disableAllHooks" is %s, so Qwen Code runs no hook`, v.Raw),
		Mend: `take "disableAllHooks" out of that file`,
	}}
}

var family = client.GenAI{
	Variables: "QWEN_CODE", Folder: "qwen-code", MacFolder: "QwenCode", Files: files,
}

// Obstacles returns matchers that keep all hooks of an event from running, and missing trust in the folder. Trust is
// needed only if a setting switches it on.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	for _, f := range in.Files {
		for _, event := range installed {
			for _, group := range gjson.Get(f.Text, "hooks."+event).ForEach {
				if m := group.Get("matcher"); m.Type != gjson.Null && m.Type != gjson.String {
					found = append(found, client.Obstacle{Path: f.Path, Known: true,
						What: fmt.Sprintf("the matcher %s of %s is no string, so Qwen Code runs no hook of that "+
							"event", m.Raw,
							event),
						Mend: "write it as a string"})
				}
			}
		}
	}
	if file, wanted, trusted, _ := family.Trust(in, false); wanted && !trusted {
		found = append(found, client.Obstacle{Path: file, Known: true,
			What: "the folder is not trusted, so Qwen Code runs none of its hooks",
			Mend: "start qwen there and trust the folder"})
	}
	return found
}

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
