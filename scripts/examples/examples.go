// Package examples has the example hooks that are also a part of hookrun.
package examples

import _ "embed"

// BlockDangerousShell is the script of the preset "shell".
//
//go:embed block-dangerous-shell.sh
var BlockDangerousShell string
