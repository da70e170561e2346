// Package rules is the part of a hooks.Loader for the rules of an "if", the ready rules of "packs", and a rule in the
// Match of a runner.Hook.
package rules

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/rules"
)

// Part has all rules and packs.
var Part = hooks.Part(host.NewPart(func(p *host.Parts) { p.Rules = rules.All }))
