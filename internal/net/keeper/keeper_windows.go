package keeper

import (
	"errors"

	"github.com/hookrun/hookrun/internal/core/engine"
)

// In returns nil: on Windows no process stays between calls.
func In(_, _ string) engine.Keeper { return nil }

// Run is for other systems.
func Run() (exit int) { return 1 }

// List returns nothing.
func List(string) []Info { return nil }

// End is for other systems.
func (*Info) End() error { return nil }

// Fault returns why nothing can be kept.
func Fault(_, _ string) error { return errors.New("on Windows no process stays between calls") }
