// Package windsurf is the part of a hooks.Loader for Windsurf.
package windsurf

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/named"
	"github.com/hookrun/hookrun/internal/clients/windsurf"
)

// Part adds Windsurf.
var Part = hooks.Part(named.Client(windsurf.Client))
