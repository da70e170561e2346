package serve

import (
	"net"

	"golang.org/x/sys/unix"
)

// peersKnown: the system identifies the user at the other end of a socket.
const peersKnown = true

// peer returns the user at the other end of a socket.
func peer(c *net.UnixConn) (uid int, known bool, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var of *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		of, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, false, err
	}
	return int(of.Uid), true, nil
}
