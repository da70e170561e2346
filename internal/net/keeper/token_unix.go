//go:build unix

package keeper

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
)

// newToken returns two descriptors of a token, one for each end. Of both ends only one can claim the token: the keeper
// before it gives the line to a process, or the caller when it waits no longer. So a keeper that hangs, and goes on
// when the caller has run the hook, runs it no second time.
func newToken() (mine, theirs *os.File, err error) {
	mine, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	_, err = w.Write([]byte{1})
	w.Close()
	if err == nil {
		var fd int
		if fd, err = unix.FcntlInt(mine.Fd(), unix.F_DUPFD_CLOEXEC, 0); err == nil {
			return mine, os.NewFile(uintptr(fd), mine.Name()), nil
		}
	}
	mine.Close()
	return nil, nil, err
}

// claim reports whether the token was still there. It reads the byte of the pipe, or its end.
func claim(token *os.File) bool {
	n, _ := io.ReadFull(token, make([]byte, 1))
	return n == 1
}

// sendWith is send with a descriptor.
func (c *conn) sendWith(file *os.File, k kind, pieces ...[]byte) error {
	all := messageOf(k, pieces...)
	if _, _, err := c.WriteMsgUnix(all[0], syscall.UnixRights(int(file.Fd())), nil); err != nil {
		return err
	}
	all = all[1:]
	_, err := all.WriteTo(c.UnixConn)
	return err
}

// receiveFirst is receive for the first message, with the descriptor that came with it, or nil.
func (c *conn) receiveFirst() (k kind, text []byte, file *os.File, err error) {
	var head [headSize]byte
	rights := make([]byte, unix.CmsgSpace(4))
	n, size, _, _, err := c.ReadMsgUnix(head[:], rights)
	if err != nil {
		return 0, nil, nil, err
	}
	if all, err := syscall.ParseSocketControlMessage(rights[:size]); err == nil && len(all) == 1 {
		if fds, err := syscall.ParseUnixRights(&all[0]); err == nil && len(fds) == 1 {
			file = os.NewFile(uintptr(fds[0]), "token")
		}
	}
	if n < len(head) {
		if file != nil {
			file.Close()
		}
		return 0, nil, nil, io.ErrUnexpectedEOF
	}
	k, text, err = c.receiveRest(head)
	return k, text, file, err
}

// killHolder kills the process that holds the lock of a socket, the keeper, which has its process id in that file.
func killHolder(socket string) {
	text, err := os.ReadFile(lockOf(socket))
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if held, _ := lock.Held(lockOf(socket)); held && err == nil && pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
