package regular

import (
	"errors"
	"io/fs"
	"os"
)

// UnwrapPath takes the operation and the path out of an error, for a message that has the path already.
func UnwrapPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// Same reports whether two paths lead to one file. A path that leads nowhere is the same as none.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Identify makes os.SameFile compare the file that info describes. On Windows it would otherwise look, when it is asked
// first, at whatever file has the path by then.
func Identify(info fs.FileInfo) fs.FileInfo {
	os.SameFile(info, info)
	return info
}
