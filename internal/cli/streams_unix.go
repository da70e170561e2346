//go:build unix

package cli

import "syscall"

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) {
	n, err := syscall.Write(int(d), b)
	if err == syscall.EINTR {
		return 0, nil
	}
	return n, err
}
