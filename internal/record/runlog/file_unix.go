//go:build unix

package runlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFile opens the file, or creates it. It follows no link, and does not wait for the other end of a FIFO.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW, 0o600)
}

// appends: the system appends a write as a whole, so a line may be written while another process holds the lock.
const appends = true

// write appends b to the file of size at.
func write(f *os.File, b []byte, at int64) (int, error) { return f.Write(b) }
