// Package kiro is the part of a hooks.Loader for Kiro CLI.
package kiro

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/kiro"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Kiro CLI.
var Part = hooks.Part(named.Client(kiro.Client))
