package droid

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse"},
	WindowsShell: client.Cmd,
	JSON:         client.WithComments,
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook after a tool that failed", Event: protocol.PostTool},
		{What: "runs no hook at the prompt of droid exec", Event: protocol.PreExecute},
		{What: "runs a custom command that is a script without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}},
	},
	Program: "droid", Page: "droid.md#what-no-hook-sees",
	Versions:  []string{"0.215.0"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "factory", "" }

func (installer) Instead() string { return instead }

func (installer) Switches(doc string) []client.Switch {
	return client.OffIfTrue(doc, "hooks.hooksDisabled",
		`"hooks" has "hooksDisabled": true, so Droid runs no hook`,
		`take "hooksDisabled" out of "hooks" in that file`)
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	return client.ServerFiles(files, w, "mcp.json", func(doc string) []client.Server {
		var off []string
		for key, v := range gjson.Get(doc, "mcpServers").ForEach {
			if v.Get("disabled").Bool() {
				off = append(off, key.String())
			}
		}
		return client.ServersOf(gjson.Get(doc, "mcpServers"), off)
	})
}

// Obstacles reports a hooks.json beside the file with the entry, because the client then reads hooks.json only.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	for _, file := range in.Files {
		if filepath.Base(file.Path) != instead || !gjson.Valid(file.Text) ||
			gjson.Get(file.Text, "hooks").Exists() {
			continue
		}
		if in.HasEntry(dialect.Place{Path: file.Path}) {
			found = append(found, client.Obstacle{
				Path: file.Path, What: "Droid takes the hooks of this file and not those of " + base +
					" beside it, in which hookrun is", Known: true,
				Mend: `move its events to "hooks" in ` + base + ", and remove the file",
			})
		}
	}
	return found
}

// Managed describes the organisation's settings on this machine.
func (installer) Managed(system string) client.Managed {
	return client.Managed{
		Path: dialect.OnSystem(system, "/etc/factory/", "/Library/Application Support/Factory/",
			`C:\Program Files\Factory\`) + base,
		Only: []client.Pin{{Key: "allowManagedHooksOnly", Value: "true"}},
		Note: "with this file Droid does not ask Factory for the organisation's settings: what these say must be in " +
			"the file, too",
	}
}
