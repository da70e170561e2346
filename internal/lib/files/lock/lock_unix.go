//go:build unix

package lock

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	exclusive = unix.LOCK_EX
	atOnce    = unix.LOCK_NB
	errHeld   = unix.EWOULDBLOCK
)

func lock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// Unlock releases the lock before the file is closed.
func Unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
