package cli

import (
	"net"
	"syscall"
)

// peersKnown: the system says who is at the other end of a socket.
const peersKnown = true

func peer(c *net.UnixConn) (uid int, known bool, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var of *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		of, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, false, err
	}
	return int(of.Uid), true, nil
}
