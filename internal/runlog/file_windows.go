package runlog

import (
	"os"
	"path/filepath"
)

// openFile opens through a root: others could not rename a file that was opened otherwise, and the log not be rotated.
// With O_APPEND it could not be cut back, so write says where.
func openFile(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(filepath.Base(path), os.O_RDWR|os.O_CREATE, 0o600)
}

// write puts b at the end of the file, which is at. The lock keeps it there.
func write(f *os.File, b []byte, at int64) (int, error) { return f.WriteAt(b, at) }
