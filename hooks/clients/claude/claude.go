// Package claude is the part of a hooks.Loader for Claude Code.
package claude

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Claude Code.
var Part = hooks.Part(named.Client(claude.Client))
