//go:build unix

package ownpath

import (
	"os"
	"syscall"
)

// Owned reports whether a file belongs to this user or to root.
func Owned(info os.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(owner.Uid) == os.Geteuid() || owner.Uid == 0)
}

func writableByAll(info os.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }
