package droid

import "github.com/hookrun/hookrun/internal/dialect"

// Managed describes the organisation's settings on this machine.
func (installer) Managed(system string) dialect.Managed {
	return dialect.Managed{
		Path: dialect.OnSystem(system, "/etc/factory/", "/Library/Application Support/Factory/",
			`C:\Program Files\Factory\`) + base,
		Only: []dialect.Pin{{Key: "allowManagedHooksOnly", Value: "true"}},
		Note: "with this file Droid does not ask Factory for the organisation's settings: what these say must be in " +
			"the file, too",
	}
}
