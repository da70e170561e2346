// Package cursor is the part of a hooks.Loader for Cursor.
package cursor

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/cursor"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds Cursor.
var Part = hooks.Part(named.Client(cursor.Client))
