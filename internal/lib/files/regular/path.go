package regular

import (
	"errors"
	"io/fs"
	"os"
)

// UnwrapPath removes the operation and the path from an error, for a message that has the path already.
func UnwrapPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// Same reports whether two paths lead to the same file. It returns false if a file is missing.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Identify makes os.SameFile compare the file that info describes. Otherwise Windows would read the path at the first
// comparison, when it may name another file.
func Identify(info fs.FileInfo) fs.FileInfo {
	os.SameFile(info, info)
	return info
}
