// Package processtest is for tests that start processes. On Windows the test program itself is all of them: it plays a
// role, says that it is ready, and waits until the test lets it go on.
//
//	func TestMain(m *testing.M) {
//		processtest.Play(roles) // exits if this is the process of a test
//		os.Exit(m.Run())
//	}
//
//	b := processtest.New(t)
//	… start b.Self() with a role as its first argument in b.Dir, with b.Mark in its environment
//	player := b.ReadyAll(1)[0]
//	player.Open()
package processtest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// Patience is how long a test waits for what must happen. It bounds a failure and measures nothing.
const Patience = 60 * time.Second

// readyVariable has the address at which a role says that it is ready.
const readyVariable = "PROCESS_TEST_READY"

// Bench is the working directory of a test's processes, and a listener to which they say that they are ready.
type Bench struct {
	*testing.T
	Dir      string
	Mark     string // NAME=VALUE for their environment, by which they know that they play a role
	listener net.Listener
}

func New(t *testing.T) *Bench {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return &Bench{t, t.TempDir(), readyVariable + "=" + listener.Addr().String(), listener}
}

// Self is the path of this program.
func (b *Bench) Self() string {
	self, err := os.Executable()
	require.NoError(b, err)
	return self
}

// Player is a process that has said that it is ready. It goes on when Open is called.
type Player struct {
	*Bench
	PID    int
	handle windows.Handle
	Open   func()
}

// ReadyAll waits for n processes.
func (b *Bench) ReadyAll(n int) (players []Player) {
	b.Helper()
	for range n {
		require.NoError(b, b.listener.(*net.TCPListener).SetDeadline(time.Now().Add(Patience)))
		conn, err := b.listener.Accept()
		require.NoError(b, err, "no process said that it is ready")
		b.Cleanup(func() { conn.Close() })
		text, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(b, err)
		pid, err := strconv.Atoi(strings.TrimSpace(text))
		require.NoError(b, err)
		handle, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(pid))
		require.NoError(b, err)
		b.Cleanup(func() { _ = windows.CloseHandle(handle) })
		players = append(players, Player{b, pid, handle, func() { conn.Close() }})
	}
	return players
}

// Runs reports whether the process runs now.
func (p Player) Runs() bool {
	event, err := windows.WaitForSingleObject(p.handle, 0)
	require.NoError(p, err)
	return event == uint32(windows.WAIT_TIMEOUT)
}

// Gone waits until the process has ended.
func (p Player) Gone() {
	p.Helper()
	event, err := windows.WaitForSingleObject(p.handle, uint32(Patience.Milliseconds()))
	require.NoError(p, err)
	require.EqualValues(p, windows.WAIT_OBJECT_0, event, "process %d still runs", p.PID)
}

// Spared ends a process that was rightly left alone.
func (p Player) Spared() {
	p.Helper()
	require.True(p, p.Runs(), "process %d should have been left alone", p.PID)
	p.Open()
	p.Gone()
}

// Play plays the role that the first argument names, and exits, if this program was started as the process of a test.
func Play(roles map[string]func(args []string)) {
	if os.Getenv(readyVariable) != "" {
		roles[os.Args[1]](os.Args[2:])
		os.Exit(0)
	}
}

// SayReady says that this process is ready, and waits until the test opens the gate. It ends by itself at last.
func SayReady() {
	conn, err := net.Dial("tcp", os.Getenv(readyVariable))
	OrExit(err)
	_ = conn.SetDeadline(time.Now().Add(2 * Patience))
	_, err = fmt.Fprintln(conn, os.Getpid())
	OrExit(err)
	_, _ = conn.Read(make([]byte, 1))
}

// ChildOf is this program in a role, to be started with some flags of CreateProcess.
func ChildOf(role string, flags uint32, args ...string) *exec.Cmd {
	self, err := os.Executable()
	OrExit(err)
	child := exec.Command(self, append([]string{role}, args...)...)
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
	return child
}

// OrExit ends the process of a test that cannot play its role.
func OrExit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// UnderWine reports whether the system is none of Microsoft's.
func UnderWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}
