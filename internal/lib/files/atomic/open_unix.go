//go:build unix

package atomic

import (
	"errors"
	"math"
	"os"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Rename renames a file, even over a file that other processes have open.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file, even if other processes have it open.
func Remove(path string) error { return os.Remove(path) }

// Read reads a file that others may replace or remove meanwhile. A file that is not regular is an error.
func Read(path string) ([]byte, error) {
	text, _, err := regular.Read(path, math.MaxInt64-1)
	if errors.Is(err, regular.ErrNotRegular) {
		err = &os.PathError{Op: "read", Path: path, Err: err}
	}
	return text, err
}
