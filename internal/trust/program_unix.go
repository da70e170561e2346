//go:build unix

package trust

import (
	"strings"

	"golang.org/x/sys/unix"
)

// shellPath is the shell of string commands, an absolute path without a search in PATH.
const shellPath = "/bin/sh"

// programEndings returns the extensions that the system adds to the name of a program.
func programEndings([]string) []string { return nil }

// betweenFiles are the separators of files in a variable.
const betweenFiles = " \t\n:=,;|@()'\""

// native returns a path in the system's form.
func native(path string) string { return path }

// foldName returns the name of a program for comparisons.
func foldName(name string) string { return name }

// foldVariable returns the name of a variable for comparisons.
func foldVariable(name string) string { return name }

// beginsWith reports whether a path begins with the path of a folder.
func beginsWith(path, folder string) bool { return strings.HasPrefix(path, folder) }

func isProgram(path string) bool {
	var s unix.Stat_t
	return unix.Stat(path, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFREG && unix.Access(path, unix.X_OK) == nil
}
