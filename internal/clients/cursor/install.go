package cursor

import (
	"runtime"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

var install = &client.Installation{
	Events:       []string{"beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"},
	WindowsShell: client.PowerShell,
	JSON:         client.WithoutMark,
	Note:         "hookrun was not tried with Cursor itself, see docs/clients/cursor.md",
	Program:      "cursor-agent", Page: "cursor.md#what-no-hook-sees",
	Variables: []string{"CURSOR_VERSION"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "cursor-cli $CURSOR_AGENT", "cursor" }

func (installer) Head() string { return `"version":1` }

func (installer) EntryMembers(client.Shell) (commandKey, more string) {
	return client.CommandKey, `"failClosed":true`
}

// FitHint writes an address for curl without //, because the client takes // for the start of a comment, even in a
// string.
func (installer) FitHint(text string) string {
	return strings.ReplaceAll(text, "https://", "--proto-default https ")
}

func (installer) AlsoRuns() []string { return []string{"claude"} }

// Obstacles returns the trust in the workspace, which no file shows.
func (installer) Obstacles(in *client.Installed) []client.Obstacle {
	if !in.HasEntry(files.Project(in.Workspace)) {
		return nil
	}
	return []client.Obstacle{{Person: true, Mend: "open the folder in Cursor and trust the workspace",
		What: "Cursor runs a project's hooks only in a workspace that its user has trusted"}}
}

// OtherFiles returns the settings of all users.
func (installer) OtherFiles(client.Where) (_, strongest, _ []string) {
	return nil, []string{installer{}.Managed(runtime.GOOS).Path}, nil
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	return client.ServerFiles(files, w, "mcp.json", client.MCPServers)
}

// Managed describes the hooks file for all users.
func (installer) Managed(system string) client.Managed {
	return client.Managed{Path: dialect.OnSystem(system, "/etc/cursor/", "/Library/Application Support/Cursor/",
		`C:\ProgramData\Cursor\`) + files.Base}
}
