package runlog

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/regularfile"
)

// openFile opens through a root: a file opened in another way could not be renamed by others, so the log could not be
// rotated. With O_APPEND the file could not be truncated, so write takes the offset.
func openFile(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: regularfile.UnwrapPath(err)}
	}
	defer root.Close()
	return root.OpenFile(filepath.Base(path), os.O_RDWR|os.O_CREATE, 0o600)
}

// write appends b to the file, whose size is at. We hold the lock, so it cannot grow meanwhile.
func write(f *os.File, b []byte, at int64) (int, error) { return f.WriteAt(b, at) }
