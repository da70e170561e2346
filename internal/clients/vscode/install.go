package vscode

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse"},
	WindowsShell: client.PowerShell,
	Note: "hookrun was not tried with VS Code itself, see docs/clients/copilot-cli.md#vs-code; Copilot CLI runs " +
		"this file, too, and is answered in its own form",
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook after a tool that failed", Event: protocol.PostTool},
		{What: "takes no other result of a tool from a hook", Event: protocol.PostTool},
	},
	Program: "code", Page: "copilot-cli.md#what-no-hook-sees-in-vs-code",
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) {
	return "$COPILOT_AGENT", "code code-insiders code-oss codium vscodium"
}

func (installer) AlsoRuns() []string { return []string{"claude", "copilot"} }

func (installer) EntryMembers(s client.Shell) (commandKey, more string) {
	if s == client.PowerShell {
		return "powershell", ""
	}
	return client.CommandKey, ""
}

func (installer) SilentBlock() (json string, exit int) { return client.SilentDeny, 2 }

// userSettings returns the folder of the user's settings, in the default profile.
func userSettings(w client.Where) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(w.Getenv("APPDATA"), "Code", "User")
	case "darwin":
		return filepath.Join(w.Home, "Library", "Application Support", "Code", "User")
	}
	return filepath.Join(w.Home, ".config", "Code", "User")
}

func (installer) OtherFiles(w client.Where) (_, _, beside []string) {
	return nil, nil, []string{filepath.Join(w.Workspace, ".vscode", "settings.json"),
		filepath.Join(userSettings(w), "settings.json")}
}

// Obstacles returns the settings that switch hooks off, or the folder of the entry.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	for _, f := range in.Files {
		for _, key := range []string{`chat\.useHooks`, places + `\.github/hooks`, places + `~/\.copilot/hooks`} {
			if name := strings.ReplaceAll(key, `\`, ""); gjson.Get(f.Text, key).Type == gjson.False {
				found = append(found, client.Obstacle{Path: f.Path, Known: key != places+`~/\.copilot/hooks`,
					What: name + " is false there, so VS Code does not run hookrun", Mend: "take that line out"})
			}
		}
	}
	return found
}

const places = `chat\.hookFilesLocations.`

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	read := func(doc string) []client.Server { return client.ServersOf(gjson.Get(doc, "servers"), nil) }
	return []client.ServerFile{{Path: filepath.Join(w.Workspace, ".vscode", "mcp.json"), Read: read},
		{Path: filepath.Join(userSettings(w), "mcp.json"), Read: read}}
}
