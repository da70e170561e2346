//go:build unix

package regular

import (
	"os"

	"golang.org/x/sys/unix"
)

// open opens a file for reading. O_NONBLOCK prevents waiting for a named pipe that has replaced the file.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) }
