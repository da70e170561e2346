package clients

import "github.com/hookrun/hookrun/internal/clients/client"

// Add is the line in the list that a new client needs.
func Add(c *client.Client) (remove func()) {
	before := every
	every = &Set{clients: func() []*client.Client { return append(before.clients(), c) }, protocols: before.protocols}
	return func() { every = before }
}
