//go:build unix

package atomicfile

import "os"

// Rename renames a file, also over one that others have open.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file, also one that others have open.
func Remove(path string) error { return os.Remove(path) }
