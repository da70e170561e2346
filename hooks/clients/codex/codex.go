// Package codex is the part of a hooks.Loader for Codex.
package codex

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Codex.
var Part = hooks.Part(named.Client(codex.Client))
