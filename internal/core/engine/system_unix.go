//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/process"
)

// startError explains why a program did not start, as far as its first line tells. It uses the words of launch.Inspect,
// so a hook's run and a check print the same message.
func startError(err error) error {
	var failed *process.StartError
	if !errors.As(err, &failed) || process.Shortage(err) != "" {
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
	if errors.Is(err, syscall.ENOENT) { // the program itself exists, launch.Program has found it
		return fmt.Errorf("%w: the interpreter of its #! line, or the workspace", err)
	}
	return err
}

// contextFolder is the name of a folder in the temporary folder, which all users may share.
func contextFolder() string { return fmt.Sprintf("hookrun-%d", os.Getuid()) }

// private reports whether only this user has access to a folder.
func private(_ string, folder fs.FileInfo) bool {
	stat, ok := folder.Sys().(*syscall.Stat_t)
	return ok && folder.IsDir() && int(stat.Uid) == os.Getuid() && folder.Mode().Perm()&0o077 == 0
}
