//go:build !unix

package projecthooks

import (
	"io/fs"
	"strings"
)

// shell runs string commands; it comes with Git for Windows and must be in PATH.
const shell = "sh"

// sameVariable: on Windows it is mostly Path.
func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// inspectProgram has nothing to add where files have neither #! lines nor mode bits: that a program is there was found
// out before.
func inspectProgram(path, name, workspace string, env []string, byShell bool) []string { return nil }

func worldWritable(info fs.FileInfo, name string) string { return "" }
