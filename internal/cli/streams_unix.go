//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// endOfInput are the keys that end typed input.
const endOfInput = "Ctrl-D"

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) {
	n, err := unix.Write(int(d), b)
	if err == unix.EINTR {
		return 0, nil
	}
	return n, err
}

// isNullDevice reports whether a file is the null device.
func isNullDevice(file *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(info, null)
}
