//go:build unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// MayManage reports whether this user may write settings for all users, with the way to become such a user.
func MayManage() (how string, may bool) { return "run it with sudo", os.Geteuid() == 0 }

// MakeFolder makes the missing folders of a path, which all users can read, and so will be the files made from now on.
func MakeFolder(path string) error {
	syscall.Umask(0o022)
	return os.MkdirAll(path, 0o755)
}

// CheckManaged returns an error if users other than root could change a file, or put another in its place, or if not
// all users have the rights to it. A missing file is fine.
func CheckManaged(path string, rights fs.FileMode) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	const links = 40
	for range links {
		next := ""
		for p, needs := path, rights; ; p, needs = filepath.Dir(p), 0o1 {
			info, err := os.Lstat(p)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return err
			case info.Mode()&fs.ModeSymlink != 0:
				target, err := os.Readlink(p)
				if stat, _ := info.Sys().(*syscall.Stat_t); err == nil && (stat == nil || stat.Uid != 0) {
					err = fmt.Errorf("the link %s does not belong to root; chown -h root %s", p, shellword.Local(p))
				}
				if err != nil {
					return err
				}
				if !filepath.IsAbs(target) {
					target = filepath.Join(filepath.Dir(p), target)
				}
				rest, _ := filepath.Rel(p, path)
				next = filepath.Join(target, rest)
			default:
				if err := checkOwner(p, info, needs); err != nil {
					return err
				}
			}
			if p == filepath.Dir(p) {
				break
			}
		}
		if next == "" {
			return nil
		}
		path = next
	}
	return fmt.Errorf("%s has too many links", path)
}

func checkOwner(path string, info fs.FileInfo, rights fs.FileMode) error {
	name := shellword.Local(path)
	stat, _ := info.Sys().(*syscall.Stat_t)
	sticky := info.IsDir() && info.Mode()&fs.ModeSticky != 0 // others can add files, and not replace these
	switch {
	case stat == nil || stat.Uid != 0:
		return fmt.Errorf("%s does not belong to root, so its owner could change it; chown root %s", path, name)
	case !sticky && owner.OthersWrite(path, info):
		return fmt.Errorf("%s can be written to by others than root; chmod go-w %s", path, name)
	case info.Mode().Perm()&rights != rights:
		return fmt.Errorf("%s is not for all users, so their clients cannot read what is in it; chmod o+rX %s", path,
			name)
	}
	return nil
}
