package httphook

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// connections are the connections of a client. Close needs them, because net/http closes the connection of an abandoned
// request only some time later.
type connections struct {
	open   sync.WaitGroup // including connections being opened
	mu     sync.Mutex
	closed bool
	conns  map[*tcpConn]context.CancelFunc
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn := &tcpConn{of: c}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, net.ErrClosed
	}
	if c.conns == nil {
		c.conns = map[*tcpConn]context.CancelFunc{}
	}
	c.conns[conn] = cancel
	c.open.Add(1)
	c.mu.Unlock()

	var d net.Dialer
	made, err := d.DialContext(ctx, network, address)
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.Conn = made; err == nil && c.closed {
		made.Close()
		err = net.ErrClosed
	}
	if err != nil {
		delete(c.conns, conn)
		c.open.Done()
		return nil, err
	}
	return conn, nil
}

// close closes all connections, including connections being opened.
func (c *connections) close() {
	c.mu.Lock()
	c.closed = true
	var conns []*tcpConn
	for conn, cancel := range c.conns {
		cancel()
		if conn.Conn != nil {
			conns = append(conns, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range conns {
		conn.Close()
	}
}

// tcpConn remembers whether the other side closed the TCP connection. Package tls does not distinguish that from a
// close_notify, but only the server can send a close_notify.
type tcpConn struct {
	net.Conn
	of     *connections
	sawEOF atomic.Bool
	closed sync.Once
}

func (c *tcpConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF {
		c.sawEOF.Store(true)
	}
	return n, err
}

func (c *tcpConn) Close() error {
	err := c.Conn.Close()
	c.closed.Do(func() {
		c.of.mu.Lock()
		delete(c.of.conns, c)
		c.of.mu.Unlock()
		c.of.open.Done()
	})
	return err
}
