//go:build unix

package hookfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// managedFault says why the managed file cannot be trusted: who can write to it, or to its folder, decides what it
// says. tested: it is one of a test, and this user's own will do.
func managedFault(path string, tested bool) string {
	for _, p := range []string{filepath.Dir(path), path} {
		info, err := os.Lstat(p)
		if err != nil {
			continue // reading the file will say it
		}
		what := ""
		if p != path {
			what = "its folder "
		}
		uid := owner(info)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return what + "is a symbolic link, which may lead anywhere; put in its place what it leads to"
		case uid != 0 && !(tested && uid == os.Geteuid()):
			return fmt.Sprintf("%sbelongs to user %d and not to root%s", what, uid, mend("sudo", "chown", "root", p))
		case info.Mode().Perm()&0o022 != 0:
			return what + "can be written to by others than root" + mend("sudo", "chmod", "go-w", p)
		}
	}
	return ""
}

// userFault says why the user's own file cannot be trusted: another user could change it. A group with the owner's
// number is the owner's alone, where systems make such groups.
func userFault(path string) string {
	for _, p := range []string{filepath.Dir(path), path} {
		info, err := os.Stat(p)
		if err != nil {
			continue // reading the file will say it
		}
		what := ""
		if p != path {
			what = "its folder "
		}
		const without = ", or leave the file out with --no-user"
		uid := owner(info)
		perm := info.Mode().Perm()
		switch {
		case uid != os.Geteuid() && uid != 0:
			return fmt.Sprintf("%sbelongs to user %d, who can change what it says%s%s", what, uid,
				mend("sudo", "chown", strconv.Itoa(os.Geteuid()), p), without)
		case perm&0o002 != 0, perm&0o020 != 0 && group(info) != uid:
			return what + "can be written to by other users" + mend("chmod", "go-w", p) + without
		}
	}
	return ""
}

func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

func group(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Gid)
	}
	return -1
}
