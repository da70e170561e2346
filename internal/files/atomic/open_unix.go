//go:build unix

package atomic

import (
	"errors"
	"math"
	"os"

	"github.com/hookrun/hookrun/internal/files/regular"
)

// Rename renames a file, also over one that others have open.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file, also one that others have open.
func Remove(path string) error { return os.Remove(path) }

// Read reads a file that others may replace or remove meanwhile. Whatever is no regular file is an error.
func Read(path string) ([]byte, error) {
	text, _, err := regular.Read(path, math.MaxInt64-1)
	if errors.Is(err, regular.ErrNotRegular) {
		err = &os.PathError{Op: "read", Path: path, Err: err}
	}
	return text, err
}
