// Package massgen is the part of a hooks.Loader for MassGen.
package massgen

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds MassGen.
var Part = hooks.Part(named.Dialect(massgen.Dialect))
