// Package ownpath follows paths without being led away by other users.
//
//	real, err := ownpath.Resolve("/tmp/hookrun/run.log")
//	…
//	file, err := os.OpenFile(real, os.O_RDWR|syscall.O_NOFOLLOW, 0)
//	…
//	err = ownpath.Check(info)
//
// Whoever can write to a folder such as /tmp can put a link there that leads to any file of ours, and a program that
// follows it writes where they want. Linux keeps programs from that only where fs.protected_symlinks is set.
//
// Guarantees: every link that Resolve follows belongs to this user or to root. Check refuses a file of somebody else,
// and one that everybody can write to. On Windows neither refuses anything.
//
// Not guaranteed: that a folder of somebody else stays as it was between Resolve and the use of what it returned. So
// what is opened must be checked too.
package ownpath

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links a path may lead through, as in Linux.
const maxLinks = 40

// Resolve returns the path without links. What does not exist at its end stays as it is.
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
		if info.Mode()&os.ModeSymlink == 0 {
			real = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s leads through more than %d links", path, maxLinks)
		}
		if !ours(info) {
			return "", fmt.Errorf("%s is a link of another user; name what it should lead to", next)
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
			real, rest = filepath.Dir(real), strings.TrimPrefix(strings.TrimPrefix(rest, ".."),
				string(filepath.Separator))
		}
		if rest == "." {
			rest = ""
		}
	}
	return real, nil
}

// Check refuses what somebody else could change.
func Check(info os.FileInfo) error {
	switch {
	case !ours(info):
		return errors.New("belongs to another user; name one of your own")
	case writableByAll(info):
		return errors.New("can be written to by everybody; take that away (chmod o-w) or name another")
	}
	return nil
}
