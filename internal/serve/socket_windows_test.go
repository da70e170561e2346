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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func pipeName(t *testing.T) string {
	return fmt.Sprintf(`%shookrun-%s-%d`, pipeFolder, filepath.Base(t.TempDir())+t.Name(), os.Getpid())
}

func serveAt(t *testing.T, s *Server, path string) (stop context.CancelCauseFunc, ended chan error) {
	ctx, stop := context.WithCancelCause(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- s.Listen(ctx, path) }()
	t.Cleanup(func() { stop(nil) })
	return stop, ended
}

// dial opens the pipe as a program of any language would, as soon as it is there.
func dial(t *testing.T, path string) *os.File {
	t.Helper()
	var file *os.File
	require.Eventually(t, func() bool {
		var err error
		file, err = os.OpenFile(path, os.O_RDWR, 0)
		return err == nil
	}, patience, time.Millisecond)
	t.Cleanup(func() { file.Close() })
	return file
}

func ask(t *testing.T, conn io.ReadWriter, line string) string {
	t.Helper()
	_, err := io.WriteString(conn, line+"\n")
	require.NoError(t, err)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	return answer
}

func TestListen(t *testing.T) {
	t.Parallel()
	path := pipeName(t)
	_, done := serveAt(t, newFixture(t).server(), strings.ReplaceAll(path, `\`, "/"))
	a, b := dial(t, path), dial(t, path)
	require.Contains(t, ask(t, a, ping), `"version":"v1.2.3"`)
	require.Contains(t, ask(t, b, ping), `"version":"v1.2.3"`)
	require.NoError(t, a.Close()) // the end of one client is not the end of the server
	require.Contains(t, ask(t, b, ping), `"version":"v1.2.3"`)

	long := strings.Repeat("x", 3*pipeBuffer) // more than a pipe holds
	require.Contains(t, ask(t, b, `{"jsonrpc":"2.0","id":1,"method":"`+long+`"}`), `unknown method`)

	// The pipe is for this user alone.
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	require.NoError(t, err)
	descriptor, err := windows.GetSecurityInfo(windows.Handle(b.Fd()), windows.SE_KERNEL_OBJECT,
		windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	require.Regexp(t, `^D:P\(A;[A-Z]*;(FA|0x1f01ff);;;`+user.User.Sid.String()+`\)$`, descriptor.String())

	require.Contains(t, ask(t, b, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`), `"result":null`)
	require.NoError(t, <-done)
	require.NoError(t, b.Close())
	require.Eventually(t, func() bool {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			file.Close()
		}
		return errors.Is(err, os.ErrNotExist)
	}, patience, time.Millisecond)
}

// Clients hear of calls that end with the server.
func TestListenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := pipeName(t)
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
	require.EqualError(t, <-done, "interrupted by a test")
	one(t, w.ended)
}

// A name is in use as long as its server lives.
func TestPipeThatIsThereAlready(t *testing.T) {
	t.Parallel()
	path := pipeName(t)
	stop, done := serveAt(t, newFixture(t).server(), path)
	conn := dial(t, path)
	err := newFixture(t).server().Listen(context.Background(), path)
	require.EqualError(t, err, "--socket "+path+": another server listens on it; end that one, or use another name")
	require.Contains(t, ask(t, conn, ping), `"version":"v1.2.3"`)
	stop(nil)
	require.Error(t, <-done)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool {
		again, err := listen(path)
		if err == nil {
			err = again.Close()
		}
		return err == nil
	}, patience, time.Millisecond)
}

func TestNamesThatAreNoPipe(t *testing.T) {
	t.Parallel()
	for _, path := range []string{`C:\s`, "s", `\\.\pipe\`, `\\.\pipe\a\b`, `\\server\pipe\a`} {
		err := newFixture(t).server().Listen(context.Background(), path)
		require.EqualError(t, err, "--socket "+path+`: on Windows it is a named pipe; write \\.\pipe\ and a name`)
	}
}

func TestAcceptAfterTheEnd(t *testing.T) {
	t.Parallel()
	l, err := listen(pipeName(t))
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorIs(t, newFixture(t).server().accept(context.Background(), l, new(connections)), net.ErrClosed)
}
