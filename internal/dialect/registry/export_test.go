package registry

import "github.com/hookrun/hookrun/internal/dialect"

// Add is the line in the list that a new dialect needs.
func Add(d *dialect.Dialect) (remove func()) {
	before := every
	every = &Set{clients: func() []*dialect.Dialect { return append(before.clients(), d) }}
	return func() { every = before }
}
