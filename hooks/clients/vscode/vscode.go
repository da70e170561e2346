// Package vscode is the part of a hooks.Loader for VS Code.
package vscode

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/named"
	"github.com/hookrun/hookrun/internal/clients/vscode"
)

// Part adds VS Code.
var Part = hooks.Part(named.Client(vscode.Client))
