//go:build unix

package atomicfile

import "os"

// Rename renames a file, also over one that others have open.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file, also one that others have open.
func Remove(path string) error { return os.Remove(path) }

// Read reads a file that others may replace or remove meanwhile.
func Read(path string) ([]byte, error) { return os.ReadFile(path) }
