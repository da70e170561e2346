package cursor

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/dialect"
)

var install = &dialect.Installation{
	Events:    []string{"beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"},
	OnWindows: dialect.CommandForm{Shell: dialect.PowerShell},
	Asks: "Cursor runs a project's hooks only in a workspace that its user has trusted; hookrun was not tried with " +
		"Cursor itself, see docs/dialects/cursor.md",
	LoginShell: true,
	NoMark:     true,
	NoURLs:     true,
	Head:       `"version":1`,
	Extra:      `"failClosed":true`,
	// The settings of all users.
	Machine: func(getenv func(string) string) (weakest, strongest []string) {
		folder := dialect.MachineFolder("/etc/cursor", "/Library/Application Support/Cursor", `C:\ProgramData\Cursor`)
		return nil, []string{filepath.Join(folder, files.Base)}
	},
	AlsoRuns:  []string{"claude"},
	Program:   "cursor-agent",
	Variables: []string{"CURSOR_VERSION"},
	Servers: func(w dialect.Where, _ func(path string) string) []dialect.ServerFile {
		return files.ServerFiles(w, "mcp.json", dialect.MCPServers)
	},
}
