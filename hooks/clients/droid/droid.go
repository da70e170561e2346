// Package droid is the part of a hooks.Loader for Droid.
package droid

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/droid"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Droid.
var Part = hooks.Part(named.Client(droid.Client))
