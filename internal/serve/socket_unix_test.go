//go:build unix

package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// socketFolder is a folder whose path is short enough for a socket.
func socketFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "serve")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serveAt runs the server on a socket, and returns what ends it.
func serveAt(t *testing.T, s *Server, path string) (stop context.CancelCauseFunc, ended chan error) {
	ctx, stop := context.WithCancelCause(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- s.Listen(ctx, path) }()
	t.Cleanup(func() { stop(nil) })
	return stop, ended
}

// dial connects as soon as the server listens.
func dial(t *testing.T, path string) net.Conn {
	t.Helper()
	var conn net.Conn
	require.Eventually(t, func() bool {
		var err error
		conn, err = net.Dial("unix", path)
		return err == nil
	}, patience, time.Millisecond)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// ask sends one line and returns the answer.
func ask(t *testing.T, conn net.Conn, line string) string {
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

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestListen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketFolder(t), "made", "s")
	_, done := serveAt(t, newFixture(t).server(), path)
	a, b := dial(t, path), dial(t, path)
	require.Contains(t, ask(t, a, ping), `"version":"v1.2.3"`)
	require.Contains(t, ask(t, b, ping), `"version":"v1.2.3"`)
	require.NoError(t, a.Close()) // the end of one client is not the end of the server
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.Contains(t, ask(t, b, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`), `"result":null`)
	require.NoError(t, ended(t, done))
	require.NoFileExists(t, path)
}

// Clients hear of calls that end with the server.
func TestListenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketFolder(t), "s")
	w := newWaits()
	stop, done := serveAt(t, newFixture(t, w.hook()).server(), path)
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

// Only what nobody listens on is replaced.
func TestSocketThatIsThereAlready(t *testing.T) {
	t.Parallel()
	dir := socketFolder(t)
	path := filepath.Join(dir, "s")
	_, done := serveAt(t, newFixture(t).server(), path)
	dial(t, path)
	err := newFixture(t).server().Listen(context.Background(), path)
	require.EqualError(t, err, "--socket "+path+": another server listens on it; end that one, or use another path")

	dead := filepath.Join(dir, "dead")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	require.NoError(t, err)
	listener.SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	_, doneToo := serveAt(t, newFixture(t).server(), dead)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", dead)
		if err == nil {
			ask(t, conn, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
		}
		return err == nil
	}, patience, time.Millisecond)
	require.NoError(t, ended(t, doneToo))

	ask(t, dial(t, path), `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	require.NoError(t, ended(t, done))
}

func TestFoldersThatAreNoPlaceForASocket(t *testing.T) {
	t.Parallel()
	dir := socketFolder(t)
	open, file := filepath.Join(dir, "open"), filepath.Join(dir, "file")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o777))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	long := filepath.Join(dir, strings.Repeat("a", maxSocketPath))
	for name, test := range map[string]struct{ path, want string }{
		"others can write": {filepath.Join(open, "s"), open +
			" can be written to by others; put the socket into a folder " +
			"that only you can write to (mkdir -m 700)"},
		"no folder": {filepath.Join(file, "s"), file + " is no folder"},
		"no folder above": {filepath.Join(dir, "none", "none", "s"),
			"making its folder: no such file or directory"},
		"something else": {file, "there is something that is no socket; it was left alone"},
		"too long for the OS": {long,
			"the path is longer than 100 bytes, which the system does not take; use a shorter one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := newFixture(t).server().Listen(context.Background(), test.path)
			require.EqualError(t, err, "--socket "+test.path+": "+test.want)
		})
	}
	require.FileExists(t, file)
}

// That there is no room for a connection must not end the gates of those that are there.
func TestErrorsOfAccept(t *testing.T) {
	t.Parallel()
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		require.True(t, temporary(fmt.Errorf("accept: %w", err)), err)
	}
	require.False(t, temporary(net.ErrClosed))
	require.False(t, temporary(nil))
	path := filepath.Join(socketFolder(t), "s")
	l, err := listen(path)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorIs(t, newFixture(t).server().accept(context.Background(), l, new(connections)), net.ErrClosed)
}
