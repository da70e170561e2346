// Package parts has all that hookrun knows beside its own form: what the binary hands to the loader of hooks files.
package parts

import (
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/net/httphook"
	"github.com/hookrun/hookrun/internal/rules"
)

// All returns all clients, rules and packs, and the sender of requests.
func All() hookfile.Parts {
	return hookfile.Parts{Clients: clients.All(), Rules: rules.All, Requests: httphook.Requests}
}
