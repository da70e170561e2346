package cline

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// files has the folders of the executables.
var files = &dialect.Files{
	Client: clientName, Folder: ".clinerules/hooks", HomeFolder: ".cline/hooks", FolderVariable: "CLINE_DIR",
	Base:    string(before),
	Timeout: dialect.Unit(time.Millisecond),
}

var install = &client.Installation{
	Events: []string{string(before), string(after)},
	Note: "Cline waits for no hook at the prompt, so pre-execute hooks do not run in it; a block before a tool ends " +
		"its run and tells nobody why: hookrun explain --last has the reason",
	HooklessActions: []client.HooklessAction{
		{What: "waits for no hook at the prompt", Event: protocol.PreExecute},
	},
	Program: "cline", Page: "cline.md#what-no-hook-sees",
	Versions:  []string{"3.0.65"},
	Variables: []string{"CLINE_BUILD_ENV"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$CLINE_ACTIVE", "" }

// OwnFiles returns the executables: of the events of every entry, and of all other events that hooks may need.
func (installer) OwnFiles() (executables []client.OwnFile) {
	for _, event := range []string{string(before), string(after), "TaskStart", "TaskResume", "TaskComplete",
		"TaskCancel", "TaskError", "SessionShutdown"} {
		executables = append(executables, client.OwnFile{
			Base: event, Events: []string{event}, Executable: true, Comment: "#", Text: script})
	}
	return executables
}

// SilentBlock returns JSON alone, because the client reads no exit code. The client starts the script with sh on
// Windows too, by the #! line.
func (installer) SilentBlock() (json string, exit int) {
	return `{"cancel":true,"errorMessage":"` + client.SilentReason + `"}`, 0
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	folder := cmp.Or(w.Getenv("CLINE_DIR"), filepath.Join(w.Home, ".cline"))
	path := filepath.Join(folder, "data", "settings", "cline_mcp_settings.json")
	return []client.ServerFile{{Path: path, Read: client.MCPServers}}
}

// script returns an executable that passes the call on stdin to hookrun.
func script(call client.OwnCall) string { return "#!/bin/sh\n" + call.Command + "\n" }
