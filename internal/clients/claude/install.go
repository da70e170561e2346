package claude

import (
	"cmp"
	"fmt"
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
	Events:       []string{"UserPromptSubmit", "PreToolUse", skillCommand, "PostToolUse", "PostToolUseFailure"},
	WindowsShell: client.PowerShell,
	HooklessActions: []client.HooklessAction{
		{What: "gives the report of a background agent as a prompt, not as a result",
			Event: protocol.PostTool, Tools: []string{"delegate"}},
		{What: "before 2.1.332 runs the commands in skills and slash commands without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}, Until: "2.1.332"},
		{What: "gives the output of a command in a skill as text of the skill, not as a result",
			Event: protocol.PostTool, Tools: []string{"shell"}},
	},
	Program: "claude", Page: "claude-code.md#what-no-hook-sees",
	Versions:  []string{"2.1.332", "2.1.329"},
	Variables: []string{"CLAUDECODE"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$CLAUDE_CODE $CLAUDE_CODE_ENTRYPOINT", "" }

// EntryMembers adds "shell" on Windows. Without it the client uses Git's bash, and PowerShell only if bash is missing.
func (installer) EntryMembers(s client.Shell) (commandKey, more string) {
	if s == client.PowerShell {
		more = `"shell":"powershell"`
	}
	return client.CommandKey, more
}

func (installer) Switches(doc string) []client.Switch {
	return client.OffIfTrue(doc, offSwitch, `"disableAllHooks" is true, so Claude Code runs no hook`,
		`take "disableAllHooks" out of that file`)
}

// OtherFiles returns the administrator's settings, which override all others.
func (installer) OtherFiles(client.Where) (_, strongest, _ []string) {
	folder := managedFolder(runtime.GOOS)
	more, _ := filepath.Glob(filepath.Join(folder, "managed-settings.d", "*.json"))
	return nil, append([]string{filepath.Join(folder, policyFile)}, more...), nil
}

const policyFile = "managed-settings.json"

// Obstacles returns the administrator's policies, the modes without hooks, and variables that lead to another hookrun.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	say := func(path, text, mend string) {
		found = append(found, client.Obstacle{Path: path, What: text, Mend: mend, Known: true})
	}
	for _, file := range in.Files {
		for key := range gjson.Get(file.Text, "env").ForEach {
			if name := key.String(); redirects(name) {
				const text = `"env" sets %s, which can lead to another hookrun or to other files of its; the test ` +
					"call runs without it"
				project := strings.HasPrefix(file.Path, in.Workspace+string(filepath.Separator))
				found = append(found, client.Obstacle{Path: file.Path, What: fmt.Sprintf(text, name), Known: project,
					Mend: `take it out of "env" there`})
			}
		}
		if name := filepath.Base(file.Path); name != policyFile &&
			filepath.Base(filepath.Dir(file.Path)) != "managed-settings.d" {
			continue
		}
		const ask = "ask the administrator to have hookrun in that file"
		if gjson.Get(file.Text, "allowManagedHooksOnly").Type == gjson.True && !in.Managed {
			say(file.Path, `"allowManagedHooksOnly" is true, so Claude Code runs the administrator's hooks alone`, ask)
		}
		only := gjson.Get(file.Text, "strictPluginOnlyCustomization")
		if !in.Managed && (only.Type == gjson.True || slices.Contains(client.Texts(only), "hooks")) {
			say(file.Path, `"strictPluginOnlyCustomization" leaves hooks to plugins`, ask)
		}
	}
	for _, name := range []string{"CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"} {
		if value := in.Getenv(name); value != "" && value != "0" && value != "false" {
			say("", "$"+name+" is set, and Claude Code runs no hook then", "unset "+name)
		}
	}
	return found
}

// redirects reports whether a variable decides which hookrun runs, or which files it reads.
func redirects(name string) bool {
	return slices.Contains([]string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "ENV", "BASH_ENV", "LD_PRELOAD", "CLAUDE_PROJECT_DIR",
	}, name)
}

// Servers returns the files with MCP servers: .mcp.json in the project and in the folders above, and the user's
// .claude.json, with servers for all projects or for one. The settings can switch servers of .mcp.json off.
func (installer) Servers(w client.Where, read func(path string) string) (all []client.ServerFile) {
	var disabled []string
	for _, place := range []dialect.Place{files.Project(w.Workspace), files.User(w.Home, w.Getenv)} {
		for _, base := range append([]string{files.Base}, files.Others...) {
			doc := read(filepath.Join(filepath.Dir(place.Path), base))
			disabled = append(disabled, client.Texts(gjson.Get(doc, "disabledMcpjsonServers"))...)
		}
	}
	ofProject := func(dir string) {
		read := func(doc string) []client.Server {
			return client.ServersOf(gjson.Get(doc, "mcpServers"), disabled)
		}
		all = append(all, client.ServerFile{Path: filepath.Join(dir, ".mcp.json"), Read: read})
	}
	workspace, err := real(w.Workspace)
	if err != nil {
		workspace = w.Workspace
	}
	ofProject(w.Workspace)
	for dir := workspace; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		ofProject(dir)
	}
	folder := cmp.Or(w.Getenv(folderVariable), w.Home)
	if folder == "" {
		return all
	}
	ofUser := func(doc string) []client.Server {
		all := client.ServersOf(gjson.Get(doc, "mcpServers"), nil)
		for key, project := range gjson.Get(doc, "projects").ForEach {
			place, err := real(key.String())
			if w.AllProjects || key.String() == workspace || err == nil && place == workspace {
				all = append(all, client.ServersOf(project.Get("mcpServers"), nil)...)
			}
		}
		return all
	}
	return append(all, client.ServerFile{Path: filepath.Join(folder, ".claude.json"), Read: ofUser})
}

// real returns the absolute path of a folder without symbolic links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func managedFolder(system string) string {
	return dialect.OnSystem(system, "/etc/claude-code/", "/Library/Application Support/ClaudeCode/",
		`C:\Program Files\ClaudeCode\`)
}

// Managed describes a file of hookrun's own beside the administrator's settings. The client merges all of the folder.
func (installer) Managed(system string) client.Managed {
	const off = `{"disableAllHooks": true, "hooks": {}}`
	return client.Managed{
		Path: managedFolder(system) + dialect.OnSystem(system, "managed-settings.d/", "managed-settings.d/",
			`managed-settings.d\`) + "hookrun.json",
		Only: []client.Pin{{Key: "allowManagedHooksOnly", Value: "true"}},
		Note: "settings that the organisation's server gives Claude Code take the place of all files: have the entry " +
			"there, too",
		Trial: client.Trial{
			Args: []string{"-p"},
			Env: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1"},
			Home:  map[string]string{".claude/settings.json": off},
			There: map[string]string{".claude/settings.json": off, ".claude/settings.local.json": off},
		},
	}
}
