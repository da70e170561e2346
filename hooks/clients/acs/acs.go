// Package acs is the part of a hooks.Loader for acs.
package acs

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/acs"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds acs.
var Part = hooks.Part(named.Dialect(acs.Dialect))
