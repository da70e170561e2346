package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// MayManage reports whether this user may write settings for all users, with the way to become such a user.
func MayManage() (how string, may bool) {
	return "run it as administrator", windows.GetCurrentProcessToken().IsElevated()
}

// MakeFolder makes the missing folders of a path, which all users can read, and so will be the files made in them.
func MakeFolder(path string) error {
	if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
		return err
	}
	if err := MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return owner.MkdirManaged(path)
}

// CheckManaged returns an error if users other than administrators could change a file or its folder. A missing file is
// fine. Access lists say who can read, so the rights do not matter here.
func CheckManaged(path string, _ fs.FileMode) error {
	for _, p := range []string{filepath.Dir(path), path} {
		if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := owner.CheckManaged(p, false); err != nil {
			return fmt.Errorf("%s %w; leave it to administrators: see icacls /setowner, /inheritance:r and /grant:r", p,
				err)
		}
	}
	return nil
}
