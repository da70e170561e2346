package junie

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", before},
	WindowsShell: client.Cmd,
	Note: "hookrun was not tried with Junie CLI itself, see docs/clients/more-clients.md#junie-cli; hooks are an " +
		"early access feature there, the prompt has hooks in the terminal alone, and there is none after a tool. " +
		"Before a tool a rewrite, a question and a text for the model block the call",
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook at the prompt in batch mode", Event: protocol.PreExecute},
		{What: "runs no hook after a tool", Event: protocol.PostTool},
	},
	Program: "junie", Page: "more-clients.md#what-no-hook-sees-in-junie-cli",
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

// SilentBlock returns exit 2, with the same in the client's JSON.
func (installer) SilentBlock() (json string, exit int) {
	return `{"decision":"block","reason":"` + client.SilentReason + `"}`, 2
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	user := filepath.Dir(files.User(w.Home, w.Getenv).Path)
	return []client.ServerFile{{Path: filepath.Join(user, "mcp", "mcp.json"), Read: client.MCPServers},
		{Path: filepath.Join(w.Workspace, ".junie", "mcp", "mcp.json"), Read: client.MCPServers}}
}
