package cline

import (
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// files is where the executables are.
var files = &dialect.Files{
	Client: client, Folder: ".clinerules/hooks", HomeFolder: ".cline/hooks", FolderVariable: "CLINE_DIR",
	Base:    string(before),
	Timeout: dialect.Unit(time.Millisecond),
}

var install = &dialect.Installation{
	Events: []string{string(before), string(after)},
	// The client reads no exit code. By the #! line of the script it starts sh on Windows, too.
	NoAnswer: dialect.NoAnswer{JSON: `{"cancel":true,"errorMessage":"` + dialect.SilentReason + `"}`},
	Asks: "Cline waits for no hook at the prompt, so pre-execute hooks do not run in it; a block before a tool ends " +
		"its run and tells nobody why: hookrun log has the reason",
	OwnFiles: executables,
	Servers: func(w dialect.Where, _ func(path string) string) []dialect.ServerFile {
		folder := w.Getenv("CLINE_DIR")
		if folder == "" {
			folder = filepath.Join(w.Home, ".cline")
		}
		path := filepath.Join(folder, "data", "settings", "cline_mcp_settings.json")
		return []dialect.ServerFile{{Path: path, Read: func(doc string) []dialect.Server {
			return dialect.ServersOf(gjson.Get(doc, "mcpServers"), nil)
		}}}
	},
	Unseen: []dialect.Unseen{
		{What: "waits for no hook at the prompt", Event: protocol.PreExecute},
	},
	Program:   "cline",
	Versions:  []string{"3.0.65"},
	Variables: []string{"CLINE_BUILD_ENV"},
}

// executables are those of the events that every entry is for, and of each other that hooks may ask for.
var executables = []dialect.OwnFile{
	{Base: string(before), Events: []string{string(before)}, Executable: true, Comment: "#", Text: script},
	{Base: string(after), Events: []string{string(after)}, Executable: true, Comment: "#", Text: script},
	{Base: "TaskStart", Events: []string{"TaskStart"}, Executable: true, Comment: "#", Text: script},
	{Base: "TaskResume", Events: []string{"TaskResume"}, Executable: true, Comment: "#", Text: script},
	{Base: "TaskComplete", Events: []string{"TaskComplete"}, Executable: true, Comment: "#", Text: script},
	{Base: "TaskCancel", Events: []string{"TaskCancel"}, Executable: true, Comment: "#", Text: script},
	{Base: "TaskError", Events: []string{"TaskError"}, Executable: true, Comment: "#", Text: script},
	{Base: "SessionShutdown", Events: []string{"SessionShutdown"}, Executable: true, Comment: "#", Text: script},
}

// script is an executable that gives hookrun the call on its stdin.
func script(call dialect.OwnCall) string { return "#!/bin/sh\n" + call.Command + "\n" }
