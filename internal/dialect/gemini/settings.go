package gemini

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

var settings = &dialect.Settings{
	Client: "Gemini CLI", Folder: ".gemini", Base: "settings.json",
	HomeVariable: "GEMINI_CLI_HOME",
	Top:          []dialect.Field{"hooks any", "hooksConfig object"},
	About:        2,
	// The list and the switch once stood under "hooks".
	Switches: []dialect.Field{"enabled boolean", "disabled strings", "notifications boolean"},
	Group:    []dialect.Field{"matcher string?", "sequential boolean", "hooks any"},
	Common: []dialect.Field{
		"type string", "name string", "description string", "timeout number", "env object",
	},
	Handlers: []dialect.HandlerType{
		{
			Name: "command", Required: 1, Members: []dialect.Field{"command string"},
			Same: []string{"name", "command"}, Kind: dialect.Runs,
		},
	},
	Pattern: newPattern,
	Timeout: dialect.TimeoutForm{Unit: time.Millisecond, Name: "milliseconds", Less: "microseconds", More: "seconds"},
	Bash:    true,
	Expand:  true,

	FolderVariables: []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD"},
	Written: []string{
		"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR",
	},
}
