package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	ping     = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	shutdown = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
)

// serveAt runs the server on a socket, and returns what ends it.
func serveAt(t *testing.T, s *Server, path string) (stop context.CancelCauseFunc, ended chan error) {
	ctx, stop := context.WithCancelCause(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- s.Listen(ctx, path) }()
	t.Cleanup(func() { stop(nil) })
	return stop, ended
}

// dial connects as soon as the server listens.
func dial(t *testing.T, path string) (conn io.ReadWriteCloser) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		conn, err = connect(path)
		return err == nil
	}, patience, time.Millisecond)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// ask sends one line and returns the answer.
func ask(t *testing.T, conn io.ReadWriter, line string) string {
	t.Helper()
	_, err := io.WriteString(conn, line+"\n")
	require.NoError(t, err)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	return answer
}

func ended(t *testing.T, ended chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		require.Fail(t, "Listen does not return")
		return nil
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	_, done := serveAt(t, newFixture(t).server(), path)
	a, b := dial(t, path), dial(t, path)
	require.Contains(t, ask(t, a, ping), `"version":"v1.2.3"`)
	require.Contains(t, ask(t, b, ping), `"version":"v1.2.3"`)
	require.NoError(t, a.Close())        // the end of one client is not the end of the server
	long := strings.Repeat("x", 300_000) // more than a socket or pipe holds
	require.Contains(t, ask(t, b, `{"jsonrpc":"2.0","id":1,"method":"`+long+`"}`), `unknown method`)
	require.Contains(t, ask(t, b, shutdown), `"result":null`)
	require.NoError(t, ended(t, done))
	require.NoError(t, b.Close())
	require.Eventually(t, func() bool {
		conn, err := connect(path)
		if err == nil {
			conn.Close()
		}
		return errors.Is(err, fs.ErrNotExist)
	}, patience, time.Millisecond, "the socket is still there")
}

// Clients hear of calls that end with the server.
func TestListenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	w := newWaits()
	stop, done := serveAt(t, newFixture(t, w.hooks()...).server(), path)
	conn := dial(t, path)
	_, err := io.WriteString(conn, `{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"x"}}`+"\n")
	require.NoError(t, err)
	one(t, w.running)
	stop(errors.New("interrupted by a test"))
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, answer, `"code":-32001,"message":"interrupted by a test"`)
	require.EqualError(t, ended(t, done), "interrupted by a test")
	one(t, w.ended)
}

func TestSocketWithALiveServer(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	_, done := serveAt(t, newFixture(t).server(), path)
	conn := dial(t, path)
	err := newFixture(t).server().Listen(context.Background(), path)
	require.EqualError(t, err, "--socket "+path+": another server listens on it; end that one, or use another path")
	require.Contains(t, ask(t, dial(t, path), ping), `"version":"v1.2.3"`)
	ask(t, conn, shutdown)
	require.NoError(t, ended(t, done))
}

func TestAcceptAfterTheEnd(t *testing.T) {
	t.Parallel()
	l, err := listen(newSocket(t))
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorIs(t, newFixture(t).server().accept(context.Background(), l, new(connections)), net.ErrClosed)
}
