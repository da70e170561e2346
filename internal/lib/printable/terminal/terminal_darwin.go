package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput discards the keys that were typed at a terminal and not read yet.
func discardInput(in *os.File) error {
	return unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH)
}
