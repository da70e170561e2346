package cursor

import (
	"runtime"

	"github.com/hookrun/hookrun/internal/dialect"
)

var install = &dialect.Installation{
	Events:  []string{"beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"},
	OrBlock: dialect.OrBlockAndSay,
	Asks: "Cursor runs a project's hooks only in a workspace that its user has trusted; hookrun was not tried with " +
		"Cursor itself, see docs/dialects/cursor.md",
	LoginShell: true,
	NoMark:     true,
	NoURLs:     true,
	Head:       `"version":1`,
	Extra:      `"failClosed":true`,
	// The settings of all users.
	Machine: func(getenv func(string) string) (weakest, strongest []string) {
		switch runtime.GOOS {
		case "darwin":
			return nil, []string{"/Library/Application Support/Cursor/hooks.json"}
		case "windows":
			return nil, []string{`C:\ProgramData\Cursor\hooks.json`}
		}
		return nil, []string{"/etc/cursor/hooks.json"}
	},
	AlsoRuns:  []string{"claude"},
	Program:   "cursor-agent",
	Variables: []string{"CURSOR_VERSION"},
	Servers: func(w dialect.Where, _ func(path string) string) []dialect.ServerFile {
		return settings.ServerFiles(w, "mcp.json", dialect.MCPServers)
	},
}
