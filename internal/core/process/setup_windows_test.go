package process_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// TestMain plays a role if this program was started as the process of a test, or sends CTRL_BREAK to one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == process.BreakCommand {
		processtest.OrExit(process.SendBreak(os.Args[2]))
		return
	}
	processtest.Play(roles)
	os.Exit(m.Run())
}

type player = processtest.Player

// bench is a supervisor and a bench for its processes. It checks that no goroutine is left.
type bench struct {
	*processtest.Bench
	*process.Supervisor
}

func newBench(t *testing.T) *bench {
	goroutines := runtime.NumGoroutine()
	t.Cleanup(func() { // after the listener is closed
		until := time.Now().Add(processtest.Patience)
		for ; runtime.NumGoroutine() > goroutines; runtime.Gosched() {
			require.True(t, time.Now().Before(until), "goroutines are left")
		}
	})
	b := &bench{processtest.New(t), &process.Supervisor{OneShot: true}}
	b.Binary = b.Self()
	t.Cleanup(b.Supervisor.Close)
	return b
}

// role is this program in a role.
func (b *bench) role(name string, args ...string) process.Program {
	return process.Program{
		Path: b.Self(), Args: append([]string{b.Self(), name}, args...), Dir: b.Dir, Env: append(os.Environ(), b.Mark),
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

// during calls then when n processes are ready, and returns the result.
func (b *bench) during(ctx context.Context, p *process.Process, n int, then func([]player)) (result process.Result) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, _ = p.Wait(ctx)
	}()
	then(b.ReadyAll(n))
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
