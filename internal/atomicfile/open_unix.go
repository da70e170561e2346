//go:build unix

package atomicfile

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/regularfile"
)

// Rename renames a file, also over one that others have open.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file, also one that others have open.
func Remove(path string) error { return os.Remove(path) }

// Read reads a file that others may replace or remove meanwhile. Whatever is no regular file is an error: without
// O_NONBLOCK a named pipe would be waited for without end.
func Read(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: regularfile.ErrNotRegular}
	}
	return io.ReadAll(file)
}
