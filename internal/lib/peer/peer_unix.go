//go:build linux || darwin

// Package peer names the user at the other end of a socket.
package peer

import "net"

// User returns the user at the other end of a socket.
func User(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	if err = raw.Control(func(fd uintptr) { uid, failed = user(int(fd)) }); err == nil {
		err = failed
	}
	return uid, err
}
