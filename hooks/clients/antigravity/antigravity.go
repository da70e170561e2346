// Package antigravity is the part of a hooks.Loader for Antigravity CLI.
package antigravity

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/antigravity"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Antigravity CLI.
var Part = hooks.Part(named.Client(antigravity.Client))
