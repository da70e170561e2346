// Package parts has all that hookrun knows beside its own form: what the binary hands to the loader of hooks files.
package parts

import (
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hookfile"
)

// All returns all clients.
func All() hookfile.Parts { return hookfile.Parts{Clients: registry.All()} }
