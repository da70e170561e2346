package kimi

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"},
	WindowsShell: client.Cmd,
	Note: "Kimi Code reads no answer after a tool and does not wait for it: a hook there can neither give the " +
		"model a text nor change or withhold the result. Before a tool a rewrite, a question and a text for the " +
		"model block the call, and a message to the user is shown to nobody",
	HooklessActions: []client.HooklessAction{
		{What: "waits for no hook after a tool", Event: protocol.PostTool},
	},
	Program: "kimi", Page: "kimi.md#what-no-hook-sees",
	Versions:  []string{"2.1.0"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	ofProject := client.ServerFile{Path: filepath.Join(w.Workspace, ".mcp.json"), Read: servers}
	return append(client.ServerFiles(files, w, "mcp.json", servers), ofProject)
}

func servers(doc string) []client.Server {
	var off []string
	for key, v := range gjson.Get(doc, "mcpServers").ForEach {
		if v.Get("enabled").Type == gjson.False {
			off = append(off, key.String())
		}
	}
	return client.ServersOf(gjson.Get(doc, "mcpServers"), off)
}
