package hookfile

import (
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// managedFault returns why the managed file cannot be trusted, or "". Anyone who can write to the file or its folder
// decides about every call of every user. tested: a test has made the file, so the file may be this user's own.
func managedFault(path string, tested bool) string {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return "is a symbolic link, which may lead anywhere; put in its place what it leads to"
	}
	return accessFault(path, func(p string) string {
		if err := owner.CheckManaged(p, tested); err != nil {
			return err.Error() + "; leave that to administrators: see icacls /setowner, /inheritance:r and /grant:r"
		}
		return ""
	})
}

// userFault returns why the user's own file cannot be trusted, because another user could change the file, or "".
func userFault(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "" // reading the file reports it
	}
	return accessFault(real, func(p string) string {
		if err := owner.CheckOwn(p); err != nil {
			return err.Error() + "; fix it with: " + owner.Mend(p) + ", or leave the file out with --no-user"
		}
		return ""
	})
}

// folderFault returns why another user than an administrator can put files into a folder, or "".
func folderFault(path string) string {
	if err := owner.CheckOwn(path); err != nil {
		return err.Error()
	}
	return ""
}

// accessFault returns the first fault of the file's folder and of the file, or "".
func accessFault(path string, fault func(string) string) string {
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	if text := fault(filepath.Dir(path)); text != "" {
		return "its folder " + text
	}
	return fault(path)
}
