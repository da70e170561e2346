package cursor

import "github.com/hookrun/hookrun/internal/dialect"

// Managed describes the hooks file for all users.
func (installer) Managed(system string) dialect.Managed {
	return dialect.Managed{Path: dialect.OnSystem(system, "/etc/cursor/", "/Library/Application Support/Cursor/",
		`C:\ProgramData\Cursor\`) + files.Base}
}
