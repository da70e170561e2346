//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/process"
)

// startError says why a program was not started, as far as its first line tells: in the words of launch.Inspect, so
// that who runs a hook and who checks it read the same.
func startError(err error) error {
	var failed *process.StartError
	if !errors.As(err, &failed) {
		return err
	}
	p := &failed.Program
	if why := launch.MarkFault(p.Path, p.Args[0]); why != "" {
		return errors.New(why)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%w; a script needs a #! line", err)
	}
	if why := launch.FileFault(p.Path, p.Args[0], p.Dir, p.Env); why != "" {
		return errors.New(why)
	}
	if errors.Is(err, syscall.ENOENT) { // the program itself was found before
		return fmt.Errorf("%w: the interpreter of its #! line, or the workspace", err)
	}
	return err
}

// contextFolder is in the folder for temporary files, which may be that of all users.
func contextFolder() string { return fmt.Sprintf("hookrun-%d", os.Getuid()) }

// private reports whether nobody but this user can do anything in a folder.
func private(_ string, folder fs.FileInfo) bool {
	stat, ok := folder.Sys().(*syscall.Stat_t)
	return ok && folder.IsDir() && int(stat.Uid) == os.Getuid() && folder.Mode().Perm()&0o077 == 0
}
