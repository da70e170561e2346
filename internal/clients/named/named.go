// Package named makes a client that a Go program names a part of a loader.
package named

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/set"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
)

// Client returns the part that adds a client.
func Client(c *client.Client) host.Part {
	return host.NewPart(func(p *host.Parts) { p.Clients = known(p).With(c) })
}

// Dialect returns the part that adds a protocol that no client speaks.
func Dialect(d *dialect.Dialect) host.Part {
	return host.NewPart(func(p *host.Parts) { p.Clients = known(p).With(nil, d) })
}

// known returns the clients that earlier parts have added.
func known(p *host.Parts) *set.Set {
	if s, ok := p.Clients.(*set.Set); ok {
		return s
	}
	return new(set.Set)
}
