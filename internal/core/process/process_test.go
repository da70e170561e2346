//go:build linux

package process_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	for _, script := range []string{"exit 0", "exec <&-; exit 0", "exec <&-; echo hi; exit 0"} {
		b := newBench(t)
		result := b.wait(b.start(b.script(script), tenMB(), never()))
		require.False(t, result.TimedOut)
		require.Zero(t, result.ExitCode)
	}
}

func TestProcessThatStopsReadingIsKilledAtItsDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.start(b.script("head -c 1 >/dev/null; exec sleep 1000"), tenMB(), time.Now().Add(200*time.Millisecond))
	require.True(t, b.wait(p).TimedOut)
}

func TestProcessThatAnswersBeforeItReads(t *testing.T) {
	b := newBench(t)
	script := b.script("head -c 1000000 /dev/zero | tr '\\0' z; cat | wc -c")
	result := b.wait(b.start(script, tenMB(), never()))
	require.Equal(t, fmt.Sprintln(10<<20), strings.TrimLeft(string(result.Stdout.Head)+string(result.Stdout.Tail), "z"))
	require.EqualValues(t, 1_000_000+len("10485760\n"), result.Stdout.Total)
}

func TestInputArrivesWhole(t *testing.T) {
	b := newBench(t)
	input := tenMB()
	b.wait(b.start(b.script("cat >input"), input, never()))
	require.True(t, string(input[0])+string(input[1]) == b.Read("input"))
	require.Len(t, input[0], 5<<20, "it can be given to another process")
}

// Guarantee 2: the result is that of the exit.

func TestOutputIsNotHeldByAProcessThatEnds(t *testing.T) {
	b := newBench(t)
	for _, script := range []string{"exit 0", "echo out; echo why >&2", "exec >&- 2>&-; exit 0"} {
		require.False(t, b.run(script).OutputHeld, script)
	}
	result := b.run("sleep 1000 & echo out")
	require.True(t, result.OutputHeld)
	b.Spare(result.Survivors[0])
}

func TestChildThatHoldsThePipesDoesNotDelayTheResult(t *testing.T) {
	t.Parallel()
	for _, code := range []int{1, 0} {
		b := newBench(t)
		result := b.run(fmt.Sprintf("sleep 1000 & echo $! >child; echo out; echo why >&2; exit %d", code))
		require.Equal(t, code, result.ExitCode)
		require.Equal(t, "out\n", string(result.Stdout.Head))
		require.Equal(t, "why\n", string(result.Stderr.Head))
		child := b.PID("child")
		require.Equal(t, []int{child}, result.Survivors)
		b.Spare(child)
	}
}

// The numbers are those of docs/reference/environment.md. A busy machine makes a wait longer, never shorter.
func TestTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	begun := time.Now()
	result := b.run("sleep 1000 & exit 0")
	require.GreaterOrEqual(t, time.Since(begun), 500*time.Millisecond, "DrainTime: a child holds the pipes")
	b.Spare(result.Survivors[0])

	var asked time.Time
	ctx, cancel := context.WithCancel(context.Background())
	stubborn := b.start(b.script(`trap "" TERM; echo $$ >ready; while :; do sleep 1; done`), line, never())
	b.during(ctx, stubborn, func([]string) {
		asked = time.Now()
		cancel()
	})
	require.GreaterOrEqual(t, time.Since(asked), 500*time.Millisecond, "TermTime: it ignores SIGTERM")
}

func TestOutputOfAChildJustAfterTheExitCounts(t *testing.T) {
	b := newBench(t)
	// The child writes when it sees that its parent, the leader, is gone.
	const leaderRuns = `kill -0 $$ 2>/dev/null && [ "$(cut -d' ' -f3 /proc/$$/stat)" != Z ]`
	result := b.run("(while " + leaderRuns + "; do :; done; echo late) & exit 0")
	require.Equal(t, "late\n", string(result.Stdout.Head))
}

// While a child holds the pipes of a process that has ended, nothing is done but wait.
func TestWaitingForAPipeTakesNoTimeOfAProcessor(t *testing.T) {
	b := newBench(t)
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	result := b.run("sleep 1000 & exit 0")
	require.Less(t, used()-before, 250*time.Millisecond, "of 500")
	for _, pid := range result.Survivors {
		b.Spare(pid)
	}
}

// Guarantee 3: at the deadline nothing is left of the process. Guarantee 5 is tested in watchdog_test.go.

// orphan is a script that leaves a child behind, which says that it is ready.
const orphan = `(echo $(exec sh -c "echo \$PPID") >ready; exec sleep 1000) & exit 0`

// The end of the context, which a test can choose, does what a deadline does.
func TestKill(t *testing.T) {
	t.Parallel()
	newBench(t) // for what all of them leave
	const stubborn = `trap "" TERM; echo $$ >ready; while :; do sleep 1; done`
	for name, script := range map[string]string{
		"one that sleeps":               `echo $$ >ready; exec sleep 1000`,
		"one that ignores SIGTERM":      stubborn,
		"a child that ignores SIGTERM":  `sh -c '` + stubborn + `' & wait`,
		"a child of one that ended":     `trap 'exit 0' TERM; sh -c '` + stubborn + `' & wait`,
		"a child that left the session": `setsid sh -c 'echo $$ >ready; exec sleep 1000' & wait`,
		"an orphan that left":           `setsid sh -c '` + orphan + `'; exec sleep 1000`,
		"one that left without a trace": `setsid env -i sh -c 'echo $$ >ready; exec sleep 1000' & wait`,
		"a leaver that ignores SIGTERM": `setsid sh -c '` + stubborn + `' & wait`,
		"one that exits on SIGTERM":     `trap 'exit 2' TERM; echo $$ >ready; while :; do sleep 0.01; done`,
		"one that prints for ever":      `echo $$ >ready; exec yes`,
		"many children": `for i in 1 2 3 4 5 6 7 8 9; do (trap '' TERM; while :; do sleep 0.01; done) & done; ` +
			`echo $$ >ready; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			var pid int
			ctx, cancel := context.WithCancel(context.Background())
			result := b.during(ctx, b.start(b.script(script), line, never()), func(words []string) {
				pid = processtest.Number(t, words[0])
				cancel()
			})
			require.True(t, result.TimedOut)
			require.False(t, processtest.Alive(pid), "%s still runs", processtest.Describe(pid))
			require.Empty(t, b.Marked())
			require.Empty(t, result.Survivors)
		})
	}
}

// In the middle of an exec a process has no environment, by which an orphan is known if this process has other
// children.
func TestKillOfAnOrphanThatExecsForEver(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(context.Background())
	other := b.start(b.script("exec sleep 1000"), line, never())
	for range testall.Of(5, 20) {
		script := b.script(`echo 'exec sh ./loop' >loop; setsid sh -c '(echo $(exec sh -c "echo \$PPID") >ready; ` +
			`exec sh ./loop) & exit 0'; exec sleep 1000`)
		var pid int
		ctx, cancel := context.WithCancel(context.Background())
		b.during(ctx, b.start(script, line, never()), func(words []string) {
			pid = processtest.Number(t, words[0])
			cancel()
		})
		require.False(t, processtest.Alive(pid), "%s still runs", processtest.Describe(pid))
	}
	cancel()
	other.Wait(ctx)
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"exec sleep 1000", "exec yes", "sleep 1000 & setsid sleep 1000 & wait"} {
		b := newBench(t)
		p := b.start(b.script(script), line, time.Now().Add(300*time.Millisecond))
		require.True(t, b.wait(p).TimedOut)
		require.Empty(t, b.Marked())
	}
}

func TestKillTermComesFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// Half a second after the signal may be too little for the shell where the machine is busy.
	for range 4 {
		p := b.start(b.script(`trap 'echo cleaned >trace; exit 0' TERM; echo $$ >ready; while :; do sleep 0.01; done`),
			line, never())
		ctx, cancel := context.WithCancel(context.Background())
		require.True(t, b.during(ctx, p, func([]string) { cancel() }).TimedOut)
		if _, err := os.Stat(b.Path("trace")); err == nil {
			return
		}
	}
	t.Fatal("the process was not asked to go before it was killed")
}

func TestKillFindsAnOrphanThatWipedItsEnvironment(t *testing.T) {
	b := newBench(t)
	b.ForgetSubreaper()
	b.Subreaper = true
	script := b.script(`setsid env -i sh -c '` + orphan + `'; exec sleep 1000`)
	var pid int
	ctx, cancel := context.WithCancel(context.Background())
	b.during(ctx, b.start(script, line, never()), func(words []string) {
		pid = processtest.Number(t, words[0])
		cancel()
	})
	require.False(t, processtest.Alive(pid))
}

// A deadline that kills one process is no reason to touch others, whose descendants may have left their groups as well.
func TestDeadlineSparesOtherProcesses(t *testing.T) {
	b := newBench(t)
	open := b.Gate("gate")
	other := b.start(b.script("exec 3<gate; setsid sh -c 'echo $$ >ready; read x <&3' & wait; echo other"),
		line, never())
	child := b.ReadyAll(1)[0]
	p := b.start(b.script("setsid sh -c 'exec sleep 1000' & exec sleep 1000"),
		line, time.Now().Add(300*time.Millisecond))
	require.True(t, b.wait(p).TimedOut)
	require.True(t, processtest.Alive(child))
	open()
	require.Equal(t, "other\n", string(b.wait(other).Stdout.Head))
}

func TestOwnSessionWithoutTerminal(t *testing.T) {
	b := newBench(t)
	result := b.run(`cut -d' ' -f1,5,6,7 /proc/$$/stat; (: </dev/tty) 2>/dev/null && echo tty; exit 0`)
	f := strings.Fields(string(result.Stdout.Head))
	require.Len(t, f, 4, "no terminal can be opened")
	require.Equal(t, f[0], f[1], "leader of its group")
	require.Equal(t, f[0], f[2], "leader of its session")
	require.Equal(t, "0", f[3], "no terminal")
}

// Guarantee 4: after a normal exit descendants are left alone.

func TestChildrenAreLeftAfterANormalExit(t *testing.T) {
	t.Parallel()
	for _, redirect := range []string{"</dev/null >/dev/null 2>&1", ""} {
		b := newBench(t)
		result := b.run("sleep 1000 " + redirect + " & echo $! >child; exit 0")
		child := b.PID("child")
		require.Equal(t, []int{child}, result.Survivors)
		b.Spare(child)
	}
}

// Guarantee 6: output is bounded.

func TestFloodOfOutput(t *testing.T) {
	b := newBench(t)
	total := testall.Of(32, 100) << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result := b.run(fmt.Sprintf("echo first; head -c %d /dev/zero | tr '\\0' x; echo; echo last; "+
		"echo because >&2; head -c 3000000 /dev/zero | tr '\\0' y >&2", total))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
	require.EqualValues(t, total+len("first\n\nlast\n"), result.Stdout.Total)
	require.Len(t, result.Stdout.Head, 8<<20)
	require.Len(t, result.Stdout.Tail, 8<<20)
	require.Len(t, result.Stderr.Head, 512<<10)
	require.Len(t, result.Stderr.Tail, 512<<10)
	require.True(t, bytes.HasPrefix(result.Stdout.Head, []byte("first\nxxx")))
	require.True(t, bytes.HasSuffix(result.Stdout.Tail, []byte("xxx\nlast\n")))
	require.EqualValues(t, 3_000_000+len("because\n"), result.Stderr.Total)
	require.True(t, bytes.HasPrefix(result.Stderr.Head, []byte("because\nyyy")))
}

func TestNewOutput(t *testing.T) {
	require.Equal(t, process.Output{Head: []byte("text"), Total: 4}, process.NewOutput("text"))
	text := strings.Repeat("a", 8<<20) + "middle" + strings.Repeat("z", 8<<20)
	long := process.NewOutput(text)
	require.Equal(t, strings.Replace(text, "middle", "", 1), string(long.Head)+string(long.Tail))
	require.EqualValues(t, len(text), long.Total)
}

// Guarantee 7: no descriptor but 0, 1, 2.

func TestNoDescriptorReachesAProcess(t *testing.T) {
	b := newBench(t)
	f, err := os.Open(b.Dir)
	require.NoError(t, err)
	defer f.Close()
	leaky, err := syscall.Dup(int(f.Fd())) // without close-on-exec, as a careless caller leaves it to us
	require.NoError(t, err)
	defer syscall.Close(leaky)
	result := b.run("exec ls /proc/self/fd")
	require.Equal(t, "0\n1\n2\n3\n", string(result.Stdout.Head)) // 3 is ls's own, for the folder
}

// Guarantee 8: nothing is left, after many at once and after many in a row. Every bench checks that as well.

func TestManyAtOnce(t *testing.T) {
	b := newBench(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range testall.Of(8, 25) {
				code := (g + i) % 3
				p, err := b.Start(b.script(fmt.Sprintf("cat; exit %d", code)), line, never(), nil)
				if err != nil {
					t.Error(err)
					continue
				}
				result, _ := p.Wait(context.Background())
				if result.Err != nil || result.ExitCode != code || string(result.Stdout.Head) != "line\n" {
					t.Errorf("%d of %d: %+v", i, g, result)
				}
			}
		})
	}
	all.Wait()
}

func TestThousandProcessesLeaveNothing(t *testing.T) {
	b := newBench(t)
	path, err := exec.LookPath("true")
	require.NoError(t, err)
	start := func(times int) {
		for range times {
			require.Zero(t, b.wait(b.start(b.program(path), line, never())).ExitCode)
		}
	}
	b.run("exit 0") // a shell is given the watchdog at once, which stays and holds a descriptor
	start(10)
	fds, goroutines := processtest.OpenFDs(t), runtime.NumGoroutine()
	start(testall.Of(200, 1000))
	require.Equal(t, fds, processtest.OpenFDs(t))
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+1, "not one for each") // the last may be on its way out
	require.Empty(t, processtest.Zombies())
}

// How processes end.

func TestDeathBySignal(t *testing.T) {
	for _, signal := range []string{"KILL", "SEGV", "TERM", "ABRT", "XFSZ", "VTALRM", "34"} {
		b := newBench(t)
		name := "SIG" + signal
		if signal == "34" {
			name = "signal 34"
		}
		result := b.run("echo partial; kill -" + signal + " $$")
		require.Equal(t, name, result.Signal)
		require.Equal(t, -1, result.ExitCode)
		require.Equal(t, "partial\n", string(result.Stdout.Head))
	}
}

func TestStartError(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.WriteFile(b.Path("plain"), []byte("exit 0\n"), 0o755))
	for path, want := range map[string]error{
		b.Path("missing"): fs.ErrNotExist, b.Dir: fs.ErrPermission, b.Path("plain"): syscall.ENOEXEC,
	} {
		_, err := b.Start(b.program(path), line, never(), nil)
		var failed *process.StartError
		require.ErrorAs(t, err, &failed)
		require.ErrorIs(t, err, want)
		require.Equal(t, path, failed.Program.Path)
	}
}

// A host that waits for any child may take our process's exit status. Nobody knows it then, and that is no exit with 0.
func TestStolenExitStatusIsAnError(t *testing.T) {
	b := newBench(t)
	for range 100 {
		stolen := false
		p := b.start(b.script("echo $$ >ready; exit 0"), line, never())
		result := b.during(context.Background(), p, func(words []string) {
			_, err := syscall.Wait4(processtest.Number(t, words[0]), nil, 0, nil)
			stolen = err == nil
		})
		require.Equal(t, stolen, result.Err != nil)
		if stolen {
			require.NotZero(t, result.ExitCode)
			return
		}
	}
	t.Skip("the supervisor was always first")
}

// What is reaped as an orphan must never be the process of another goroutine, whose exit status it would take along.
func TestSubreaperKeepsExitStatuses(t *testing.T) {
	b := newBench(t)
	b.ForgetSubreaper()
	b.Subreaper = true
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range testall.Of(10, 50) {
				p, err := b.Start(b.script(fmt.Sprintf("true & exit %d", i)), line, never(), nil)
				if err != nil {
					t.Error(err)
					continue
				}
				if result, _ := p.Wait(context.Background()); result.Err != nil || result.ExitCode != i {
					t.Errorf("%d: %+v", i, result)
				}
			}
		})
	}
	all.Wait()
	b.reapsOrphans()
}

// reapsOrphans waits until all orphans were reaped, by one process after another. One that is just ending has no
// environment any more, and is no zombie yet.
func (b *bench) reapsOrphans() {
	b.Helper()
	require.Eventually(b, func() bool {
		b.run("exit 0")
		return len(processtest.Children()) == len(processtest.Watchdogs())
	}, processtest.Patience, time.Millisecond)
}

func TestSubreaperReapsOrphans(t *testing.T) {
	for _, oneShot := range []bool{true, false} {
		b := newBench(t)
		b.ForgetSubreaper()
		b.Subreaper, b.OneShot = true, oneShot
		for range 20 {
			b.run("true & true & exit 0")
		}
		if oneShot { // an orphan may end after the process that made it; a later one reaps it
			b.reapsOrphans()
		} else {
			require.Eventually(t, func() bool { return len(processtest.Children()) == len(processtest.Watchdogs()) },
				processtest.Patience, 10*time.Millisecond)
		}
	}
}
