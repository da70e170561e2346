//go:build unix

package binary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	return []string{"run", flags, "-exec=cp", pkg, to}
}

// cannotRun is why a script cannot run on this system.
func cannotRun(string) string { return "" }

// asTool has nothing to do: sh is there.
func asTool() {}

// putTools takes the hookrun of this machine out of PATH, so that no test finds it in the place of the one under test.
func putTools(dir string) error {
	path, err := pathWithout([]string{"hookrun"}, os.Getenv("PATH"), dir)
	if err != nil {
		return err
	}
	return os.Setenv("PATH", path)
}

// pathWithout returns a PATH that has none of some programs, and all others. A folder with one of them is replaced by
// one with links to its other files, which pathWithout makes in dir.
func pathWithout(programs []string, path, dir string) (string, error) {
	folders := filepath.SplitList(path)
	for i, folder := range folders {
		if !slices.ContainsFunc(programs, func(program string) bool {
			_, err := os.Lstat(filepath.Join(folder, program))
			return err == nil
		}) {
			continue
		}
		files, err := os.ReadDir(folder)
		if err != nil {
			return "", err
		}
		folders[i] = filepath.Join(dir, strconv.Itoa(i))
		if err := os.MkdirAll(folders[i], 0o700); err != nil {
			return "", err
		}
		for _, f := range files {
			if slices.Contains(programs, f.Name()) {
				continue
			}
			err := os.Symlink(filepath.Join(folder, f.Name()), filepath.Join(folders[i], f.Name()))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return "", err
			}
		}
	}
	return strings.Join(folders, string(os.PathListSeparator)), nil
}

func prepared(_ *testing.T, files []string) []string { return files }

var ownCommands map[string]func(*testscript.TestScript, bool, []string)
