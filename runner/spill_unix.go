//go:build unix

package runner

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether nobody but this user can do anything in a folder.
func private(folder fs.FileInfo) bool {
	stat, ok := folder.Sys().(*syscall.Stat_t)
	return ok && folder.IsDir() && int(stat.Uid) == os.Getuid() && folder.Mode().Perm()&0o077 == 0
}
