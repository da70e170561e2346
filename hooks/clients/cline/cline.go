// Package cline is the part of a hooks.Loader for Cline.
package cline

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/cline"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Cline.
var Part = hooks.Part(named.Client(cline.Client))
