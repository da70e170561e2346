package cline

import (
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// settings is where the executables are.
var settings = &dialect.Settings{
	Client: client, Folder: ".clinerules/hooks", HomeFolder: ".cline/hooks", FolderVariable: "CLINE_DIR",
	Base:    string(before),
	Timeout: dialect.TimeoutForm{Unit: time.Millisecond, Name: "milliseconds"},
}

var install = &dialect.Installation{
	Events: []string{string(before), string(after)},
	// The client reads no exit code. By the #! line of the script it starts sh on Windows, too.
	NoAnswer: dialect.NoAnswer{JSON: `{"cancel":true,"errorMessage":"` + dialect.SilentReason + `"}`},
	Asks: "Cline waits for no hook at the prompt, so pre-execute hooks do not run in it; a block before a tool ends " +
		"its run and tells nobody why: hookrun log has the reason",
	OwnFiles: executables(),
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
func executables() (files []dialect.OwnFile) {
	for _, e := range []protocol.Event{before, after, "TaskStart", "TaskResume", "TaskComplete", "TaskCancel",
		"TaskError", "SessionShutdown"} {
		files = append(files, dialect.OwnFile{Base: string(e), Events: []string{string(e)}, Executable: true,
			Comment: "#", Text: script})
	}
	return files
}

// script is an executable that gives hookrun the call on its stdin.
func script(call dialect.OwnCall) string { return "#!/bin/sh\n" + call.Command + "\n" }
