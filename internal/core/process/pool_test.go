//go:build linux

package process_test

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

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// pool is a pool of a bench.
type pool struct {
	*bench
	*process.Pool
	limit time.Duration
}

// pool returns a pool of a script that is closed before the bench looks for what is left.
func (b *bench) pool(size int, script string) *pool {
	b.OneShot = false
	p := &pool{b, nil, processtest.Patience}
	p.Pool = b.NewPool(size, func(dir string) (process.Program, error) {
		program := b.script(script)
		program.Dir = dir
		return program, nil
	})
	b.Cleanup(p.Pool.Close)
	return p
}

// each is a script that runs another one for each line, which is $line.
func each(script string) string { return "while IFS= read -r line; do " + script + "; done" }

// pidOfEach answers with the process id.
var pidOfEach = each("echo $$")

// oneLine is what makes an answer valid here.
func oneLine(reply *process.Reply) string {
	if out := string(reply.Stdout.Head); strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		return fmt.Sprintf("no line: %q", out)
	}
	return ""
}

func (p *pool) ask(line string) process.Reply { return p.askIn(p.Dir, line) }

func (p *pool) askIn(dir, line string) process.Reply {
	return p.Ask(context.Background(), dir, process.Input{[]byte(line), []byte("\n")}, p.limit, oneLine)
}

// must returns the answer to a line.
func (p *pool) must(line string) string {
	p.Helper()
	reply := p.ask(line)
	require.NoError(p, reply.Err)
	require.Empty(p, reply.Problem)
	require.False(p, reply.TimedOut)
	return strings.TrimSpace(string(reply.Stdout.Head))
}

func TestPersistentProcessStays(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, pidOfEach)
	require.Empty(t, processtest.Children(), "nothing starts before the first call")
	first := p.must("x")
	for range 20 {
		require.Equal(t, first, p.must("x"))
	}
	other := p.askIn("/", "x")
	require.NotEqual(t, first+"\n", string(other.Stdout.Head), "one for each directory")
}

func TestPersistentProcessAnswers(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, each(`case $line in
		silence) exit 0 ;;
		unfinished) printf half; exit 0 ;;
		exit) echo why >&2; exit 7 ;;
		killed) kill -KILL $$ ;;
		last) echo last words; exit 0 ;;
		*) echo "$line" ;;
	esac`))
	for _, test := range []struct {
		line string
		want process.Reply
	}{
		{"a", process.Reply{Result: process.Result{Stdout: process.NewOutput("a\n")}}},
		{"silence", process.Reply{Warm: true, Problem: `no line: ""`}},
		{"b", process.Reply{Result: process.Result{Stdout: process.NewOutput("b\n")}}},
		{"unfinished", process.Reply{
			Result: process.Result{Stdout: process.NewOutput("half")}, Warm: true, Problem: `no line: "half"`,
		}},
		{"c", process.Reply{Result: process.Result{Stdout: process.NewOutput("c\n")}}},
		{"exit", process.Reply{Result: process.Result{ExitCode: 7, Stderr: process.NewOutput("why\n")}, Warm: true}},
		{"d", process.Reply{Result: process.Result{Stdout: process.NewOutput("d\n")}}},
		{"killed", process.Reply{Result: process.Result{ExitCode: -1, Signal: "SIGKILL"}, Warm: true}},
		{"last", process.Reply{Result: process.Result{Stdout: process.NewOutput("last words\n")}}},
		{"last", process.Reply{Result: process.Result{Stdout: process.NewOutput("last words\n")}}},
	} {
		got := p.ask(test.line)
		for _, o := range []*process.Output{&got.Stdout, &got.Stderr} {
			o.Head = append([]byte(nil), o.Head...) // without spare capacity
		}
		require.Equal(t, test.want, got, test.line)
	}
}

// A second line for one call is no answer to the next, whenever it comes.
func TestPersistentProcessThatSpeaksUnasked(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, each(`case $line in
		noise) echo a; (sleep 0.05; echo b; echo spoke >ready) & ;;
		*) echo "the right answer" ;;
	esac`))
	p.ask("noise")
	b.Ready()
	for range 3 {
		require.Equal(t, "the right answer", p.must("x"))
	}
}

func TestPersistentProcessDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.pool(1, each(`case $line in
		hang) sleep 1000 & setsid sleep 1000 & echo $$ >ready; wait ;;
		half) printf half; sleep 1000 ;;
		unread) echo line; sleep 1000 ;;
		*) echo $$ ;;
	esac`))
	first := p.must("x")
	p.limit = time.Second
	reply := p.ask("hang")
	require.True(t, reply.TimedOut)
	require.True(t, reply.NoAnswer)
	require.Equal(t, first, b.Ready()[0])
	require.Empty(t, b.Marked(), "it was killed with all its descendants")
	require.True(t, p.ask("half").NoAnswer)
	reply = p.ask("unread\n" + strings.Repeat("x", 300_000))
	require.True(t, reply.TimedOut)
	require.False(t, reply.NoAnswer)
	p.limit = processtest.Patience
	require.NotEqual(t, first, p.must("x"))
}

func TestPersistentProcessWhoseCallIsGivenUp(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, each("echo $$ >ready; sleep 1000"))
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range 2 { // the second waits for its turn
		all.Go(func() {
			reply := p.Ask(ctx, b.Dir, line, time.Hour, oneLine)
			if !reply.TimedOut && reply.Err == nil {
				t.Errorf("%d: %+v", i, reply)
			}
		})
	}
	b.Ready()
	cancel()
	all.Wait()
	require.Empty(t, b.Marked())
}

// After two deaths in a row a start waits.
func TestPersistentProcessBackoff(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, each("exit 1"))
	for range 2 {
		reply := p.ask("x")
		require.NoError(t, reply.Err)
		require.Equal(t, 1, reply.ExitCode)
	}
	const want = "it ended 2 times in a row without an answer (at last: exit 1), and is started again in"
	require.ErrorContains(t, p.ask("x").Err, want)
	require.Eventually(t, func() bool { return p.ask("x").Err == nil }, processtest.Patience, 10*time.Millisecond)
}

func TestPersistentProcessThatDiesIdle(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, pidOfEach)
	for range 3 {
		pid := processtest.Number(t, p.must("x"))
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		b.Reaped(pid)
	}
}

func TestPersistentProcessesOfAPool(t *testing.T) {
	b := newBench(t)
	p := b.pool(3, each("[ -e open ] || { "+processtest.AtGate("gate")+"}; echo $$ >ready; echo x"))
	open := b.Gate("gate")
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { p.ask("x") })
	}
	pids := map[string]bool{}
	for range 3 {
		pids[b.Ready()[0]] = true
	}
	require.Len(t, pids, 3, "three calls at once")
	require.NoError(t, os.WriteFile(b.Path("open"), nil, 0o600))
	open()
	for range 5 {
		pids[b.Ready()[0]] = true
	}
	require.Len(t, pids, 3, "the others wait for one of these")
	all.Wait()
}

// What a process says on stderr before its answer is of that call.
func TestPersistentProcessStderr(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.pool(1, `exec python3 -c '
import os, sys
for line in iter(sys.stdin.readline, ""):
    os.write(2, line.encode()); os.write(1, b"x\n")
'`)
	for i := range testall.Of(100, 300) {
		want := fmt.Sprint("call ", i)
		require.Equal(t, want+"\n", string(p.ask(want).Stderr.Head))
	}
}

// A line of 10 MB goes in while the answer comes out.
func TestPersistentProcessAndMegabytes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.pool(1, `exec python3 -uc '
import sys
for line in sys.stdin:
    sys.stderr.write("e" * 10_000_000)
    print(len(line), flush=True)
'`)
	for range 2 {
		require.Equal(t, fmt.Sprint(10<<20+1), p.must(strings.Repeat("x", 10<<20)))
	}
}

// One that cannot even begin is no process that ended while it was idle: it is not started again and again for one
// call.
func TestPersistentProcessThatNeverReads(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, "echo started >>log; echo why >&2; exit 2")
	for range 2 {
		reply := p.ask("x")
		require.Equal(t, 2, reply.ExitCode)
		require.Equal(t, "why\n", string(reply.Stderr.Head))
	}
	require.Error(t, p.ask("x").Err)
	require.Equal(t, "started\nstarted\n", b.Read("log"))
}

// An answer to a line that was not read is no answer.
func TestPersistentProcessThatAnswersUnread(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, "echo x; exec sleep 1000")
	require.Equal(t, "it printed a line before it had read the one of this call", p.ask("x").Problem)
	require.Empty(t, b.Marked())
}

// A child that holds its stdin keeps nobody, however much there was to write.
func TestPersistentProcessWhoseChildHoldsItsInput(t *testing.T) {
	b := newBench(t)
	p := b.pool(1, "sleep 1000 & echo why >&2; exit 3")
	reply := p.ask(strings.Repeat("x", 300_000))
	require.Equal(t, 3, reply.ExitCode)
	require.Equal(t, "why\n", string(reply.Stderr.Head))
	require.Empty(t, b.Marked())
}

// The death of an idle process is not that of the next call, however long that call's line is.
func TestPersistentProcessIdleDeathIsNotTheNextCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.pool(1, each("echo answer; exit 7"))
	for _, size := range []int{10, 6_000, 60_000, 300_000} {
		for range testall.Of(2, 5) {
			require.Equal(t, "answer", p.must(strings.Repeat("x", size)))
		}
	}
}

// To end another process does not take the time of a call.
func TestPersistentProcessCallHasItsOwnTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.pool(1, `trap '' TERM; while :; do
		read -r line || { sleep 0.05; continue; }
		case $line in
		noise) echo a; echo b; echo ready >ready ;;
		*) echo answer ;;
		esac
	done`)
	p.limit = 900 * time.Millisecond // and to end one takes a second
	require.Equal(t, "answer", p.must("x"))
	p.ask("noise")
	b.Ready()
	require.Equal(t, "answer", p.must("x"))
	require.NoError(t, os.Mkdir(b.Path("other"), 0o700))
	require.Equal(t, "answer\n", string(p.askIn(b.Path("other"), "x").Stdout.Head))
}

func TestPersistentProcessThatCannotStart(t *testing.T) {
	b := newBench(t)
	p := b.NewPool(0, func(string) (process.Program, error) { return b.program(b.Path("missing")), nil })
	defer p.Close()
	var failed *process.StartError
	require.ErrorAs(t, p.Ask(context.Background(), b.Dir, line, time.Second, oneLine).Err, &failed)
}

// A closed pool ends the process of a call when that is done with it.
func TestPersistentProcessOfAClosedPool(t *testing.T) {
	b := newBench(t)
	p := b.pool(2, each(processtest.AtGate("gate")+"echo $$"))
	open := b.Gate("gate")
	var reply process.Reply
	var all sync.WaitGroup
	all.Go(func() { reply = p.ask("x") })
	pid := b.ReadyAll(1)[0]
	p.Pool.Close()
	require.True(t, processtest.Alive(pid))
	open()
	all.Wait()
	require.Equal(t, fmt.Sprintln(pid), string(reply.Stdout.Head))
	b.Reaped(pid)
}
