package clients

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/set"
)

// Add is the line in the list that a new client needs.
func Add(c *client.Client) (remove func()) {
	before := every
	every = &set.Set{Members: func() []*client.Client { return append(before.Clients(), c) }, Protocols: protocols}
	return func() { every = before }
}
