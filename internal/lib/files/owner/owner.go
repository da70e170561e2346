// Package owner resolves paths without following other users' links.
//
//	real, err := owner.Resolve("/tmp/hookrun/run.log")
//	…
//	file, err := os.OpenFile(real, os.O_RDWR|syscall.O_NOFOLLOW, 0)
//	…
//	err = owner.Check(real, info)
//
// In a folder such as /tmp any user can create a link to a file of this user. A program that follows the link writes to
// the file. Linux prevents this only if fs.protected_symlinks is set.
//
// Guarantees: every link that Resolve follows belongs to this user or to root. Check refuses a file that belongs to
// another user or is writable by all. On Windows administrators count as root, and access lists count.
//
// Not guaranteed: another user's folder may change before the path is used. So check the opened file, too.
package owner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links a path may go through, as in Linux.
const maxLinks = 40

// Resolve returns the path without links. Missing files at the end of the path stay in the result.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	real, rest := root, strings.TrimPrefix(path, root)
	for links := 0; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, string(filepath.Separator))
		next := filepath.Join(real, name)
		info, err := os.Lstat(next)
		if errors.Is(err, os.ErrNotExist) {
			return filepath.Join(next, rest), nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0 {
			real = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s leads through more than %d links", path, maxLinks)
		}
		if !Owned(next, info) {
			return "", fmt.Errorf("%s is a link of another user; name what it should lead to", next)
		}
		if info.Mode()&os.ModeSymlink == 0 { // a junction or the like; Windows itself follows it
			real = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			real, target = root, strings.TrimPrefix(filepath.Clean(target), root)
		}
		rest = filepath.Join(target, rest)
		for rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
			rest = strings.TrimPrefix(strings.TrimPrefix(rest, ".."), string(filepath.Separator))
			real = filepath.Dir(real)
		}
		if rest == "." {
			rest = ""
		}
	}
	return real, nil
}

// Check refuses a file that another user could change. On Windows it reads the access list at the path, elsewhere info.
func Check(path string, info os.FileInfo) error {
	switch {
	case !Owned(path, info):
		return errors.New("belongs to another user; name one of your own")
	case WritableByAll(path, info):
		return errWritable
	}
	return nil
}
