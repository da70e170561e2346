package droid

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

// settings are those of settings.json, under "hooks", and of hooks.json, at the top level. Where that holds, the hooks
// of the other do not count. One wrong entry, and the client goes on without all hooks of the file.
var settings = &dialect.Settings{
	Client: "Droid", Folder: ".factory", Base: "settings.json", TopEvents: "hooks.json", Others: []string{"hooks.json"},
	Top:       []dialect.Field{"hooks object"},
	About:     1,
	Within:    []dialect.Field{"hooksDisabled boolean", "showHookOutput boolean"},
	OnFault:   dialect.DropsFile,
	Group:     []dialect.Field{"matcher string", "commandRegex string", "hooks any"},
	CommandOf: "Execute",
	Common:    []dialect.Field{"type string", "timeout number"},
	Handlers: []dialect.HandlerType{
		{Name: "command", Required: 1, Members: []dialect.Field{"command string"}, Kind: dialect.Runs},
	},
	Pattern: newPattern,
	Timeout: dialect.TimeoutForm{
		Unit: time.Second, Name: "seconds", Less: "milliseconds", Zero: timeout, Negative: time.Second,
	},
	FolderVariables: folders,
	Drops:           "; Droid goes on without all hooks of the file for that, without a word",
}

// timeout is that of a hook that sets none.
const timeout = time.Minute

// folders are the variables with the folder of the project.
var folders = []string{"FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}
