//go:build unix

package hookfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// managedFault returns why the managed file cannot be trusted, or "". Anyone who can write to the file or its folder
// decides about every call of every user. tested: a test has made the file, so the file may be this user's own.
func managedFault(path string, tested bool) string {
	return ownerFault(path, os.Lstat, func(p string, info fs.FileInfo) string {
		uid := ownerOf(info)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return "is a symbolic link, which may lead anywhere; put in its place what it leads to"
		case uid != 0 && !(tested && uid == os.Geteuid()):
			return fmt.Sprintf("belongs to user %d and not to root%s", uid, mend("sudo", "chown", "root", p))
		case info.Mode().Perm()&0o022 != 0:
			return "can be written to by others than root" + mend("sudo", "chmod", "go-w", p)
		}
		return ""
	})
}

// userFault returns why the user's own file cannot be trusted, because another user could change the file, or "". A
// group with the owner's number is the owner's alone, on systems with such groups.
func userFault(path string) string {
	return ownerFault(path, os.Stat, func(p string, info fs.FileInfo) string {
		const without = ", or leave the file out with --no-user"
		switch uid := ownerOf(info); {
		case !trusted(uid):
			return fmt.Sprintf("belongs to user %d, who can change it%s%s", uid,
				mend("sudo", "chown", strconv.Itoa(os.Geteuid()), p), without)
		case owner.OthersWrite(p, info):
			return "can be written to by other users" + mend("chmod", "go-w", p) + without // access lists count, too
		}
		return ""
	})
}

// folderFault returns why another user than root can put files into a folder, or "".
func folderFault(path string) string {
	switch info, err := os.Stat(path); {
	case err != nil:
		return "cannot be looked at: " + regular.UnwrapPath(err).Error()
	case !trusted(ownerOf(info)):
		return fmt.Sprintf("belongs to user %d", ownerOf(info))
	case owner.OthersWrite(path, info):
		return "can be written to by other users"
	}
	return ""
}

// trusted reports whether uid is this user or root.
func trusted(uid int) bool { return uid == os.Geteuid() || uid == 0 }

// ownerFault returns the first fault of the file's folder and of the file, or "".
func ownerFault(path string, stat func(string) (fs.FileInfo, error), fault func(string, fs.FileInfo) string) string {
	for _, p := range []string{filepath.Dir(path), path} {
		info, err := stat(p)
		if err != nil {
			continue // reading the file reports it
		}
		text := fault(p, info)
		switch {
		case text != "" && p == path:
			return text
		case text != "":
			return "its folder " + text
		}
	}
	return ""
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
