// Package parts has all that hookrun knows beside its own form: what the binary hands to the loader of hooks files.
package parts

import (
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/rules"
)

// All returns all clients, rules and packs, and the sender of requests.
func All() hookfile.Parts {
	return hookfile.Parts{Clients: registry.All(), Rules: rules.All, Requests: httphook.Requests}
}
