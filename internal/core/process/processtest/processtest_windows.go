// Package processtest helps to test code that starts processes. On Windows all started processes are the test program:
// each plays a role, reports that it is ready, and waits until the test releases it.
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

// Patience is how long a test waits for an expected event. It bounds a failure; no result depends on its length.
const Patience = 60 * time.Second

// readyVariable is the environment variable with the address to which a role reports that it is ready.
const readyVariable = "PROCESS_TEST_READY"

// Bench is the working directory of a test's processes, and a listener for their ready reports.
type Bench struct {
	*testing.T
	Dir      string
	Mark     string // NAME=VALUE for their environment; it makes Play play a role
	listener net.Listener
}

func New(t *testing.T) *Bench {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return &Bench{t, t.TempDir(), readyVariable + "=" + listener.Addr().String(), listener}
}

// Self returns the path of this program.
func (b *Bench) Self() string {
	self, err := os.Executable()
	require.NoError(b, err)
	return self
}

// Player is a ready process. It continues when the test calls Open.
type Player struct {
	*Bench
	PID    int
	handle windows.Handle
	Open   func()
}

// ReadyAll waits until n processes are ready.
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

// Spared ends a process that must still run.
func (p Player) Spared() {
	p.Helper()
	require.True(p, p.Runs(), "process %d should have been left alone", p.PID)
	p.Open()
	p.Gone()
}

// Play plays the role in the first argument, and exits, if this program was started as the process of a test.
func Play(roles map[string]func(args []string)) {
	if os.Getenv(readyVariable) != "" {
		roles[os.Args[1]](os.Args[2:])
		os.Exit(0)
	}
}

// SayReady reports that this process is ready, and waits until the test opens the gate, at most for 2 * Patience.
func SayReady() {
	conn, err := net.Dial("tcp", os.Getenv(readyVariable))
	OrExit(err)
	_ = conn.SetDeadline(time.Now().Add(2 * Patience))
	_, err = fmt.Fprintln(conn, os.Getpid())
	OrExit(err)
	_, _ = conn.Read(make([]byte, 1))
}

// ChildOf returns a command that starts this program in a role, with flags of CreateProcess.
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

// UnderWine reports whether this program runs under Wine and not under Microsoft's Windows.
func UnderWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}
