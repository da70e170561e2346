//go:build unix

package regular

import (
	"os"

	"golang.org/x/sys/unix"
)

// open opens a file for reading. A named pipe that was put at the path meanwhile would be waited for without
// O_NONBLOCK.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) }
