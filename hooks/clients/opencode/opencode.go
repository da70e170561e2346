// Package opencode is the part of a hooks.Loader for OpenCode.
package opencode

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/named"
	"github.com/hookrun/hookrun/internal/clients/opencode"
)

// Part adds OpenCode.
var Part = hooks.Part(named.Client(opencode.Client))
