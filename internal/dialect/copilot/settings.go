package copilot

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
)

// settings is the form of the client's files, with the matchers of the events in Claude Code's spelling.
var settings = &dialect.Settings{
	Client: "Copilot CLI", Folder: ".github/hooks", HomeFolder: ".copilot/hooks",
	Folders: []string{".github/copilot", ".copilot"},
	// The installed entry has a file of its own, which nobody else writes.
	Base: "hookrun.json", Others: []string{"../copilot/settings.json", "../copilot/settings.local.json"},
	FolderVariable: "COPILOT_HOME",
	Top:            []dialect.Field{"version 1", "hooks object", "disableAllHooks boolean"},
	About:          3,
	Off:            "disableAllHooks",
	Group:          []dialect.Field{"matcher string", "hooks any"},
	Common:         []dialect.Field{"type string", "matcher string", "timeoutSec number", "timeout number"},
	Handlers: []dialect.HandlerType{
		{Name: "command", Members: []dialect.Field{"bash string", "command string", "powershell string",
			"exec string", "args strings", "cwd string", "env texts"}, Kind: dialect.Runs},
		{Name: "http", Required: 1, Members: []dialect.Field{"url string", "headers object",
			"allowedEnvVars strings"}, Kind: dialect.Posts},
		{Name: "prompt", Members: []dialect.Field{"prompt string"}},
	},
	Pattern: func(text, subject string) dialect.Pattern { return newPattern(true, text, subject) },
	Timeout: dialect.TimeoutForm{Unit: time.Second, Name: "seconds", Key: "timeoutSec", Less: "milliseconds"},
	Bash:    true,

	Flat: true, DefaultType: "command", OnFault: dialect.TakesLast,
	Commands:        []string{"bash", "command", "powershell"},
	Exec:            "exec",
	FileVariable:    "COPILOT_HOOK_DIR",
	FolderVariables: []string{"COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
	Drops:           "; Copilot CLI drops the entry or the file for that, and tells its log file alone",
}
