//go:build unix

package runlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFile does not wait for the other end of a FIFO that has taken the place of the file, and does not follow a link
// that has.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW, 0o600)
}

// write puts b at the end of the file, which is at.
func write(f *os.File, b []byte, at int64) (int, error) { return f.Write(b) }
