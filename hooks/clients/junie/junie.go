// Package junie is the part of a hooks.Loader for Junie CLI.
package junie

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/junie"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Junie CLI.
var Part = hooks.Part(named.Client(junie.Client))
