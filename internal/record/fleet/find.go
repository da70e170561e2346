package fleet

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Find returns the regular files at a path: the file itself, or all files in a folder at any depth, the oldest parts of
// a rotated log first. It follows no link below the folder. unread are the errors of folders below root.
func Find(root string) (paths []string, unread []error, err error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // such as a pipe of the shell, which reads like an empty folder
		const text = "%s is %s; give a folder or a file, or - for stdin"
		return nil, nil, fmt.Errorf(text, root, regular.Kind(info.Mode()))
	}
	err = filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path != real:
			unread = append(unread, err)
			return nil
		case err == nil && entry.Type().IsRegular():
			paths = append(paths, path)
		}
		return err
	})
	slices.SortFunc(paths, func(a, b string) int {
		logA, partA := rotated(a)
		logB, partB := rotated(b)
		return cmp.Or(cmp.Compare(logA, logB), cmp.Compare(partB, partA))
	})
	return paths, unread, err
}

// rotated returns the log of a rotated part, and the number of the part.
func rotated(path string) (log, part string) {
	if ext := filepath.Ext(path); len(ext) == 2 && '1' <= ext[1] && ext[1] <= '9' {
		return strings.TrimSuffix(path, ext), ext
	}
	return path, ""
}
