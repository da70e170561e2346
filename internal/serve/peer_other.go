//go:build unix && !linux

package serve

import "net"

// peersKnown: package syscall does not tell who is at the other end of a socket. So nobody else may enter its folder.
const peersKnown = false

func peer(*net.UnixConn) (uid int, known bool, err error) { return 0, false, nil }
