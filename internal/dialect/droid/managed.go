package droid

import (
	"github.com/hookrun/hookrun/internal/dialect"

	"github.com/hookrun/hookrun/internal/client"
)

// Managed describes the organisation's settings on this machine.
func (installer) Managed(system string) client.Managed {
	return client.Managed{
		Path: dialect.OnSystem(system, "/etc/factory/", "/Library/Application Support/Factory/",
			`C:\Program Files\Factory\`) + base,
		Only: []client.Pin{{Key: "allowManagedHooksOnly", Value: "true"}},
		Note: "with this file Droid does not ask Factory for the organisation's settings: what these say must be in " +
			"the file, too",
	}
}
