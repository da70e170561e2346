package spelling

import (
	"errors"
	"io/fs"
)

// UnwrapPath takes the operation and the path out of an error, for a message that has the path already.
func UnwrapPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}
