package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/jsonrpc"
)

// acceptPause is how long a connection that could not be accepted waits for the next attempt.
const acceptPause = 50 * time.Millisecond

var errLive = errors.New("another server listens on it; end that one, or use another path")

// listener is a socket, which only this user can connect to.
type listener interface {
	accept() (io.ReadWriteCloser, error)
	Close() error
}

// Listen makes a socket, on Windows a named pipe, and answers every client that connects to it, until one of them
// requests a shutdown, or ctx ends, whose cause is the error then.
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

// accept serves every connection in a goroutine of its own until the listener fails.
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
			_ = conn.Run(ctx) // its end is the client's affair
		}()
	}
}

// temporary reports whether a connection that could not be accepted may be later: too many are open, or it is gone. The
// calls of the others go on, and the gates of everybody else must not end with it.
func temporary(err error) bool {
	return slices.ContainsFunc(shortages, func(e error) bool { return errors.Is(err, e) })
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
