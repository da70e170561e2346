package windsurf

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	// An input of pre_mcp_tool_use alone names the tool, so doctor tries this entry.
	Events: []string{prompt, "pre_mcp_tool_use", "pre_read_code", "pre_write_code", "pre_run_command",
		"post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"},
	WindowsShell: client.PowerShell,
	Note: "hookrun was not tried with Windsurf itself, see docs/clients/more-clients.md#windsurf; Windsurf reads " +
		"no answer after a tool. Before a tool a rewrite, a question and a text for the model block the call",
	HooklessActions: []client.HooklessAction{
		{What: "reads no answer of a hook after a tool", Event: protocol.PostTool},
		{What: "runs no hook for searches, the browser and the web", Event: protocol.PreTool,
			Tools: []string{"fs_glob", "fs_grep", "fs_list", "web_fetch", "web_search"}},
	},
	Program: "windsurf", Page: "more-clients.md#what-no-hook-sees-in-windsurf",
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "", "windsurf" }

func (installer) EntryMembers(s client.Shell) (commandKey, more string) {
	if s == client.PowerShell {
		return "powershell", `"show_output":true`
	}
	return client.CommandKey, `"show_output":true`
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	return []client.ServerFile{{Path: filepath.Join(w.Home, ".codeium", "windsurf", "mcp_config.json"),
		Read: client.MCPServers}}
}
