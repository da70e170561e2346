//go:build unix

package trust

import "golang.org/x/sys/unix"

// shellPath is the shell of string commands, which is not looked for in PATH.
const shellPath = "/bin/sh"

// programEndings are what the system adds to the name of a program.
var programEndings []string

func isProgram(path string) bool {
	var s unix.Stat_t
	return unix.Stat(path, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFREG && s.Mode&0o111 != 0
}
