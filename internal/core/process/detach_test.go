//go:build linux

package process_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// asksToDetach is a first line that asks that nobody waits.
func asksToDetach(firstLine []byte) bool { return string(firstLine) == "detach" }

func (b *bench) startDetachable(script string, input process.Input, deadline time.Time) *process.Process {
	b.Helper()
	p, err := b.Start(b.script(script), input, deadline, asksToDetach)
	require.NoError(b, err)
	return p
}

func TestDetachByFirstLine(t *testing.T) {
	b := newBench(t)
	open := b.Gate("gate")
	p := b.startDetachable("echo detach; echo more >&2; "+processtest.AtGate("gate")+"echo done >ready", line, never())
	pid := b.ReadyAll(1)[0]
	_, ended := p.Wait(context.Background())
	require.False(t, ended)
	result := p.Release()
	require.True(t, result.Detached)
	require.Equal(t, "detach\n", string(result.Stdout.Head))
	require.True(t, processtest.Alive(pid))
	open()
	require.Equal(t, []string{"done"}, b.Ready())
	b.Reaped(pid)
}

// One that is not released is waited for a second time: to its end, or to its deadline.
func TestWaitAfterDetach(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	open := b.Gate("gate")
	p := b.startDetachable("echo detach; "+processtest.AtGate("gate")+"echo end; exit 3", line, never())
	b.ReadyAll(1)
	_, ended := p.Wait(context.Background())
	require.False(t, ended)
	open()
	result := b.wait(p)
	require.Equal(t, 3, result.ExitCode)
	require.Equal(t, "detach\nend\n", string(result.Stdout.Head))

	p = b.startDetachable("echo detach; exec sleep 1000", line, time.Now().Add(500*time.Millisecond))
	if _, ended = p.Wait(context.Background()); !ended {
		require.True(t, b.wait(p).TimedOut)
	}
	require.Empty(t, b.Marked())
}

// A process is detached by its first line however fast it ends after it, and by no other line.
func TestDetachHoweverFastItEnds(t *testing.T) {
	for script, want := range map[string]bool{
		"echo detach; echo more; exit 2":              true,
		"printf det; sleep 0.01; echo ach; exit 2":    true,
		"echo first; echo detach; exit 2":             false,
		"echo detach >&2; exit 2":                     false,
		"printf detach; exit 2":                       false, // a line has an end
		"head -c 300000 /dev/zero; echo; echo detach": false,
	} {
		b := newBench(t)
		for range testall.Of(6, 20) {
			p := b.startDetachable(script, line, never())
			result, ended := p.Wait(context.Background())
			if !ended {
				result = p.Release()
			}
			require.Equal(t, want, result.Detached, script)
		}
		b.Close() // which ends the watchdog
		b.Supervisor = &process.Supervisor{}
		childless := func() bool { return len(processtest.Children()) == 0 }
		require.Eventually(t, childless, processtest.Patience, time.Millisecond)
	}
}

// A detached process still gets its whole input. The end of the context ends the wait for that.
func TestDetachedProcessGetsItsWholeInput(t *testing.T) {
	b := newBench(t)
	p := b.startDetachable("echo detach; cat >input; echo $$ >ready", tenMB(), never())
	_, ended := p.Wait(context.Background())
	if !ended {
		p.Release()
	}
	b.Reaped(b.ReadyAll(1)[0])
	require.Len(t, b.Read("input"), 10<<20)

	ctx, cancel := context.WithCancel(context.Background())
	p = b.startDetachable("echo detach; echo $$ >ready; exec sleep 1000", tenMB(), never())
	require.True(t, b.during(ctx, p, func([]string) { cancel() }).TimedOut)
}

func TestStartDetached(t *testing.T) {
	b := newBench(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	open := b.Gate("gate")
	require.NoError(t, b.StartDetached(b.script("echo out; echo err >&2; "+
		"stat -L -c '%a %h' /proc/$$/fd/0 >mode; "+processtest.AtGate("gate")+
		"ls /proc/self/fd >fds; cat >input; echo done >ready"), tenMB()))
	pid := b.ReadyAll(1)[0]
	files, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, files, "the input has no name by which others could find it")
	require.Equal(t, "600 0\n", b.Read("mode"), "only we can read it, and it has no name")
	for _, n := range []int{1, 2} { // of a shell, which redirects its own for a moment
		require.Eventually(t, func() bool {
			target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, n))
			return target == os.DevNull
		}, processtest.Patience, time.Millisecond)
	}
	require.Empty(t, processtest.Watchdogs(), "it is not killed with us")
	b.Close() // and not by the end of the supervisor
	b.Supervisor = &process.Supervisor{}
	require.True(t, processtest.Alive(pid))
	open()
	require.Equal(t, []string{"done"}, b.Ready())
	b.Reaped(pid)
	require.Equal(t, "0\n1\n2\n3\n", b.Read("fds")) // 3 is ls's own, for the folder
	require.True(t, string(bytes.Join(tenMB(), nil)) == b.Read("input"))
}

// When StartDetached returns, the program runs and has its whole input: the caller may exit, or be killed, at once.
func TestStartDetachedHasStarted(t *testing.T) {
	b := newBench(t)
	for range 10 {
		require.NoError(t, b.StartDetached(b.program("/bin/sleep", "1000"), tenMB()))
		var found []int
		for _, pid := range processtest.PIDs() {
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil &&
				string(text) == "/bin/sleep\x001000\x00" && processtest.HasVariable(pid, b.Mark) {
				found = append(found, pid)
			}
		}
		require.Len(t, found, 1)
		input, err := os.ReadFile(fmt.Sprintf("/proc/%d/fd/0", found[0]))
		require.NoError(t, err)
		require.True(t, string(bytes.Join(tenMB(), nil)) == string(input))
		require.NoError(t, syscall.Kill(found[0], syscall.SIGKILL))
		b.Reaped(found[0])
	}
}

func TestStartDetachedErrors(t *testing.T) {
	b := newBench(t)
	var failed *process.StartError
	require.ErrorAs(t, b.StartDetached(b.program(b.Path("missing")), line), &failed)
	t.Setenv("TMPDIR", b.Path("nowhere"))
	require.ErrorIs(t, b.StartDetached(b.script("true"), line), os.ErrNotExist)
}

// A subreaper takes neither the exit status of a detached process nor, at a deadline, such a process itself.
func TestSubreaperSparesDetachedProcesses(t *testing.T) {
	b := newBench(t)
	b.ForgetSubreaper()
	b.Subreaper = true
	open := b.Gate("gate")
	const child = "setsid env -i sh -c 'exec 3<gate; echo $$ >ready; read x <&3; echo done >ready' & "
	require.NoError(t, b.StartDetached(b.script(child+"exec 4<gate; echo $$ >ready; read x <&4; wait"), line))
	pids := b.ReadyAll(2)
	deadline := time.Now().Add(300 * time.Millisecond)
	p := b.start(b.script("setsid sh -c 'sleep 1000 &'; exec sleep 1000"), line, deadline)
	require.True(t, b.wait(p).TimedOut)
	for _, pid := range pids {
		require.True(t, processtest.Alive(pid))
	}
	open()
	require.Equal(t, []string{"done"}, b.Ready())
	for _, pid := range pids {
		b.Reaped(pid)
	}
	require.Empty(t, b.Marked())
}
