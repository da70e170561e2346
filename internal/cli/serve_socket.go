package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/ownpath"
)

// listen answers on every connection to a unix socket until a client or a signal says so.
func (s *server) listen(path string) (exit int, err error) {
	listener, err := listenUnix(path)
	if err != nil {
		s.runner.Close()
		return 0, err
	}
	ctx := s.until.context()
	var mu sync.Mutex
	open := map[*jsonrpc.Conn]bool{}
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := listener.Accept()
			if passes(err) {
				time.Sleep(acceptPause)
				continue
			}
			if err != nil {
				ended <- fmt.Errorf("--socket %s: %w", path, err)
				return
			}
			conn := s.connection(c, c)
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			go func() {
				defer func() {
					c.Close()
					mu.Lock()
					delete(open, conn)
					mu.Unlock()
				}()
				if err := s.mayCall(c.(*net.UnixConn)); err != nil {
					conn.Refuse(err)
					return
				}
				_ = conn.Run(ctx) // its end is the client's affair
			}()
		}
	}()
	select {
	case err = <-ended:
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	listener.Close() // removes the socket
	mu.Lock()
	var conns []*jsonrpc.Conn
	for conn := range open {
		conns = append(conns, conn)
	}
	mu.Unlock()
	return s.end(err, conns...)
}

// acceptPause is how long a connection waits at least that could not be taken up.
const acceptPause = 50 * time.Millisecond

// passes reports whether a connection that could not be taken up may be later: too many are open, or that one is gone. The calls
// of the others go on, and the gates of everybody else must not end with it.
func passes(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// mayCall lets in who runs as the same user.
func (s *server) mayCall(c *net.UnixConn) error {
	uid, known, err := peer(c)
	switch {
	case err != nil:
		return jsonrpc.Errorf(codeNoVerdict, "who is calling cannot be told: %v", err)
	case known && uid != os.Getuid():
		return jsonrpc.Errorf(codeNoVerdict, "this is the socket of another user")
	}
	return nil
}

// maxSocketPath is what the system has room for in the address of a socket.
const maxSocketPath = 100

// listenUnix makes the socket, for this user alone. A socket that nobody listens on is replaced, one that is alive is not, nor is
// anything else that stands there.
func listenUnix(path string) (net.Listener, error) {
	complain := func(what string, args ...any) error {
		return fmt.Errorf("--socket %s: %w", path, fmt.Errorf(what, args...))
	}
	if len(path) > maxSocketPath {
		return nil, complain("the path is longer than %d bytes, which the system does not take; use a shorter one", maxSocketPath)
	}
	folder := filepath.Dir(path)
	if _, err := ownpath.Resolve(folder); err != nil {
		return nil, complain("its folder: %w", bare(err))
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, complain("making its folder: %w", bare(err))
	}
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return nil, complain("its folder: %w", bare(err))
	case !info.IsDir():
		return nil, complain("%s is no folder", folder)
	}
	if err := ownFolder(info); err != nil {
		return nil, complain("%s %w; put the socket into a folder that only you can write to (mkdir -m 700)", folder, err)
	}
	unlock, err := lockFolder(folder) // of two servers that start at once, the second must see the first one's socket
	if err != nil {
		return nil, complain("locking its folder: %w", bare(err))
	}
	defer unlock()
	switch info, err := os.Lstat(path); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, complain("%w", bare(err))
	case info.Mode()&os.ModeSocket == 0:
		return nil, complain("there is something that is no socket; it was left alone")
	default:
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, complain("another server listens on it; end that one, or use another path")
		} else if !refused(err) {
			return nil, complain("trying whether another server listens on it: %w", err)
		}
		if err := os.Remove(path); err != nil {
			return nil, complain("replacing the socket of a server that is gone: %w", bare(err))
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, complain("%w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, complain("%w", bare(err))
	}
	return listener, nil
}
