//go:build unix

package regular

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens a file or folder for reading. Unlike os.Open it does not wait for a named pipe, and leaves Go's poller
// alone, whose start costs a one-shot command more than the file.
func Open(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	for err == unix.EINTR {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	_ = unix.SetNonblock(fd, false) // package os would poll the file
	return os.NewFile(uintptr(fd), path), nil
}
