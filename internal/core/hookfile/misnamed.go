package hookfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// maxListed bounds the names of a folder that Misnamed checks: a call without hooks must cost next to nothing.
const maxListed = 1000

// Misnamed returns the files of a folder with a name nearly a hooks file's, or with the ending of another format, in
// order, and the right name for each. hookrun does not read such a file, so the gates in the file are off.
func Misnamed(dir string) (paths, meant []string) {
	folder, err := regular.Open(dir)
	if err != nil {
		return nil, nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(maxListed)
	names = slices.DeleteFunc(names, func(name string) bool { // drop most names before the sort
		return !nearlyNamed(name, FileName) && !nearlyNamed(name, LocalFileName)
	})
	slices.Sort(names)
	for _, name := range names {
		for _, known := range []string{FileName, LocalFileName} {
			if path := filepath.Join(dir, name); nearlyNamed(name, known) && !isSame(path, filepath.Join(dir, known)) {
				paths, meant = append(paths, path), append(meant, known)
			}
		}
	}
	return paths, meant
}

// IsOtherFormat reports whether a file is in another format than JSON, by the ending of its name.
func IsOtherFormat(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".toml", ".jsonc", ".json5"}, filepath.Ext(path))
}

// nearlyNamed reports whether a name is probably a misspelling of the known name. An editor's copy ends in ~.
func nearlyNamed(name, known string) bool {
	apart := len(name) - len(known)
	if IsOtherFormat(name) {
		return strings.TrimSuffix(name, filepath.Ext(name)) == strings.TrimSuffix(known, filepath.Ext(known))
	}
	return -1 <= apart && apart <= 1 && name != known && !strings.HasSuffix(name, "~") &&
		spelling.Distance(strings.ToLower(name), known) <= 1
}

// isSame reports whether two paths lead to one file, as with another case where case does not count, or to a folder.
func isSame(path, other string) bool {
	one, err1 := os.Stat(path)
	two, err2 := os.Stat(other)
	return err1 == nil && (one.IsDir() || err2 == nil && os.SameFile(one, two))
}
