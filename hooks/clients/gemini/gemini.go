// Package gemini is the part of a hooks.Loader for Gemini CLI.
package gemini

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Gemini CLI.
var Part = hooks.Part(named.Client(gemini.Client))
