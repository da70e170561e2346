package vscode

import (
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// files are the client's own files, which Copilot CLI reads as well. hookrun reads the hooks in them by Copilot CLI's
// rules.
var files = &dialect.Files{
	Client: clientName, Folder: ".github/hooks", HomeFolder: ".copilot/hooks", Base: "hookrun.json",
	OnFault: dialect.TakesLast,
	Drops:   "; VS Code drops the entry for that, and tells its log alone",
	Reader:  reader{},
	Timeout: dialect.Unit(time.Second),
	Groups:  dialect.NoneGrouped,
}

type reader struct{}

func (reader) Normalize(*dialect.Document) {}
