package kiro

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{prompt, before, after},
	WindowsShell: client.Cmd,
	Note: "hookrun was not tried with Kiro itself, see docs/clients/more-clients.md#kiro-cli; Kiro CLI runs the " +
		"hooks of the agent in use alone: start kiro-cli chat --agent hookrun, or copy \"hooks\" into your own " +
		"agent's file. After a tool it reads no answer, and before a tool a rewrite, a question and a text for the " +
		"model block the call",
	HooklessActions: []client.HooklessAction{
		{What: "reads no answer of a hook after a tool", Event: protocol.PostTool},
		{What: "runs no hook of another agent", Event: protocol.PreTool},
	},
	Program: "kiro-cli", Page: "more-clients.md#what-no-hook-sees-in-kiro-cli",
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "kiro-cli-chat", "kiro" }

// Head returns the members of an agent with all tools. Without "tools" an agent has none.
func (installer) Head() string {
	return `"name":"hookrun","description":"the default agent, with the hooks of this project","tools":["*"]`
}

// EntryMembers sets the timeout, in the client's own key. After the default of 30 seconds the tool would run.
func (installer) EntryMembers(client.Shell) (commandKey, more string) {
	return client.CommandKey, `"timeout_ms":600000`
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	servers := client.ServerFiles(files, w, files.Base, client.MCPServers)
	for _, root := range []string{w.Workspace, w.Home} {
		servers = append(servers, client.ServerFile{Path: filepath.Join(root, ".kiro", "settings", "mcp.json"),
			Read: client.MCPServers})
	}
	return servers
}
