package copilot

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"},
	WindowsShell: client.PowerShell,
	HooklessActions: []client.HooklessAction{
		{What: "shows the output at the end of an async command without a hook",
			Event: protocol.PostTool, Tools: []string{"shell"}},
	},
	Program: "copilot", Page: "copilot-cli.md#what-no-hook-sees",
	Versions:  []string{"1.0.102"},
	Variables: []string{"COPILOT_CLI"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "github-copilot", "" }

// NamelessEvents returns the events with an input in camelCase in both spellings.
func (installer) NamelessEvents() []protocol.Event {
	return []protocol.Event{"PermissionRequest", "SubagentStart"}
}

func (installer) AlsoRuns() []string { return []string{"claude", "vscode"} }

func (installer) EntryMembers(s client.Shell) (commandKey, more string) {
	if s == client.PowerShell {
		return "powershell", ""
	}
	return client.CommandKey, ""
}

// SilentBlock returns exit 2, which blocks before a tool, and JSON, which blocks at other events.
func (installer) SilentBlock() (json string, exit int) { return client.SilentDeny, 2 }

func (installer) Switches(doc string) []client.Switch {
	return client.OffIfTrue(doc, offSwitch,
		`"disableAllHooks" is true, so Copilot CLI does not run hookrun`, `take "disableAllHooks" out of that file`)
}

func (installer) OtherFiles(w client.Where) (_, _, beside []string) {
	return nil, nil, []string{filepath.Join(w.Workspace, ".claude", "settings.json"),
		filepath.Join(w.Workspace, ".claude", "settings.local.json")}
}

func (installer) Servers(w client.Where, _ func(string) string) []client.ServerFile {
	return []client.ServerFile{{Path: filepath.Join(userFolder(w), "mcp-config.json"), Read: client.MCPServers},
		{Path: filepath.Join(w.Workspace, ".mcp.json"), Read: client.MCPServers}}
}

// userFolder returns the folder of the user's files.
func userFolder(w client.Where) string {
	return cmp.Or(w.Getenv(files.FolderVariable), filepath.Join(w.Home, ".copilot"))
}

// Obstacles returns the switches in Claude Code's files, which the client reads as well, and missing trust in the
// folder.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	for _, f := range in.Files {
		if filepath.Base(filepath.Dir(f.Path)) == ".claude" && gjson.Get(f.Text, offSwitch).Type == gjson.True {
			found = append(found, client.Obstacle{Path: f.Path, Known: true,
				What: `"disableAllHooks" is true there, and Copilot CLI reads that file, too: it runs no hook`,
				Mend: `take "disableAllHooks" out of that file`})
		}
	}
	if in.HasEntry(files.User(in.Home, in.Getenv)) || // the user's entry runs everywhere
		in.Getenv("COPILOT_ALLOW_ALL") == "true" || in.Getenv("GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS") == "true" {
		return found
	}
	config := filepath.Join(userFolder(in.Where), "config.json")
	if text, err := os.ReadFile(config); err == nil && trusts(string(text), in.Workspace) {
		return found
	}
	return append(found, client.Obstacle{Path: config, Person: true,
		What: "nobody has trusted the folder, so Copilot CLI runs none of the project's hooks, without a word",
		Mend: "start copilot there and trust the folder; for copilot -p add --trust-folder",
	})
}

// trusts reports whether the client's list of trusted folders has the folder, or a folder above. The client writes
// comments above the list, which no JSON of its other files has.
func trusts(config, folder string) bool {
	config = config[max(0, strings.IndexByte(config, '{')):]
	return slices.ContainsFunc(client.Texts(gjson.Get(config, "trustedFolders")), func(trusted string) bool {
		relative, err := filepath.Rel(trusted, folder)
		return err == nil && filepath.IsLocal(relative)
	})
}

// answeringFiles returns the files whose entry answers instead of this process. The client runs the administrator's
// file, the user's hooks file, the project's, and Claude Code's settings; hooks of the user and the project get the
// folder of their file in a variable. If hookrun is in several, the strongest entry that is sure to run answers: the
// administrator's, then the user's, which needs no trust, or else the project's.
func answeringFiles(w client.Where) []string {
	user, project := files.User(w.Home, w.Getenv).Path, files.Project(w.Workspace).Path
	managed := installer{}.Managed(runtime.GOOS).Path
	switch from := w.Getenv(fileVariable); {
	case w.Getenv("COPILOT_CLI") == "":
		return nil
	case filepath.Clean(from) == filepath.Dir(user):
		return []string{managed}
	case from == "":
		return []string{managed, user, project}
	}
	return []string{managed, user}
}

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
