package pack

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// eachFile calls see for the files below a folder, the near ones first, until see returns true. It goes into a folder
// if enters returns true for the name. left is the number of entries to read, so a folder of a million files costs no
// more than a small one.
func eachFile(folder string, left *int, enters func(name string) bool, see func(file string) bool) {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		if err == nil {
			see(folder)
		}
		return
	}
	for folders := []string{folder}; len(folders) > 0 && *left > 0; folders = folders[1:] {
		for _, entry := range entriesOf(folders[0], left) {
			file := filepath.Join(folders[0], entry.Name())
			switch {
			case !entry.IsDir():
				if see(file) {
					return
				}
			case enters(entry.Name()):
				folders = append(folders, file)
			}
		}
	}
}

// entriesOf returns entries of a folder by name, and takes their number from left. A folder that nobody may read has
// none.
func entriesOf(folder string, left *int) []fs.DirEntry {
	f, err := os.Open(folder)
	if err != nil {
		*left--
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(*left)
	*left -= 1 + len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}
