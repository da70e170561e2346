//go:build unix

package serve

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/peer"
)

// maxSocketPath is the length that fits into the address of a socket.
const maxSocketPath = 100

type unixListener struct{ *net.UnixListener }

func (l unixListener) accept() (io.ReadWriteCloser, error) {
	c, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// mayCall admits only processes of the same user.
func mayCall(c io.ReadWriteCloser) error {
	uid, err := peer.User(c.(*net.UnixConn))
	switch {
	case err != nil:
		return jsonrpc.Errorf(codeNoVerdict, "who is calling cannot be told: %v", err)
	case uid != os.Getuid():
		return jsonrpc.Errorf(codeNoVerdict, "this is the socket of another user")
	}
	return nil
}

// listen creates the socket, for this user only.
func listen(path string) (listener, error) {
	if len(path) > maxSocketPath {
		const text = "the path is longer than %d bytes, which the system does not take; use a shorter one"
		return nil, fmt.Errorf(text, maxSocketPath)
	}
	folder := filepath.Dir(path)
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	unlock, err := lockFolder(folder) // so of two servers that start together, the second sees the first one's socket
	if err != nil {
		return nil, fmt.Errorf("locking its folder: %w", regular.UnwrapPath(err))
	}
	defer unlock()
	if err := removeDead(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, regular.UnwrapPath(err)
	}
	return unixListener{l}, nil
}

// makeFolder creates the folder of a socket if it is missing. It refuses a folder in which another user could replace
// the socket.
func makeFolder(folder string) error {
	real, err := owner.Resolve(folder)
	if err != nil {
		return fmt.Errorf("its folder: %w", regular.UnwrapPath(err))
	}
	if err := ownAbove(real); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making its folder: %w", regular.UnwrapPath(err))
	}
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("its folder: %w", regular.UnwrapPath(err))
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", folder)
	}
	if err := ownFolder(info); err != nil {
		const mend = "put the socket into a folder that only you can write to (mkdir -m 700)"
		return fmt.Errorf("%s %w; %s", folder, err, mend)
	}
	return nil
}

// ownAbove refuses a folder that another user could move away and replace: a folder under one of another user, or under
// one that all users can write to. In a sticky folder such as /tmp only the owner of a folder can move it. The owner of
// / counts as the system, because in a user namespace root may have no number.
func ownAbove(folder string) error {
	system, err := os.Stat("/")
	if err != nil {
		return err
	}
	for above := filepath.Dir(folder); above != filepath.Dir(above); above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			return nil // missing: creating the folder reports the error
		}
		const mend = "somebody could put another folder in the place of %s; put the socket elsewhere"
		switch {
		case !owner.Owned(above, info) && ownerOf(info) != ownerOf(system):
			return fmt.Errorf("%s belongs to another user, so "+mend, above, folder)
		case owner.WritableByAll(above, info) && info.Mode()&os.ModeSticky == 0:
			return fmt.Errorf("%s can be written to by everybody, so "+mend, above, folder)
		}
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// removeDead removes a socket without a listening server. Any other file at the path is an error, and stays.
func removeDead(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return regular.UnwrapPath(err)
	case info.Mode()&os.ModeSocket == 0:
		return errors.New("there is something that is no socket; it was left alone")
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		c.Close()
		return errLive
	case !refused(err):
		return fmt.Errorf("trying whether another server listens on it: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("replacing the socket of a server that is gone: %w", regular.UnwrapPath(err))
	}
	return nil
}

// ownFolder refuses a folder in which another user could replace the socket.
func ownFolder(info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(owner.Uid) != os.Getuid():
		return errors.New("belongs to another user")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("can be written to by others")
	}
	return nil
}

// lockFolder keeps other servers from starting in the folder until unlock.
func lockFolder(path string) (unlock func(), err error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lock.Lock(folder); err != nil {
		folder.Close()
		return nil, err
	}
	return func() { folder.Close() }, nil
}

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
