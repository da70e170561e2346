package process_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/process"
)

// patience is how long a test waits for what must happen. It bounds a failure and measures nothing.
const patience = 60 * time.Second

// readyVariable has the address at which a role says that it is ready.
const readyVariable = "PROCESS_TEST_READY"

// TestMain plays a role if this program was started as the process of a test, or sends CTRL_BREAK to one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == process.BreakCommand {
		orExit(process.SendBreak(os.Args[2]))
		return
	}
	if addr := os.Getenv(readyVariable); addr != "" {
		roles[os.Args[1]](os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// bench is a supervisor and a listener to which its processes say that they are ready. It checks that no handle and no
// goroutine is left.
type bench struct {
	*testing.T
	*process.Supervisor
	listener net.Listener
	dir      string
}

func newBench(t *testing.T) *bench {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	b := &bench{t, &process.Supervisor{OneShot: true, Binary: self}, listener, t.TempDir()}
	goroutines := runtime.NumGoroutine()
	t.Cleanup(func() {
		listener.Close()
		b.Supervisor.Close()
		until := time.Now().Add(patience)
		for ; runtime.NumGoroutine() > goroutines; runtime.Gosched() {
			require.True(t, time.Now().Before(until), "goroutines are left")
		}
	})
	return b
}

// role is this program in a role.
func (b *bench) role(name string, args ...string) process.Program {
	self, err := os.Executable()
	require.NoError(b, err)
	return process.Program{
		Path: self, Args: append([]string{self, name}, args...), Dir: b.dir,
		Env: append(os.Environ(), readyVariable+"="+b.listener.Addr().String()),
	}
}

var line = process.Input{[]byte("line\n")}

// never is a deadline that no test reaches.
func never() time.Time { return time.Now().Add(time.Hour) }

func (b *bench) start(program process.Program, input process.Input, deadline time.Time) *process.Process {
	b.Helper()
	p, err := b.Start(program, input, deadline, nil)
	require.NoError(b, err)
	return p
}

func (b *bench) wait(p *process.Process) process.Result {
	b.Helper()
	result, ended := p.Wait(context.Background())
	require.True(b, ended)
	require.NoError(b, result.Err)
	return result
}

// run runs a role to its end.
func (b *bench) run(name string, args ...string) process.Result {
	b.Helper()
	return b.wait(b.start(b.role(name, args...), line, never()))
}

// player is a process that has said that it is ready. It goes on when open is called.
type player struct {
	*bench
	pid    int
	handle windows.Handle
	open   func()
}

// ready waits for n processes.
func (b *bench) ready(n int) (players []player) {
	b.Helper()
	for range n {
		require.NoError(b, b.listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience)))
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
		players = append(players, player{b, pid, handle, func() { conn.Close() }})
	}
	return players
}

// runs reports whether the process runs now.
func (p player) runs() bool {
	event, err := windows.WaitForSingleObject(p.handle, 0)
	require.NoError(p, err)
	return event == uint32(windows.WAIT_TIMEOUT)
}

// gone waits until the process has ended.
func (p player) gone() {
	p.Helper()
	event, err := windows.WaitForSingleObject(p.handle, uint32(patience.Milliseconds()))
	require.NoError(p, err)
	require.EqualValues(p, windows.WAIT_OBJECT_0, event, "process %d still runs", p.pid)
}

// spared ends a process that was rightly left alone.
func (p player) spared() {
	p.Helper()
	require.True(p, p.runs(), "process %d should have been left alone", p.pid)
	p.open()
	p.gone()
}

// during calls then when n processes are ready, and returns the result.
func (b *bench) during(ctx context.Context, p *process.Process, n int, then func([]player)) (result process.Result) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, _ = p.Wait(ctx)
	}()
	then(b.ready(n))
	<-done
	return result
}

var processHandleCount = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetProcessHandleCount")

// openHandles is the number of handles of this process.
func openHandles(t *testing.T) int {
	var n uint32
	ok, _, err := processHandleCount.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&n)))
	require.NotZero(t, ok, err)
	return int(n)
}
