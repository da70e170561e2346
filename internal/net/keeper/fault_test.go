//go:build linux

package keeper_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/net/keeper"
)

// Faults of a hook, and the reply to the call. The next call gets an answer.
var faults = []struct {
	text, does string
	want       func(r *reply) bool
}{
	{"exit", "echo why >&2; exit 7",
		func(r *reply) bool { return r.ExitCode == 7 && string(r.Stderr.Head) == "why\n" }},
	{"end", "exit 0", func(r *reply) bool { return strings.Contains(r.Problem, "not one line") }},
	{"killed", "kill -9 $$", func(r *reply) bool { return r.Signal == "SIGKILL" && r.ExitCode == -1 }},
	{"half", `printf "$id half"; exit 0`, func(r *reply) bool { return strings.Contains(r.Problem, "half") }},
	{"two at once", `printf "$id a\n$id b\n"`,
		func(r *reply) bool { return strings.Contains(r.Problem, "not one line") }},
	{"wrong id", `echo "$((id + 1)) a"`, func(r *reply) bool { return strings.Contains(r.Problem, "not of call") }},
	{"no id", "echo hello", func(r *reply) bool { return strings.Contains(r.Problem, "not of call") }},
	{"much", "head -c 17000000 /dev/zero; sleep 1000", func(r *reply) bool { return r.failed() && r.ExitCode == 0 }},
	{"no stdout", "exec >&-; sleep 1000", func(r *reply) bool { return r.TimedOut && r.NoAnswer }},
	{"silence", "sleep 1000", func(r *reply) bool { return r.TimedOut && r.NoAnswer }},
	{"no newline", `printf "$id x"; sleep 1000`, func(r *reply) bool { return r.TimedOut && r.NoAnswer }},
	{"daemon", "setsid sleep 1000 & exit 3", func(r *reply) bool { return r.ExitCode == 3 && !r.TimedOut }},
	{"daemon, and lives", answers + "; sleep 1000 &", func(r *reply) bool { return !r.failed() }},
	{"descendants", "sleep 1000 & setsid sleep 1000 & env -i setsid sleep 1000 & wait",
		func(r *reply) bool { return r.TimedOut }},
}

func TestFaultsOfAHook(t *testing.T) {
	for _, f := range faults {
		t.Run(f.text, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, each("case $text in bad) "+f.does+" ;; *) "+answers+" ;; esac"))
			for range 2 {
				b.Limit = processtest.Patience
				b.must("x")
				b.Limit = 700 * time.Millisecond
				r := b.ask("bad")
				require.True(t, r.Begun)
				require.True(t, f.want(&r), "%+v", r)
				if r.TimedOut {
					require.Empty(t, b.Marked())
				}
			}
			b.Limit = processtest.Patience
			b.must("y")
			require.Len(t, b.keepers(), 1)
			log := b.log()
			require.Equal(t, 2, log["bad"], log)
		})
	}
}

// After two deaths in a row a call fails, and the hook is not run elsewhere.
func TestDeathsInARow(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo started >>log; exit 7")
	for range 2 {
		r := b.begun("x")
		require.Equal(t, 7, r.ExitCode)
	}
	r := b.ask("x")
	require.True(t, r.Begun)
	require.ErrorContains(t, r.Err, "it ended 2 times in a row without an answer (at last: exit 7)")
	require.Equal(t, "started\nstarted\n", b.Read("log"))
}

func TestProgramThatCannotStart(t *testing.T) {
	b := newBench(t, "")
	b.Program.Path = "/dev/null"
	require.False(t, b.ask("x").Begun, "the caller says why")
	b.keeper()
	b.Program.Path = "/missing"
	require.False(t, b.ask("x").Begun)
}

// The death of a process between calls is no concern of the next call.
func TestHookDiesWhileIdle(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	for range 4 {
		pid := b.pid()
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		b.Gone(pid)
		require.NotEqual(t, pid, b.pid())
	}
}

// A line printed before the process has read the call is no answer.
func TestLineThatComesTooEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo '1 early'; sleep 1000")
	r := b.begun("x")
	require.Equal(t, "it printed a line before it had read the one of this call", r.Problem)
	require.Empty(t, b.Marked())
}

// A second line for a call may come at any time. It is no answer to the next call.
func TestSecondLine(t *testing.T) {
	t.Parallel()
	for _, second := range []string{`echo "$id second"`, `(sleep 0.01; echo "$id second") &`} {
		b := newBench(t, each("case $text in bad) "+answers+"; "+second+" ;; *) "+answers+" ;; esac"))
		for range 5 {
			b.begun("bad")
			for range 5 {
				if r := b.ask("x"); r.Problem == "" && r.Err == nil {
					require.True(t, r.Begun)
					require.Equal(t, "x", r.answer()[1], "%+v", r)
				}
			}
		}
	}
}

func TestTimeoutKillsTheEscaped(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, each("case $text in bad) (env -i setsid sh -c 'echo $$ >ready; exec sleep 1000' &); "+
				"sleep 1000 ;; *) "+answers+" ;; esac"))
			b.Workers = workers
			b.must("x")
			require.Eventually(t, func() bool { // the call has ended, so its process has the next
				return keeper.List(b.State)[0].Busy == 0
			}, processtest.Patience, time.Millisecond)
			b.Limit = 700 * time.Millisecond
			r := b.ask("bad")
			require.True(t, r.TimedOut, "%+v", r)
			escaped := b.ReadyAll(1)[0]
			b.endAll()
			b.Gone(escaped)
		})
	}
}

func TestMegabytes(t *testing.T) {
	t.Parallel()
	b := newBench(t, `exec python3 -uc '
import sys
for line in sys.stdin:
    id, text = line.split(" ")
    sys.stdout.write(id + " " + str(len(text) - 1) + " " + "x" * 15_000_000 + "\n")
    sys.stdout.flush()
'`)
	for range 2 {
		r := b.begun(strings.Repeat("y", 10<<20))
		require.False(t, r.failed(), r.Problem)
		words := r.answer()
		require.Equal(t, fmt.Sprint(10<<20), words[1])
		require.Len(t, words[2], 15_000_000)
	}
}

// If the keeper hangs before the line is sent, the call loses a part of the limit. The next call starts another keeper.
func TestKeeperHangsBeforeTheCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	old := b.pid()
	at := b.keeper()
	b.stop(at)
	r := b.ask("unheard")
	require.False(t, r.Begun)
	require.NotEqual(t, old, b.pid())
	require.NoError(t, syscall.Kill(at, syscall.SIGCONT))
	b.Gone(at)
	require.Zero(t, b.log()["unheard"])
	b.must("x")
}

// Callers of a hanging keeper do not wait for each other.
func TestCallersOfAKeeperThatHangs(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	b.must("x")
	b.stop(b.keeper())
	var all sync.WaitGroup
	var replies [40]reply
	for i := range replies {
		all.Go(func() { replies[i] = b.ask(fmt.Sprint("call", i)) })
	}
	all.Wait()
	b.endAll()
	for i, r := range replies {
		want := 0
		if r.Begun {
			want = 1
			require.False(t, r.failed(), "%+v", r)
		}
		require.Equal(t, want, b.log()[fmt.Sprint("call", i)], "%+v", r)
	}
}

// If the keeper hangs in the middle of a call, keeper and processes are killed at the limit.
func TestKeeperHangsInACall(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	open := b.Gate("gate")
	b.must("x")
	b.Limit = 500 * time.Millisecond
	r := b.during(func(hook int) {
		b.stop(b.keeper())
		open()
	})
	require.True(t, r.Begun)
	require.True(t, r.TimedOut && r.NoAnswer, "%+v", r)
	require.Eventually(t, func() bool { return len(b.Marked())+len(b.keepers()) == 0 }, processtest.Patience,
		time.Millisecond)
	require.Equal(t, 1, b.log()["wait"])
	b.must("removes the socket")
}

// The caller alone decides about an answer, even if the keeper ends then.
func TestKeeperEndsAfterTheAnswer(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		for _, text := range []string{"good", "bad"} {
			t.Run(fmt.Sprint(signal, " ", text), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, each(`case $text in bad) echo none ;; *) `+answers+` ;; esac`))
				b.must("x")
				at := b.keeper()
				b.Limit = 500 * time.Millisecond
				b.Check = func() {
					require.NoError(t, syscall.Kill(at, signal))
					if signal == syscall.SIGSTOP {
						b.stopped(at)
					}
				}
				r := b.ask(text)
				b.Check, b.Limit = nil, processtest.Patience
				require.True(t, r.Begun)
				require.False(t, r.TimedOut, "%+v", r)
				require.Equal(t, text == "bad", r.Problem != "", "%+v", r)
				if text == "bad" || signal != syscall.SIGSTOP {
					b.Gone(at)
				}
				b.must("removes the socket")
			})
		}
	}
}

// If a caller dies in the middle of a call, the process of the call is killed and the keeper stays.
func TestCallerIsKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t, waits)
	b.Gate("gate")
	b.must("x")
	at := b.keeper()
	for range 4 {
		c := b.caller("wait")
		hook := b.ReadyAll(1)[0]
		require.NoError(t, c.Process.Kill())
		require.Empty(t, c.replies())
		b.Gone(hook)
	}
	b.must("four deaths of callers are none of the hook")
	require.Equal(t, at, b.keeper())
}

// stop stops a process.
func (b *bench) stop(pid int) {
	b.Helper()
	require.NoError(b, syscall.Kill(pid, syscall.SIGSTOP))
	b.stopped(pid)
}

// stopped waits until all threads of a process are stopped.
func (b *bench) stopped(pid int) {
	b.Helper()
	require.Eventually(b, func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
			text, _ := os.ReadFile(path)
			return !strings.Contains(string(text), ") T ")
		})
	}, processtest.Patience, time.Millisecond)
}

// A stopped caller holds a process for a while, and then others get their turn.
func TestCallerIsStopped(t *testing.T) {
	for name, size := range map[string]string{"a line": "", "a long line": "; head -c 8000000 /dev/zero | tr '\\0' x"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, each(`case $text in stop) printf "$id "`+size+`; echo ;; *) `+answers+` ;; esac`))
			first := b.pid()
			c := b.callerAfter("true", callerOrder{Texts: []string{"stop"}, StopsAt: "answer"})
			b.stopped(c.Process.Pid)
			b.must("x")
			require.NoError(t, c.Process.Signal(syscall.SIGCONT))
			got := c.replies()
			require.Len(t, got, 1)
			require.True(t, got[0].Begun && !got[0].Failed, "it has the answer")
			require.NotEqual(t, first, b.pid())
			for range 3 { // and these are no deaths of the hook's
				c := b.callerAfter("true", callerOrder{Texts: []string{"stop"}, StopsAt: "answer"})
				b.stopped(c.Process.Pid)
				require.NoError(t, c.Process.Kill())
				c.replies()
			}
			b.must("x")
		})
	}
}

// The caller is stopped before the first byte of a long answer is read.
func TestCallerIsStoppedBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(`case $text in wait) `+processtest.AtGate("gate")+`printf "$id "; head -c 8000000 /dev/zero |
		tr '\0' x; echo ;; *) `+answers+` ;; esac`))
	open := b.Gate("gate")
	b.must("x")
	c := b.caller("wait")
	b.ReadyAll(1)
	b.stop(c.Process.Pid)
	open()
	b.must("x")
	require.NoError(t, c.Process.Signal(syscall.SIGCONT))
	got := c.replies()
	require.Len(t, got, 1)
	require.True(t, got[0].Begun && got[0].Failed && !got[0].TimedOut)
}
