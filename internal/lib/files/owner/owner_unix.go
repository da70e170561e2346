//go:build unix

package owner

import (
	"errors"
	"os"
	"syscall"
)

// Owned reports whether a file belongs to this user or to root.
func Owned(_ string, info os.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(owner.Uid) == os.Geteuid() || owner.Uid == 0)
}

// WritableByAll reports whether all users of the machine may change a file.
func WritableByAll(_ string, info os.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

// OthersWrite reports whether users other than the owner can write to a file or a folder, by mode or access list. A
// writable group does not count if its number is the owner's: many systems make such a group for each user.
func OthersWrite(path string, info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	perm := info.Mode().Perm()
	return !ok || perm&0o002 != 0 || perm&0o020 != 0 && (stat.Gid != stat.Uid || aclNamesWriter(path))
}

// Mkdir makes a folder for this user alone.
func Mkdir(path string) error { return os.Mkdir(path, 0o700) }

// MkdirAll is Mkdir for a folder and all missing folders above.
func MkdirAll(path string) error { return os.MkdirAll(path, 0o700) }

var errWritable = errors.New("can be written to by everybody; take that away (chmod o-w) or name another")
