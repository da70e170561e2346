//go:build unix

package cli

import (
	"os"
	"time"

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

// isReadable reports whether a pipe has data or has ended, perhaps after a wait.
func isReadable(pipe *os.File, wait time.Duration) bool {
	for end := time.Now().Add(wait); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLIN}},
			int(max(time.Until(end), 0)/time.Millisecond))
		if err != unix.EINTR {
			return n != 0 // of an error too: the read has its text
		}
	}
}
