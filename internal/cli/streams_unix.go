//go:build unix

package cli

import "golang.org/x/sys/unix"

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) {
	n, err := unix.Write(int(d), b)
	if err == unix.EINTR {
		return 0, nil
	}
	return n, err
}
