package process_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// tenMB is an input that no pipe holds, in two pieces.
func tenMB() process.Input {
	return process.Input{bytes.Repeat([]byte("x"), 5<<20), bytes.Repeat([]byte("y"), 5<<20)}
}

// Guarantee 1: the input is written inside the deadline and beside the reading.

func TestProcessThatNeverReadsALargeInput(t *testing.T) {
	for _, role := range [][]string{{"exit", "0"}, {"close stdin"}} {
		b := newBench(t)
		result := b.wait(b.start(b.role(role[0], role[1:]...), tenMB(), never()))
		require.False(t, result.TimedOut)
		require.Zero(t, result.ExitCode)
	}
}

func TestProcessThatStopsReadingIsKilledAtItsDeadline(t *testing.T) {
	b := newBench(t)
	p := b.start(b.role("wait"), tenMB(), time.Now().Add(500*time.Millisecond))
	require.True(t, b.wait(p).TimedOut)
}

func TestProcessThatAnswersBeforeItReads(t *testing.T) {
	b := newBench(t)
	result := b.wait(b.start(b.role("answer first"), tenMB(), never()))
	require.Equal(t, "10485760\n", strings.TrimLeft(string(result.Stdout.Head)+string(result.Stdout.Tail), "z"))
	require.EqualValues(t, 1_000_000+len("10485760\n"), result.Stdout.Total)
}

func TestInputArrivesWhole(t *testing.T) {
	b := newBench(t)
	result := b.wait(b.start(b.role("cat"), tenMB(), never()))
	require.EqualValues(t, 10<<20, result.Stdout.Total)
	kept := string(result.Stdout.Head) + string(result.Stdout.Tail)
	require.Equal(t, strings.Repeat("x", 5<<20)+strings.Repeat("y", 5<<20), kept)
}

// Guarantees 2 and 4: the result is that of the exit, and after a normal exit descendants are left alone.

func TestChildIsLeftAfterANormalExit(t *testing.T) {
	for _, holds := range []string{"holds stdout", "holds nothing"} {
		for _, code := range []int{1, 0} {
			b := newBench(t)
			var child player
			result := b.during(context.Background(), b.start(b.role("leave", strconv.Itoa(code), holds), line, never()),
				1, func(p []player) { child = p[0] })
			require.Equal(t, code, result.ExitCode)
			require.Equal(t, "out\n", string(result.Stdout.Head))
			require.Equal(t, "why\n", string(result.Stderr.Head))
			require.Equal(t, []int{child.PID}, result.Survivors)
			child.Spared()
		}
	}
}

// A process is in its job before any of it runs, and so is a child that it starts first of all.
func TestChildThatIsStartedAtOnceIsInTheJob(t *testing.T) {
	b := newBench(t)
	for range 5 {
		var child player
		result := b.during(context.Background(), b.start(b.role("leave", "0", "holds nothing"), line, never()), 1,
			func(p []player) { child = p[0] })
		require.Equal(t, []int{child.PID}, result.Survivors)
		child.Spared()
	}
}

// Guarantee 3: at the deadline nothing is left of the process.

func TestKill(t *testing.T) {
	for name, test := range map[string]struct {
		players int
		role    []string
	}{
		"one that waits":              {1, []string{"wait"}},
		"one that ignores CTRL_BREAK": {1, []string{"ignore CTRL_BREAK"}},
		"one that prints for ever":    {1, []string{"flood"}},
		"a child":                     {2, []string{"tree", "0"}},
		"a child of its own group":    {2, []string{"tree", flag(windows.CREATE_NEW_PROCESS_GROUP)}},
		"a child without a console":   {2, []string{"tree", flag(windows.DETACHED_PROCESS)}},
		"a child with a console":      {2, []string{"tree", flag(windows.CREATE_NEW_CONSOLE)}},
		"a child that breaks away":    {2, []string{"tree", flag(windows.CREATE_BREAKAWAY_FROM_JOB)}},
		"an orphan":                   {2, []string{"orphan"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancel(context.Background())
			var all []player
			result := b.during(ctx, b.start(b.role(test.role[0], test.role[1:]...), line, never()), test.players,
				func(players []player) {
					all = players
					cancel()
				})
			require.True(t, result.TimedOut)
			require.Empty(t, result.Survivors)
			for _, p := range all {
				require.False(t, p.Runs(), "process %d still runs", p.PID)
			}
		})
	}
}

func flag(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func TestDeadline(t *testing.T) {
	b := newBench(t)
	require.True(t, b.wait(b.start(b.role("flood"), line, time.Now().Add(300*time.Millisecond))).TimedOut)
}

// The process that sends CTRL_BREAK finds the console that a process has for itself.
func TestBreakFindsTheConsole(t *testing.T) {
	b := newBench(t)
	send := func(p player) string {
		sender := processtest.ChildOf(process.BreakCommand, windows.DETACHED_PROCESS, strconv.Itoa(p.PID))
		out, _ := sender.CombinedOutput()
		return string(out)
	}
	var waiting player
	b.during(context.Background(), b.start(b.role("ignore CTRL_BREAK"), line, never()), 1, func(players []player) {
		waiting = players[0]
		if out := send(waiting); processtest.UnderWine() {
			require.NotContains(t, out, "attaching") // the event itself is unknown there
		} else {
			require.Empty(t, out)
		}
		waiting.Open()
	})
	require.Contains(t, send(waiting), "attaching to the console of process", "it has ended")
}

func TestBreakComesBeforeTheKill(t *testing.T) {
	if processtest.UnderWine() {
		t.Skip("Wine has no CTRL_BREAK")
	}
	b := newBench(t)
	// Half a second after the event may be too little where the machine is busy.
	for range 8 {
		ctx, cancel := context.WithCancel(context.Background())
		p := b.start(b.role("notice CTRL_BREAK"), line, never())
		require.True(t, b.during(ctx, p, 1, func([]player) { cancel() }).TimedOut)
		if _, err := os.Stat(filepath.Join(b.Dir, "trace")); err == nil {
			return
		}
	}
	t.Fatal("the process was not asked to go before it was killed")
}

// Nobody asks a process to end where no program is known that could.
func TestKillWithoutABinary(t *testing.T) {
	b := newBench(t)
	b.Binary = ""
	ctx, cancel := context.WithCancel(context.Background())
	p := b.start(b.role("notice CTRL_BREAK"), line, never())
	require.True(t, b.during(ctx, p, 1, func([]player) { cancel() }).TimedOut)
	require.NoFileExists(t, filepath.Join(b.Dir, "trace"))
}

func TestNoWindow(t *testing.T) {
	require.Equal(t, "visible 0\n", string(newBench(t).run("window").Stdout.Head))
}

// A persistent process answers line by line, and is killed like any other if it does not.
func TestPersistent(t *testing.T) {
	b := newBench(t)
	pool := b.NewPool(1, func(string) (process.Program, error) { return b.role("lines"), nil })
	defer pool.Close()
	ask := func(text string, limit time.Duration) process.Reply {
		return pool.Ask(context.Background(), b.Dir, process.Input{[]byte(text + "\n")}, limit,
			func(*process.Reply) string { return "" })
	}
	for n := 1; n <= 3; n++ {
		reply := ask("line", processtest.Patience)
		require.NoError(t, reply.Err)
		require.Equal(t, fmt.Sprintln(n, "line"), string(reply.Stdout.Head), "the same process")
	}
	require.True(t, ask("hang", 300*time.Millisecond).TimedOut)
	require.Equal(t, "1 line\n", string(ask("line", processtest.Patience).Stdout.Head), "a new process")
}

// Guarantee 5: when this process is killed, its processes die too.

func TestKilledHost(t *testing.T) {
	b := newBench(t)
	role := b.role("host")
	host := exec.Command(role.Path, role.Args[1:]...)
	host.Dir, host.Env = role.Dir, role.Env
	require.NoError(t, host.Start())
	players := b.ReadyAll(3)
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	for _, p := range players {
		p.Gone()
	}
}

// Guarantee 6: output is bounded.

func TestFloodOfOutput(t *testing.T) {
	b := newBench(t)
	const total = 100 << 20
	result := b.run("print", strconv.Itoa(total))
	require.EqualValues(t, total+len("first\n\nlast\n"), result.Stdout.Total)
	require.Len(t, result.Stdout.Head, 8<<20)
	require.Len(t, result.Stdout.Tail, 8<<20)
	require.True(t, bytes.HasPrefix(result.Stdout.Head, []byte("first\nxxx")))
	require.True(t, bytes.HasSuffix(result.Stdout.Tail, []byte("xxx\nlast\n")))
}

// Guarantee 7: no handle but those of stdin, stdout and stderr.

func TestNoHandleReachesAProcess(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(b.Dir, "secret")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	// As a careless caller leaves it to us.
	require.NoError(t, windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT,
		windows.HANDLE_FLAG_INHERIT))
	result := b.run("handle", strconv.FormatUint(uint64(f.Fd()), 10))
	require.NotEmpty(t, result.Stdout.Head)
	require.NotContains(t, string(result.Stdout.Head), "secret")
}

// Guarantee 8: nothing is left, after many at once and after many in a row.

func TestManyAtOnce(t *testing.T) {
	b := newBench(t)
	var all sync.WaitGroup
	for i := range 200 {
		p, err := b.Start(b.role("exit", strconv.Itoa(i)), line, never(), nil)
		require.NoError(t, err)
		all.Go(func() {
			result, _ := p.Wait(context.Background())
			if result.Err != nil || result.ExitCode != i || string(result.Stdout.Head) != "partial\n" {
				t.Errorf("%d: %+v", i, result)
			}
		})
	}
	all.Wait()
}

func TestNoHandleIsLeft(t *testing.T) {
	times := 50
	if testall.On() {
		times = 1000
	}
	b := newBench(t)
	start := func(times int) {
		for range times {
			require.Zero(t, b.run("exit", "0").ExitCode)
		}
	}
	start(10)
	handles := openHandles(t)
	start(times)
	require.LessOrEqual(t, openHandles(t), handles+times/10, "not one for each")
}

// How processes end.

func TestExitCodes(t *testing.T) {
	b := newBench(t)
	for _, code := range []uint32{1, 2, 255, 256, 258, 65536 + 2, 0x7FFFFFFF, 0xFFFFFFFF} {
		result := b.run("exit", strconv.FormatUint(uint64(code), 10))
		require.Empty(t, result.Signal)
		require.Equal(t, int(code), result.ExitCode)
	}
}

func TestCrash(t *testing.T) {
	b := newBench(t)
	for code, name := range map[string]string{
		"0xC0000005": "0xC0000005 STATUS_ACCESS_VIOLATION",
		"0xC00000FD": "0xC00000FD STATUS_STACK_OVERFLOW",
		"0xC0000409": "0xC0000409 STATUS_STACK_BUFFER_OVERRUN",
		"0xC000013A": "0xC000013A STATUS_CONTROL_C_EXIT",
		"0x80000003": "0x80000003 STATUS_BREAKPOINT",
		"0xE06D7363": "0xE06D7363", // of C++
	} {
		result := b.run("exit", code)
		require.Equal(t, name, result.Signal)
		require.Equal(t, -1, result.ExitCode)
		require.Equal(t, "partial\n", string(result.Stdout.Head))
	}
}

func TestStartError(t *testing.T) {
	b := newBench(t)
	plain := filepath.Join(b.Dir, "plain.exe")
	require.NoError(t, os.WriteFile(plain, []byte("exit 0\n"), 0o700))
	for path, want := range map[string]error{
		filepath.Join(b.Dir, "missing.exe"): fs.ErrNotExist, plain: windows.ERROR_BAD_EXE_FORMAT,
	} {
		_, err := b.Start(process.Program{Path: path, Args: []string{path}, Dir: b.Dir, Env: os.Environ()},
			line, never(), nil)
		var failed *process.StartError
		require.ErrorAs(t, err, &failed)
		require.ErrorIs(t, err, want)
		require.Equal(t, path, failed.Program.Path)
	}
}

// The input of a detached process goes with the last handle of its file.
func TestStartDetached(t *testing.T) {
	b := newBench(t)
	tmp := t.TempDir()
	t.Setenv("TMP", tmp)
	require.NoError(t, b.StartDetached(b.role("wait"), tenMB()))
	b.ReadyAll(1)[0].Spared()
	require.Eventually(t, func() bool {
		files, err := os.ReadDir(tmp)
		return err == nil && len(files) == 0
	}, processtest.Patience, 10*time.Millisecond, "the input is left in the temporary folder")
}
