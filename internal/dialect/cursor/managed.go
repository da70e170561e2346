package cursor

import (
	"github.com/hookrun/hookrun/internal/dialect"

	"github.com/hookrun/hookrun/internal/client"
)

// Managed describes the hooks file for all users.
func (installer) Managed(system string) client.Managed {
	return client.Managed{Path: dialect.OnSystem(system, "/etc/cursor/", "/Library/Application Support/Cursor/",
		`C:\ProgramData\Cursor\`) + files.Base}
}
