package runlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// openFile opens the log so other processes can rename it, because a rotation renames the log. A new file is for this
// user, the system and administrators. With O_APPEND the file could not be truncated, so write takes the offset.
func openFile(path string) (*os.File, error) {
	failed := func(err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, failed(err)
	}
	security, err := owner.Attributes(owner.Admins)
	if err != nil {
		return nil, failed(err)
	}
	file, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, security, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if above, missing := os.Stat(filepath.Dir(path)); err != nil && missing == nil && !above.IsDir() {
		err = errors.New("not a directory") // the system says: path not found
	}
	if err != nil {
		return nil, failed(err)
	}
	return os.NewFile(uintptr(file), path), nil
}

// appends is false: write needs the size of the file, which the lock keeps.
const appends = false

// write appends b to the file of size at. We hold the lock, so the file cannot grow meanwhile.
func write(f *os.File, b []byte, at int64) (int, error) { return f.WriteAt(b, at) }
