// Package crush is the part of a hooks.Loader for Crush.
package crush

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/crush"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Crush.
var Part = hooks.Part(named.Client(crush.Client))
