//go:build unix

package binary

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Busy reports whether the system starts no more processes for now.
func Busy(error) bool { return false }

// programSuffix ends the name of a program.
const programSuffix = ""

// ownFolders are variables with folders that each script has for itself. Its home folder is enough.
var ownFolders []string

// goBuild is how Go writes the program of a package to a file. `go run` keeps what it has linked in the build cache, so
// only the first package of tests has to wait for the linker; what it would start is copied instead.
func goBuild(flags, pkg, to string) []string {
	return []string{"run", "-trimpath", flags, "-exec=cp", pkg, to}
}

// cannotRun is why a script cannot run on this system.
func cannotRun(string) string { return "" }

// asTool and putTools have nothing to do: sh is there.
func asTool() {}

func putTools(string) error { return nil }

func prepared(_ *testing.T, files []string) []string { return files }

var ownCommands map[string]func(*testscript.TestScript, bool, []string)
