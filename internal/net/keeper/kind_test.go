//go:build linux

package keeper_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/net/keeper"
)

// If any part differs, another process answers.
func TestOthersHaveOtherProcesses(t *testing.T) {
	b := newBench(t, each(answers))
	first := b.pid()
	for name, change := range map[string]func(o *bench){
		"the name":         func(o *bench) { o.Hook += "x" },
		"the workspace":    func(o *bench) { o.Workspace = o.Path("workspace") },
		"the folder":       func(o *bench) { o.Program.Dir = o.Path("workspace") },
		"an argument":      func(o *bench) { o.Program.Args = append(slices.Clip(o.Program.Args), "x") },
		"not UTF-8":        func(o *bench) { o.Program.Args = append(slices.Clip(o.Program.Args), "\xff") },
		"not UTF-8 either": func(o *bench) { o.Program.Args = append(slices.Clip(o.Program.Args), "\xfe") },
		"a variable":       func(o *bench) { o.Program.Env = append(slices.Clip(o.Program.Env), "A=\xff") },
		"no variable":      func(o *bench) { o.Program.Env = append(slices.Clip(o.Program.Env), "A=\ufffd") },
		"PATH":             func(o *bench) { o.Program.Env = []string{o.Program.Env[0] + ":/x", o.Mark} },
		"the program":      func(o *bench) { o.Program.Path = "/bin/dash" },
		"workers":          func(o *bench) { o.Workers++ },
		"the time":         func(o *bench) { o.Keep++ },
		"the files":        func(o *bench) { o.Files = "x" },
		"the binary": func(o *bench) {
			text, err := os.ReadFile(o.Binary)
			require.NoError(t, err)
			o.Binary = o.Path("other")
			require.NoError(t, os.WriteFile(o.Binary, append(text, '\n'), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := *b
			o.T = t
			_ = os.Mkdir(o.Path("workspace"), 0o700)
			change(&o)
			pid := o.pid()
			require.NotEqual(t, first, pid)
			if o.Workers == 1 { // the first process may still be busy
				require.Equal(t, pid, o.pid())
			}
			if name == "not UTF-8" {
				require.Equal(t, "\xff", processtest.Cmdline(pid)[3])
			}
			if o.Hook != b.Hook {
				o.endAll()
			}
			require.NoError(t, os.RemoveAll(o.Path("workspace"))) // also ends the keeper
		})
	}
	o := *b
	o.Program.Env = slices.Clone(b.Program.Env)
	slices.Reverse(o.Program.Env)
	require.Equal(t, o.pid(), o.pid(), "the order of variables is no difference")
}

// A new build at the path of the old build, a workspace deleted and made again.
func TestOthersAtTheSamePath(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	b.Workspace = b.Path("workspace")
	require.NoError(t, os.Mkdir(b.Workspace, 0o700))
	first := b.pid()
	text, err := os.ReadFile(b.Binary)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.Path("new"), append(text, '\n'), 0o700))
	require.NoError(t, os.Rename(b.Path("new"), b.Binary))
	second := b.pid()
	require.NotEqual(t, first, second)
	require.NoError(t, os.Rename(b.Workspace, b.Path("moved")))
	require.False(t, b.ask("x").Begun)
	require.NoError(t, os.Mkdir(b.Workspace, 0o700))
	require.NotContains(t, []int{first, second}, b.pid())
}

// Callers with other rights have other processes.
func TestRights(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	first := fmt.Sprint(b.pid())
	for _, commands := range []string{"umask 0077", "ulimit -n 64", "ulimit -c 0; ulimit -s 4096"} {
		got := b.callerAfter(commands, callerOrder{Texts: []string{"x", "y"}}).replies()
		require.Len(t, got, 2, commands)
		for _, r := range got {
			require.True(t, r.Begun && !r.Failed, "%s: %+v", commands, r)
			require.NotEqual(t, first, strings.Fields(r.Answer)[2], commands)
		}
		if strings.HasPrefix(commands, "umask") {
			again := b.callerAfter(commands, callerOrder{Texts: []string{"z"}}).replies()[0]
			require.Equal(t, strings.Fields(got[0].Answer)[2], strings.Fields(again.Answer)[2])
		}
	}
	require.Equal(t, first, fmt.Sprint(b.pid()))
}

// If the limits leave no room for a keeper, the caller runs the hook.
func TestCallersWithLimits(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	for _, commands := range []string{"ulimit -f 0", "ulimit -n 20", "ulimit -n 16", "ulimit -n 12"} {
		for i := range 2 {
			text := fmt.Sprint(commands, i)
			got := b.callerAfter(commands, callerOrder{Texts: []string{text}}).replies()
			require.Len(t, got, 1, commands)
			require.False(t, got[0].Failed && got[0].Begun, "%s: %+v", commands, got)
			want := 0
			if got[0].Begun {
				want = 1
			}
			require.Equal(t, want, b.log()[text], commands)
		}
	}
}

// If no process can be kept, the caller runs the hook.
func TestPlacesWhereNothingIsKept(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b *bench) error{
		"a long path":         func(b *bench) error { b.State += "/" + strings.Repeat("x", 60); return nil },
		"a path of 255":       func(b *bench) error { b.State += "/" + strings.Repeat("x", 255); return nil },
		"a file":              func(b *bench) error { b.State += "/file"; return os.WriteFile(b.State, nil, 0o600) },
		"a folder for others": func(b *bench) error { return os.Chmod(b.State, 0o777) },
		"sockets for others": func(b *bench) error {
			_ = os.Mkdir(b.State+"/keepers", 0o700)
			return os.Chmod(b.State+"/keepers", 0o755)
		},
		"a link":              func(b *bench) error { return os.Symlink(b.Dir, b.State+"/keepers") },
		"sockets are a file":  func(b *bench) error { return os.WriteFile(b.State+"/keepers", nil, 0o700) },
		"in the workspace":    func(b *bench) error { b.State = b.Dir + "/s"; return os.Mkdir(b.State, 0o700) },
		"no workspace":        func(b *bench) error { b.Workspace += "/none"; return nil },
		"no binary":           func(b *bench) error { b.Binary += "none"; return nil },
		"a binary that fails": func(b *bench) error { b.Binary = "/bin/false"; return nil },
		"a binary that is something else": func(b *bench) error {
			return os.WriteFile(b.Binary, []byte("#!/bin/sh\nexec sleep 0.1\n"), 0o700)
		},
		"read-only": func(b *bench) error {
			if os.Geteuid() == 0 {
				return mount(b.T, b.State, "ro")
			}
			return os.Chmod(b.State, 0o500)
		},
		"full": func(b *bench) error {
			if os.Geteuid() != 0 {
				b.Skip("only root can mount")
			}
			if err := mount(b.T, b.State, "size=4k,nr_inodes=2,mode=700"); err != nil {
				return err
			}
			return os.Mkdir(b.State+"/keepers", 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, each(answers))
			require.NoError(t, spoil(b))
			for range 2 {
				require.False(t, b.ask("x").Begun)
			}
			require.Empty(t, b.log())
			require.Empty(t, keeper.List(b.State))
			_ = os.RemoveAll(b.State + "/keepers") // the program was no keeper and left the files
			_ = os.Chmod(b.State, 0o700)
		})
	}
	t.Run("a name of any characters", func(t *testing.T) {
		b := newBench(t, each(answers))
		b.State += "/[a-b]*? \xff"
		require.NoError(t, os.Mkdir(b.State, 0o700))
		require.Equal(t, b.pid(), b.pid())
		require.Len(t, keeper.List(b.State), 1)
	})
}

// mount mounts a small file system of memory until the end of the test.
func mount(t *testing.T, at, options string) error {
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", at).CombinedOutput(); err != nil {
		t.Skipf("mount: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", at).Run() })
	return nil
}

// A keeper serves only the keeper's user, and a caller uses only keepers of the caller's user.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	b := newBench(t, each(answers))
	const nobody = 65534
	folder, err := os.MkdirTemp("", "k") // another user can enter the folder
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755))
	own := func(path string) string {
		require.NoError(t, os.MkdirAll(path, 0o700))
		require.NoError(t, os.Chown(path, nobody, nobody))
		return path
	}
	program := filepath.Join(folder, "program")
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, text, 0o755))
	their := *b
	their.State, their.Workspace, their.Binary = own(folder+"/state"), own(folder+"/workspace"), program
	their.Program.Dir = their.Workspace
	call := func(b *bench) callerReply {
		t.Helper()
		c := b.callerOf(program, &syscall.Credential{Uid: nobody, Gid: nobody}, "true",
			callerOrder{Texts: []string{"x"}})
		got := c.replies()
		require.Len(t, got, 1)
		return got[0]
	}
	mine := b.pid()
	first := call(&their)
	require.True(t, first.Begun && !first.Failed, "%+v", first)
	require.Equal(t, strings.Fields(first.Answer)[2], strings.Fields(call(&their).Answer)[2])
	require.NotEqual(t, strings.Fields(first.Answer)[2], fmt.Sprint(mine))

	require.False(t, their.ask("x").Begun, "root does not call what another user keeps")
	require.Empty(t, keeper.List(their.State))
	sockets, _ := filepath.Glob(their.State + "/keepers/*.sock")
	require.Len(t, sockets, 1)
	require.Empty(t, b.sends(sockets[0], 20), "nor does a keeper answer another user, such as root")

	lent := their
	lent.State = b.State
	require.False(t, call(&lent).Begun, "another user's state folder")

	require.Len(t, b.keepers(), 2)
	for _, pid := range b.keepers() {
		require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
	}
}

// sends sends a message to a socket, and returns the bytes read until the end.
func (b *bench) sends(socket string, kind byte, more ...byte) (back []byte) {
	b.Helper()
	c, err := net.Dial("unix", socket)
	require.NoError(b, err)
	defer c.Close()
	_, _ = c.Write(append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(more))), more...))
	_ = c.SetReadDeadline(time.Now().Add(processtest.Patience))
	back, err = io.ReadAll(c)
	if err != nil {
		require.ErrorIs(b, err, syscall.ECONNRESET)
	}
	return back
}

// After malformed messages the next call still gets an answer.
func TestMessagesThatAreNone(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	b.must("x")
	sockets, _ := filepath.Glob(b.State + "/keepers/*.sock")
	require.Len(t, sockets, 1)
	for kind := range 20 {
		if kind != 1 { // asks
			require.Empty(t, b.sends(sockets[0], byte(kind), []byte("some text")...), kind)
		}
	}
	for _, bytes := range []string{"", "\x01", "\x01\xff\xff\xff\xff", "\x01\x00\x00\x00\x00",
		"\x01\x00\x00\x00\x00\x04\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x04\x00\x00\x00\x09\x00\x00",
		"\x01\x00\x00\x00\x00\x04\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00",
		"\x01\x00\x00\x00\x00\x06\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x04\xff\xff\xff\xff"} {
		c, err := net.Dial("unix", sockets[0])
		require.NoError(t, err)
		_, err = io.WriteString(c, bytes)
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	b.must("x")
	_, err := os.Stat(sockets[0])
	require.NoError(t, err)
	require.True(t, processtest.Alive(b.keeper()))
}
