package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// moved returns the path of an allowed project that leads here now: a renamed folder with a link in the old place, or a
// link with a new target. "" means no such project.
func (s *Store) moved(f *Fingerprint) (string, error) {
	folder := filepath.Join(s.folder, allowedFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	for _, entry := range entries {
		key, is := strings.CutSuffix(entry.Name(), ".json")
		if !is || !entry.Type().IsRegular() {
			continue
		}
		r, err := readRecord(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		if r == nil || key != hashed(r.Workspace) {
			continue // for the files of --config, or not a record of this kind
		}
		for _, path := range []string{r.Path, r.Workspace} {
			if path == "" {
				continue
			}
			if real, err := filepath.EvalSymlinks(path); err == nil && real == f.Workspace && r.Workspace != real {
				return path, nil
			}
		}
	}
	return "", nil
}
