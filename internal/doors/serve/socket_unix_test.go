//go:build unix

package serve

import (
	"context"
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

func newSocket(t *testing.T) string { return filepath.Join(socketFolder(t), "s") }

func connect(path string) (io.ReadWriteCloser, error) { return net.Dial("unix", path) }

// The socket and the folder that is made for it are for this user alone.
func TestModes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketFolder(t), "made", "s")
	l, err := listen(path)
	require.NoError(t, err)
	defer l.Close()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestDeadSocketIsReplaced(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	l, err := listen(path)
	require.NoError(t, err)
	dial(t, path)
	require.NoError(t, l.Close())
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
		"all can write above it": {filepath.Join(open, "own", "s"), open + " can be written to by everybody, so " +
			"somebody could put another folder in the place of " + filepath.Join(open, "own") +
			"; put the socket elsewhere"},
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
// Another user's folder is no place, even for a folder of one's own in it.
func TestOwnFolderInAnotherUsersFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	foreign := filepath.Join(socketFolder(t), "foreign")
	own := filepath.Join(foreign, "own")
	require.NoError(t, os.MkdirAll(own, 0o700))
	require.NoError(t, os.Chmod(foreign, 0o755))
	require.NoError(t, os.Chown(foreign, 65534, 65534))
	path := filepath.Join(own, "s")
	err := newFixture(t).server().Listen(context.Background(), path)
	require.EqualError(t, err, "--socket "+path+": "+foreign+" belongs to another user, so somebody could put another "+
		"folder in the place of "+own+"; put the socket elsewhere")
}

func TestErrorsOfAccept(t *testing.T) {
	t.Parallel()
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		require.True(t, temporary(fmt.Errorf("accept: %w", err)), err)
	}
	require.False(t, temporary(net.ErrClosed))
	require.False(t, temporary(nil))
}

// What async hooks answer without a session goes to the connection that called.
// Not beside others: a process that is being forked holds their sockets for a moment.
func TestAsyncResultsOfTwoConnections(t *testing.T) {
	f := newFixture(t)
	answered := filepath.Join(f.dir, "answered")
	f.hooks(f.dir, `{"hooks":[{"name":"late","async":true,"events":["pre-tool"],"dialect":"claude",`+
		`"command":"grep -q mine && echo '{\"systemMessage\":\"for the first\"}'; touch answered"}]}`)
	path := newSocket(t)
	_, done := serveAt(t, f.server(), path)
	first, second := dial(t, path), dial(t, path)
	call := func(about string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"shell","args":"` + about + `"}}`
	}
	ask(t, first, call("mine"))
	require.Eventually(t, func() bool { _, err := os.Stat(answered); return err == nil }, patience, time.Millisecond)
	for range 20 {
		require.NotContains(t, ask(t, second, call("other")), "for the first")
	}
	require.Eventually(t, func() bool {
		return strings.Contains(ask(t, first, call("other")), "for the first")
	}, patience, time.Millisecond)
	ask(t, first, shutdown)
	require.NoError(t, ended(t, done))
}
