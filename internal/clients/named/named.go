// Package named makes the part of a hooks.Loader for one client.
package named

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/set"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
)

// Client returns the part for a client.
func Client(c *client.Client) host.Part {
	return host.NewPart(func(p *host.Parts) { p.Clients = known(p).With(c) })
}

// Dialect returns the part for a protocol without a client.
func Dialect(d *dialect.Dialect) host.Part {
	return host.NewPart(func(p *host.Parts) { p.Clients = known(p).With(nil, d) })
}

// known returns the clients of the earlier parts.
func known(p *host.Parts) *set.Set {
	if s, ok := p.Clients.(*set.Set); ok {
		return s
	}
	return new(set.Set)
}
