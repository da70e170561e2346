package cli

import (
	"net"

	"golang.org/x/sys/unix"
)

// peersKnown: the system says who is at the other end of a socket.
const peersKnown = true

// ownSession gives a server on stdin and stdout a session of its own, where it did not begin one already. Linux shares its
// processors among sessions first and among the processes of each then (sched_autogroup). Hooks are sessions of their own. In the
// session of a busy client each step from a hook to us and back would wait until that session has its turn again, which made 8
// calls in flight slower than one. A Ctrl-C at the client's terminal does not reach us then: the end of stdin does.
func ownSession() { _, _ = unix.Setsid() }

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
