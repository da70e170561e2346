//go:build linux

package keeper_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/net/keeper"
)

// waits is a script that prints the process id to "ready" and waits at the gate for the text wait.
var waits = each(`case $text in wait*) ` + processtest.AtGate("gate") + `;; esac; ` + answers)

// during starts a call that waits at the gate, calls then with the process id of the hook, and returns the reply.
func (b *bench) during(then func(hook int)) (r reply) {
	b.Helper()
	b.must("x")
	done := make(chan struct{})
	go func() {
		defer close(done)
		r = b.ask("wait")
	}()
	then(b.ReadyAll(1)[0])
	<-done
	return r
}

func TestKeeperEndsWhenIdle(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	b.Keep = 50 * time.Millisecond
	pid := b.pid()
	b.nothingLeft()
	require.NotEqual(t, pid, b.pid())
}

// The time without a call begins at the end of the last.
func TestKeeperIsNotIdleInACall(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	b.Keep = 50 * time.Millisecond
	open := b.Gate("gate")
	r := b.during(func(int) {
		idle := *b
		idle.Hook = "idle"
		for range 3 { // a keeper without a call has ended meanwhile, and this one had several looks
			b.Gone(idle.pid())
		}
		open()
	})
	require.False(t, r.failed(), "%+v", r)
	b.nothingLeft()
}

func TestKeeperEndsWithItsWorkspace(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(b *bench) error{
		"deleted": func(b *bench) error { return os.RemoveAll(b.Workspace) },
		"moved":   func(b *bench) error { return os.Rename(b.Workspace, b.Path("elsewhere")) },
		"another": func(b *bench) error {
			_ = os.Rename(b.Workspace, b.Path("elsewhere"))
			return os.Mkdir(b.Workspace, 0o700)
		},
		"without its socket": func(b *bench) error { return os.RemoveAll(b.State + "/keepers") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, strings.ReplaceAll(each(answers), "log", "../log"))
			b.Workspace = b.Path("workspace")
			b.Program.Dir = b.Workspace
			require.NoError(t, os.Mkdir(b.Workspace, 0o700))
			b.must("x")
			require.NoError(t, gone(b))
			require.Eventually(t, func() bool { return len(b.keepers())+len(b.Marked()) == 0 }, processtest.Patience,
				time.Millisecond)
			require.Empty(t, b.files(), "the socket and the lock")
		})
	}
}

// A keeper asked to end in a call ends the hook too. The call has no answer, and did not run out of time.
func TestKeeperIsEndedInACall(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(b *bench){
		"SIGTERM": func(b *bench) { require.NoError(b, syscall.Kill(b.keeper(), syscall.SIGTERM)) },
		"SIGINT":  func(b *bench) { require.NoError(b, syscall.Kill(b.keeper(), syscall.SIGINT)) },
		"SIGKILL": func(b *bench) { require.NoError(b, syscall.Kill(b.keeper(), syscall.SIGKILL)) },
		"End": func(b *bench) {
			all := keeper.List(b.State)
			require.Len(b, all, 1)
			require.NoError(b, all[0].End())
			require.Empty(b, b.Marked(), "End waits for the end")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, waits)
			b.Gate("gate")
			r := b.during(func(int) { end(b) })
			require.True(t, r.Begun)
			require.False(t, r.TimedOut, "a client lets a call go on that ran out of time")
			require.NotEmpty(t, r.Problem)
			if name == "SIGKILL" { // the socket and the lock stay
				require.Eventually(t, func() bool { return len(b.Marked()) == 0 }, processtest.Patience,
					time.Millisecond)
				b.must("the next call starts another")
				b.endAll()
			}
			b.nothingLeft()
			require.Equal(t, 1, b.log()["wait"])
		})
	}
}

// SIGHUP is the end of a terminal: no concern of the keeper.
func TestKeeperOutlivesTheTerminal(t *testing.T) {
	b := newBench(t, each(answers))
	pid := b.pid()
	at := b.keeper()
	require.NoError(t, syscall.Kill(at, syscall.SIGHUP))
	require.Equal(t, pid, b.pid())
	require.Equal(t, fmt.Sprint(at), processtest.StatField(at, 3), "a session of its own")
	for fd := range 3 {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", at, fd))
		require.NoError(t, err)
		require.True(t, to == os.DevNull || strings.HasSuffix(to, "(deleted)"), to)
	}
}

// If another call has removed the socket, because the keeper gave no sign, the keeper first ends all calls.
func TestKeeperWithoutASocketEndsItsCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	b.Keep = 50 * time.Millisecond // the time between two looks
	open := b.Gate("gate")
	r := b.during(func(int) {
		idle := *b
		idle.Hook = "idle"
		pid := idle.pid()
		require.NoError(t, os.RemoveAll(b.State+"/keepers"))
		b.Gone(pid) // a keeper without a call has ended meanwhile
		open()
	})
	require.False(t, r.failed(), "%+v", r)
	b.nothingLeft()
}

// A ninth keeper of a hook ends the keeper idle for longest, and no keeper with a call.
func TestKeepersOfAHook(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	open := b.Gate("gate")
	env := b.Program.Env
	with := func(n int) *bench {
		other := *b
		other.Program.Env = append(env[:len(env):len(env)], fmt.Sprint("N=", n))
		return &other
	}
	settle := func() { // a call ends a little after the answer
		require.Eventually(t, func() bool {
			calls := 0
			for _, i := range keeper.List(b.State) {
				calls += i.Busy
			}
			return calls == 1
		}, processtest.Patience, time.Millisecond)
	}
	pids := map[int]int{}
	var all sync.WaitGroup
	var busy reply
	with(0).must("x")
	all.Go(func() { busy = with(0).ask("wait") })
	pids[0] = b.ReadyAll(1)[0]
	for n := 1; n < 8; n++ {
		pids[n] = with(n).pid()
		settle()
	}
	require.Len(t, b.keepers(), 8)
	require.Equal(t, pids[1], with(1).pid(), "now 2 is idle for longest")
	settle()
	pids[8] = with(8).pid()
	require.Eventually(t, func() bool { return !processtest.Alive(pids[2]) }, processtest.Patience, time.Millisecond)
	for n, pid := range pids {
		require.Equal(t, n != 2, processtest.Alive(pid), n)
	}
	open()
	all.Wait()
	require.False(t, busy.failed(), "%+v", busy)
	require.Equal(t, pids[8], with(8).pid())
}

// Once the files of a hook have changed, no call needs the keeper of the old files.
func TestKeeperOfOldFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	old := b.pid()
	b.Files = "changed"
	require.NotEqual(t, old, b.pid())
	require.Eventually(t, func() bool { return len(b.files()) == 2 && !processtest.Alive(old) }, processtest.Patience,
		time.Millisecond)
}

// A new keeper removes the files of killed keepers.
func TestKeeperTidies(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	for n := range 3 {
		other := *b
		other.Files = fmt.Sprint(n)
		other.must("x")
	}
	for _, pid := range b.keepers() {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		b.Gone(pid)
	}
	require.NotEmpty(t, b.files())
	b.must("x")
	require.Eventually(t, func() bool { return len(b.files()) == 2 }, processtest.Patience, time.Millisecond)
}

// If a caller gives a call up, the process is killed. This does not count as a death of the hook.
func TestCallIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	b.Gate("gate")
	b.must("x")
	for range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan reply, 1)
		go func() { done <- b.call(ctx, "wait") }()
		hook := b.ReadyAll(1)[0]
		cancel()
		r := <-done
		require.True(t, r.failed(), "%+v", r)
		b.Gone(hook)
	}
	b.must("x")
	require.Len(t, b.keepers(), 1)
}
