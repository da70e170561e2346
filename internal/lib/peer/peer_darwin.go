package peer

import "golang.org/x/sys/unix"

func user(fd int) (uid int, err error) {
	of, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(of.Uid), nil
}
