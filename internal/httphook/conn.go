package httphook

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// connections are those of a client. net/http closes a connection some time after its request was given up; who ends
// wants to know that none is left.
type connections struct {
	open   sync.WaitGroup // and those that are being made
	mu     sync.Mutex
	closed bool
	all    map[*tcpConn]context.CancelFunc
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
	if c.all == nil {
		c.all = map[*tcpConn]context.CancelFunc{}
	}
	c.all[conn] = cancel
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
		delete(c.all, conn)
		c.open.Done()
		return nil, err
	}
	return conn, nil
}

// close ends what is open or being made.
func (c *connections) close() {
	c.mu.Lock()
	c.closed = true
	var conns []*tcpConn
	for conn, cancel := range c.all {
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

// tcpConn is a connection that remembers whether the other side ended it. Package tls reports that end and a
// close_notify alike, but only the server can send the second.
type tcpConn struct {
	net.Conn
	of     *connections
	ended  atomic.Bool
	closed sync.Once
}

func (c *tcpConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF {
		c.ended.Store(true)
	}
	return n, err
}

func (c *tcpConn) Close() error {
	err := c.Conn.Close()
	c.closed.Do(func() {
		c.of.mu.Lock()
		delete(c.of.all, c)
		c.of.mu.Unlock()
		c.of.open.Done()
	})
	return err
}
