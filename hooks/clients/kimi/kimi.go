// Package kimi is the part of a hooks.Loader for Kimi Code.
package kimi

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/kimi"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Kimi Code.
var Part = hooks.Part(named.Client(kimi.Client))
