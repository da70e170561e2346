package hookimport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
)

// Write adds entries to the hooks file at a path, and creates a missing file. The file is replaced in one step. added
// has the names of the new entries.
func Write(path string, entries []Entry) (added []string, err error) {
	info, err := os.Lstat(path)
	var doc []byte
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0: // a cloned project must not make hookrun write elsewhere
		return nil, fmt.Errorf("%s is a symbolic link; name the file that it leads to", path)
	default:
		if doc, err = hookfile.ReadFile(path); err != nil {
			return nil, err
		}
	}
	text, added, err := Add(path, doc, entries)
	if err != nil || len(added) == 0 {
		return nil, err
	}
	if len(text) > hookfile.MaxFileSize {
		return nil, fmt.Errorf("%s would be larger than 1 MiB, and could not be read again", path)
	}
	return added, atomic.Replace(path, info, string(text))
}
