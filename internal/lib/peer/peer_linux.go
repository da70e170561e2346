package peer

import "golang.org/x/sys/unix"

func user(fd int) (uid int, err error) {
	of, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(of.Uid), nil
}
