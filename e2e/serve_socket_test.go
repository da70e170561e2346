//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
)

// A gate that another user could ask would tell what it keeps from whom, and run programs for them.
func TestSocketIsForItsOwnerOnly(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	s := rpc.NewServer(t, rpc.PreTool("h", "*", "echo >ran"))
	require.NoError(t, os.Chmod(filepath.Dir(s.Socket), 0o755))
	s.Listen()
	info, err := os.Stat(s.Socket)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	// connect connects as another user, whom the system knows by the thread.
	connect := func() (fd int, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlock: the thread ends with us
			if fd, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err != nil {
				return
			}
			const nobody, same = 65534, ^uintptr(0)
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, nobody, same); errno != 0 {
				err = errno
				return
			}
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: s.Socket})
		}()
		<-done
		return fd, err
	}
	ask := func() (string, error) {
		fd, err := connect()
		if err != nil {
			syscall.Close(fd)
			return "", err
		}
		conn := os.NewFile(uintptr(fd), "socket")
		defer conn.Close()
		_, _ = conn.WriteString(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"pre-tool",`+
			`"params":{"tool":"shell"}}`+"\n", 3))
		out, err := io.ReadAll(conn)
		if errors.Is(err, syscall.ECONNRESET) { // what was written was not read
			err = nil
		}
		return string(out), err
	}
	_, err = ask()
	require.ErrorIs(t, err, syscall.EACCES, "the mode of the socket keeps others out")
	require.NoError(t, os.Chmod(s.Socket, 0o666))
	out, err := ask()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	var a rpc.Reply
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, "null", string(a.ID))
	require.Equal(t, -32001, a.Error.Code)
	require.Contains(t, a.Error.Message, "another user")
	require.False(t, binary.Exists(s.Dir, "ran"))
	require.Equal(t, "continue", s.Dial().Tool("shell").Decision)
	require.True(t, binary.Exists(s.Dir, "ran"))
}

// A server that ends because too many clients came would take everybody's gates along.
func TestMoreConnectionsThanDescriptors(t *testing.T) {
	s := rpc.NewServer(t)
	s.Files = 24
	s.Listen()
	var conns []net.Conn
	for range 2 * s.Files {
		conn, err := net.Dial("unix", s.Socket)
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	last := fmt.Sprintf("/proc/%d/fd/%d", s.Cmd.Process.Pid, s.Files-1)
	require.Eventually(t, func() bool {
		_, err := os.Lstat(last)
		return err == nil
	}, binary.Patience, time.Millisecond, "the server has descriptors left")
	waits := rpc.NewClient(t, conns[len(conns)-1], conns[len(conns)-1])
	id := waits.Send("ping", nil)
	for _, conn := range conns[:len(conns)-1] {
		conn.Close()
	}
	require.Nil(t, waits.Answer(id).Error, "the one that waited is served")
	require.Nil(t, s.Dial().Call("ping", nil).Error)
}

func TestPlaceOfTheSocket(t *testing.T) {
	refused := func(s *rpc.Server, what string) {
		t.Helper()
		s.Launch(nil, nil, "--socket", s.Socket)
		s.Ends(1)
		require.Contains(t, s.Err.String(), what)
		require.Contains(t, s.Err.String(), s.Socket)
		require.Equal(t, 1, strings.Count(s.Err.String(), "\n"), s.Err.String())
	}
	t.Run("a stale socket is replaced", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Listen()
		require.NoError(t, s.Cmd.Process.Kill())
		s.Ends(-1)
		require.FileExists(t, s.Socket)
		s.Listen()
		require.Nil(t, s.Dial().Call("ping", nil).Error)
	})
	t.Run("a link of another user is not followed", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can make links of other users")
		}
		s := rpc.NewServer(t)
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Dir(s.Socket), link))
		require.NoError(t, os.Lchown(link, 65534, 65534))
		s.Socket = filepath.Join(link, "s")
		refused(s, "is a link of another user")
	})
	t.Run("a live one is not", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Listen()
		other := rpc.NewServer(t)
		other.Socket = s.Socket
		refused(other, "another server listens on it")
		require.Nil(t, s.Dial().Call("ping", nil).Error)
	})
	t.Run("of many at once one wins", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(s.Socket), 0o700))
		stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.Socket, Net: "unix"})
		require.NoError(t, err)
		stale.SetUnlinkOnClose(false)
		require.NoError(t, stale.Close())
		ended := make(chan int, 8)
		for range cap(ended) {
			one := rpc.NewServer(t)
			one.Launch(nil, nil, "--socket", s.Socket)
			go func() {
				_ = one.Cmd.Wait()
				ended <- one.Cmd.ProcessState.ExitCode()
			}()
		}
		for range cap(ended) - 1 {
			require.Equal(t, 1, <-ended)
		}
		require.Equal(t, "null", string(s.Dial().Call("shutdown", nil).Result))
		require.Equal(t, 0, <-ended)
	})
	t.Run("a file is left alone", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.WriteFile(s.Socket, []byte("mine"), 0o600))
		refused(s, "no socket")
		text, err := os.ReadFile(s.Socket)
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
	})
	t.Run("a link is left alone", func(t *testing.T) {
		s := rpc.NewServer(t)
		require.NoError(t, os.Symlink("nowhere", s.Socket))
		refused(s, "no socket")
		require.True(t, binary.Exists(filepath.Dir(s.Socket), "s"))
		require.False(t, binary.Exists(filepath.Dir(s.Socket), "nowhere"))
	})
	t.Run("a folder for others is refused", func(t *testing.T) {
		for _, mode := range []os.FileMode{0o777, 0o770, 0o707, os.ModeSticky | 0o777} {
			s := rpc.NewServer(t)
			require.NoError(t, os.Chmod(filepath.Dir(s.Socket), mode))
			refused(s, "can be written to by others")
			require.NoFileExists(t, s.Socket)
		}
	})
	t.Run("a folder is made", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Socket = filepath.Join(filepath.Dir(s.Socket), "new", "s")
		s.Listen()
		info, err := os.Stat(filepath.Dir(s.Socket))
		require.NoError(t, err)
		require.EqualValues(t, 0o700, info.Mode().Perm())
	})
	t.Run("odd names", func(t *testing.T) {
		for _, name := range []string{"a b", "ä\n\"", "-s", "@s", "s%20", "*"} {
			s := rpc.NewServer(t)
			s.Socket = filepath.Join(filepath.Dir(s.Socket), name)
			s.Listen()
			require.Equal(t, "null", string(s.Dial().Call("shutdown", nil).Result), name)
			s.Ends(0)
			require.NoFileExists(t, s.Socket)
		}
	})
	t.Run("one that is too long", func(t *testing.T) {
		s := rpc.NewServer(t)
		s.Socket = filepath.Join(filepath.Dir(s.Socket), strings.Repeat("x", 200))
		refused(s, "longer than")
	})
}
