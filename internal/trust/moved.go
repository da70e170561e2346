package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// moved returns the path of a project that was allowed and that leads here now: a folder that was renamed and has a
// link in its place, or a link that leads elsewhere than it did. "" if there is none.
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
			continue // of hooks files that --config names, or nothing that decides about this project
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
