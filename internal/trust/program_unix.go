//go:build unix

package trust

import (
	"strings"

	"golang.org/x/sys/unix"
)

// shellPath is the shell of string commands, which is not looked for in PATH.
const shellPath = "/bin/sh"

// programEndings are what the system adds to the name of a program.
func programEndings([]string) []string { return nil }

// betweenFiles are the characters between the files in a variable.
const betweenFiles = " :="

// native is the path for the system.
func native(path string) string { return path }

// foldName makes the names of a program equal.
func foldName(name string) string { return name }

// beginsWith reports whether a path is a folder's, or begins with it.
func beginsWith(path, folder string) bool { return strings.HasPrefix(path, folder) }

func isProgram(path string) bool {
	var s unix.Stat_t
	return unix.Stat(path, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFREG && s.Mode&0o111 != 0
}
