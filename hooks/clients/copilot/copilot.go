// Package copilot is the part of a hooks.Loader for Copilot CLI.
package copilot

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/copilot"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Copilot CLI.
var Part = hooks.Part(named.Client(copilot.Client))
