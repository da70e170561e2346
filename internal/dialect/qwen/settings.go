package qwen

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

const folderVariable = "QWEN_HOME"

var settings = &dialect.Settings{
	Client: client, Folder: ".qwen", Base: "settings.json",
	FolderVariable: folderVariable,
	Top:            []dialect.Field{"hooks any", "disableAllHooks any"},
	About:          2,
	Off:            "disableAllHooks",
	Switches:       []dialect.Field{"enabled any", "disabled any", "notifications any"},
	Group:          []dialect.Field{"matcher string?", "sequential any", "hooks any"},
	Common: []dialect.Field{
		"type string", "name string", "description string", "timeout any", "env object", "statusMessage string",
	},
	Handlers: []dialect.HandlerType{
		{
			Name: "command", Required: 1, Members: []dialect.Field{"command any", "async any", "shell bash|powershell"},
			Same: []string{"name", "command"}, Kind: dialect.Runs,
		},
		// What the client makes of their answers was not recorded.
		{Name: "http", Required: 1, Members: []dialect.Field{"url string", "headers object", "allowedEnvVars strings"}},
		{Name: "prompt", Required: 1, Members: []dialect.Field{"prompt string", "model string"}},
	},
	Pattern: newPattern,
	OnFault: dialect.DropsEntry, MatcherStops: true, OneOfName: true,
	Timeout: dialect.TimeoutForm{Unit: time.Second, Name: "seconds", Less: "milliseconds", Milliseconds: 1000,
		Odd: true},
	Bash:   true,
	Expand: true,

	FolderVariables: []string{"QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"},
	Drops:           "; Qwen Code drops it for that, without a word",
}
