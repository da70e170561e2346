package fleet

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Find returns the regular files at a path: the file itself, or all files in a folder at any depth, the oldest parts of
// a rotated log first. It follows no link below the folder. A folder that cannot be read is an error.
func Find(root string) (paths []string, err error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	slices.SortStableFunc(paths, func(a, b string) int {
		logA, partA := rotated(a)
		logB, partB := rotated(b)
		return cmp.Or(cmp.Compare(logA, logB), cmp.Compare(partB, partA))
	})
	return paths, err
}

// rotated returns the log of a rotated part, and the number of the part.
func rotated(path string) (log, part string) {
	if ext := filepath.Ext(path); len(ext) == 2 && '1' <= ext[1] && ext[1] <= '9' {
		return strings.TrimSuffix(path, ext), ext
	}
	return path, ""
}
