package hookfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/spelling"
)

// maxListed is how many names of a folder are looked at: a call without hooks is to cost next to nothing.
const maxListed = 1000

// Misnamed returns the files of a folder whose names are one edit away from that of a hooks file, in order, and the
// name that each should have. Nothing reads such a file, so the gates in it are off.
func Misnamed(dir string) (paths, meant []string) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(maxListed)
	names = slices.DeleteFunc(names, func(name string) bool { // most, so few are sorted and looked at
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

// nearlyNamed reports whether a name is not the known one, and was probably meant as it. An editor's copy has a ~.
func nearlyNamed(name, known string) bool {
	apart := len(name) - len(known)
	return -1 <= apart && apart <= 1 && name != known && !strings.HasSuffix(name, "~") &&
		spelling.Distance(strings.ToLower(name), known) <= 1
}

// isSame reports whether two paths lead to one file, as with a name in another case where case does not count.
func isSame(path, other string) bool {
	one, err1 := os.Stat(path)
	two, err2 := os.Stat(other)
	return err1 == nil && (one.IsDir() || err2 == nil && os.SameFile(one, two))
}
