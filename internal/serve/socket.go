package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/ownpath"
	"github.com/hookrun/hookrun/internal/regularfile"
)

// acceptPause is how long a connection that could not be accepted waits for the next attempt.
const acceptPause = 50 * time.Millisecond

// maxSocketPath is what the system has room for in the address of a socket.
const maxSocketPath = 100

// Listen makes a unix socket and answers every client that connects to it, until one of them requests a shutdown, or
// ctx ends, whose cause is the error then.
func (s *Server) Listen(ctx context.Context, path string) error {
	listener, err := listenUnix(path)
	if err != nil {
		_ = s.options.Runner.Close()
		return fmt.Errorf("--socket %s: %w", path, err)
	}
	var conns connections
	ended := make(chan error, 1)
	go func() { ended <- s.accept(ctx, listener, &conns) }()
	select {
	case err = <-ended:
		err = fmt.Errorf("--socket %s: %w", path, err)
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	listener.Close() // removes the socket
	s.end(conns.list()...)
	return err
}

// accept serves every connection in a goroutine of its own until the listener fails.
func (s *Server) accept(ctx context.Context, listener net.Listener, conns *connections) error {
	for {
		c, err := listener.Accept()
		if temporary(err) {
			time.Sleep(acceptPause)
			continue
		}
		if err != nil {
			return err
		}
		conn := s.connection(c, c)
		conns.add(conn)
		go func() {
			defer conns.remove(conn)
			defer c.Close()
			if err := mayCall(c.(*net.UnixConn)); err != nil {
				conn.Refuse(err)
				return
			}
			_ = conn.Run(ctx) // its end is the client's affair
		}()
	}
}

// temporary reports whether a connection that could not be accepted may be later: too many are open, or it is gone. The
// calls of the others go on, and the gates of everybody else must not end with it.
func temporary(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	}, func(e error) bool { return errors.Is(err, e) })
}

// connections are those that are open.
type connections struct {
	mu   sync.Mutex
	open map[*jsonrpc.Conn]bool
}

func (c *connections) add(conn *jsonrpc.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*jsonrpc.Conn]bool{}
	}
	c.open[conn] = true
}

func (c *connections) remove(conn *jsonrpc.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

func (c *connections) list() []*jsonrpc.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.open))
}

// mayCall lets in whoever runs as the same user.
func mayCall(c *net.UnixConn) error {
	uid, known, err := peer(c)
	switch {
	case err != nil:
		return jsonrpc.Errorf(codeNoVerdict, "who is calling cannot be told: %v", err)
	case known && uid != os.Getuid():
		return jsonrpc.Errorf(codeNoVerdict, "this is the socket of another user")
	}
	return nil
}

// listenUnix makes the socket, for this user alone.
func listenUnix(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		const text = "the path is longer than %d bytes, which the system does not take; use a shorter one"
		return nil, fmt.Errorf(text, maxSocketPath)
	}
	folder := filepath.Dir(path)
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	unlock, err := lockFolder(folder) // of two servers that start at once, the second must see the first one's socket
	if err != nil {
		return nil, fmt.Errorf("locking its folder: %w", regularfile.UnwrapPath(err))
	}
	defer unlock()
	if err := removeDead(path); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, regularfile.UnwrapPath(err)
	}
	return listener, nil
}

// makeFolder makes the folder of a socket unless it is there. It refuses one in which somebody else could put another
// socket in our place.
func makeFolder(folder string) error {
	if _, err := ownpath.Resolve(folder); err != nil {
		return fmt.Errorf("its folder: %w", regularfile.UnwrapPath(err))
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making its folder: %w", regularfile.UnwrapPath(err))
	}
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("its folder: %w", regularfile.UnwrapPath(err))
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", folder)
	}
	if err := ownFolder(info); err != nil {
		const mend = "put the socket into a folder that only you can write to (mkdir -m 700)"
		return fmt.Errorf("%s %w; %s", folder, err, mend)
	}
	return nil
}

// removeDead removes a socket on which no server listens any more. Anything else that stands there is an error, and is
// left alone.
func removeDead(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return regularfile.UnwrapPath(err)
	case info.Mode()&os.ModeSocket == 0:
		return errors.New("there is something that is no socket; it was left alone")
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		c.Close()
		return errors.New("another server listens on it; end that one, or use another path")
	case !refused(err):
		return fmt.Errorf("trying whether another server listens on it: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("replacing the socket of a server that is gone: %w", regularfile.UnwrapPath(err))
	}
	return nil
}
