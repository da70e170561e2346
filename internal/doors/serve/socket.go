package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
)

// acceptPause is the pause after a failed accept.
const acceptPause = 50 * time.Millisecond

var errLive = errors.New("another server listens on it; end that one, or use another path")

// listener is a socket for connections of this user only.
type listener interface {
	accept() (io.ReadWriteCloser, error)
	Close() error
}

// Listen creates a socket, on Windows a named pipe, and serves every client until a client requests a shutdown or ctx
// ends. In the second case the error is the cause of ctx.
func (s *Server) Listen(ctx context.Context, path string) error {
	l, err := listen(path)
	if err != nil {
		_ = s.options.Runner.Close()
		return fmt.Errorf("--socket %s: %w", path, err)
	}
	var conns connections
	ended := make(chan error, 1)
	go func() { ended <- s.accept(ctx, l, &conns) }()
	select {
	case err = <-ended:
		err = fmt.Errorf("--socket %s: %w", path, err)
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.Close() // removes the socket
	s.end(conns.list()...)
	return err
}

// accept serves every connection in a new goroutine until the listener fails.
func (s *Server) accept(ctx context.Context, l listener, conns *connections) error {
	for {
		c, err := l.accept()
		if temporary(err) {
			time.Sleep(acceptPause)
			continue
		}
		if err != nil {
			return err
		}
		ctx, gone := context.WithCancel(ctx)
		conn := s.connection(ctx, c, c)
		conns.add(conn)
		go func() {
			defer gone()
			defer conns.remove(conn)
			defer c.Close()
			if err := mayCall(c); err != nil {
				conn.Refuse(err)
				return
			}
			_ = conn.Run(ctx) // only the client cares about the error
		}()
	}
}

// temporary reports whether accept may succeed later: too many files are open, or the connection is gone. The server
// goes on, because its other clients still need their gates.
func temporary(err error) bool {
	return process.Shortage(err) != "" || errors.Is(err, syscall.ECONNABORTED)
}

// connections are the open connections.
type connections struct {
	mu    sync.Mutex
	conns map[*jsonrpc.Conn]bool
}

func (c *connections) add(conn *jsonrpc.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conns == nil {
		c.conns = map[*jsonrpc.Conn]bool{}
	}
	c.conns[conn] = true
}

func (c *connections) remove(conn *jsonrpc.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, conn)
}

func (c *connections) list() []*jsonrpc.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.conns))
}
