package serve

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func newSocket(*testing.T) string { return pipeFolder + "hookrun-test-" + rand.Text() }

// connect opens the pipe as a program of any language would.
func connect(path string) (io.ReadWriteCloser, error) { return os.OpenFile(path, os.O_RDWR, 0) }

// A pipe is for this user alone.
func TestAccessListOfThePipe(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	l, err := listen(filepath.ToSlash(path))
	require.NoError(t, err)
	defer l.Close()
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	require.NoError(t, err)
	descriptor, err := windows.GetSecurityInfo(windows.Handle(dial(t, path).(*os.File).Fd()), windows.SE_KERNEL_OBJECT,
		windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	require.Regexp(t, `^D:P\(A;[A-Z]*;(FA|0x1f01ff);;;`+user.User.Sid.String()+`\)$`, descriptor.String())
}

func TestNamesThatAreNoPipe(t *testing.T) {
	t.Parallel()
	for _, path := range []string{`C:\s`, "s", `\\.\pipe\`, `\\.\pipe\a\b`, `\\server\pipe\a`} {
		err := newFixture(t).server().Listen(context.Background(), path)
		require.EqualError(t, err, "--socket "+path+`: on Windows it is a named pipe; write \\.\pipe\ and a name`)
	}
}

// Nobody else can take the name when there is no room for one more instance. The client waits, as on a socket.
func TestNameIsKeptWithoutRoomForMore(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	l, err := listen(path)
	require.NoError(t, err)
	defer l.Close()
	p := l.(*pipe)
	client := dial(t, path)
	_, err = io.WriteString(client, "request")
	require.NoError(t, err)

	p.name = "\x00" // no instance can be made
	for range 2 {
		_, err = l.accept()
		require.ErrorContains(t, err, "one more instance")
		_, err = listen(path)
		require.ErrorIs(t, err, errLive)
	}

	p.name = path
	c, err := l.accept()
	require.NoError(t, err)
	defer c.Close()
	text := make([]byte, len("request"))
	_, err = io.ReadFull(c, text)
	require.NoError(t, err)
	require.Equal(t, "request", string(text))
	require.NoError(t, dial(t, path).Close())
}

// What a client wrote counts, however soon it is gone.
func TestClientThatIsGoneBeforeItIsAccepted(t *testing.T) {
	t.Parallel()
	path := newSocket(t)
	l, err := listen(path)
	require.NoError(t, err)
	defer l.Close()
	client := dial(t, path)
	_, err = io.WriteString(client, "request")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	accepted := make(chan string, 1)
	go func() {
		if c, err := l.accept(); err == nil {
			defer c.Close()
			text, _ := io.ReadAll(c)
			accepted <- string(text)
		}
	}()
	select {
	case text := <-accepted:
		require.Equal(t, "request", text)
	case <-time.After(patience):
		require.Fail(t, "what it wrote is lost")
	}
}
