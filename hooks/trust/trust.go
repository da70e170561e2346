// Package trust is the part of a hooks.Loader for the Trust and Pin of runner.Options, and for the "trust" of a hooks
// file: it compares hooks files and scripts with the files that a person has allowed.
package trust

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/trust"
)

// Part checks trust.
var Part = hooks.Part(host.NewPart(func(p *host.Parts) { p.Trust = trust.Check }))
