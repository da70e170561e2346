//go:build linux

package keeper_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

var self, _ = os.Executable()

// The test program is also the keeper, and a caller in a separate process.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == keeper.Command:
		os.Exit(keeper.Run())
	case len(os.Args) > 1 && os.Args[1] == callerCommand:
		callerMain()
	default:
		testall.Beside(4)
		os.Exit(m.Run())
	}
}

// bench is a kept hook with a new workspace and a new state folder. At the end of the test no keeper, process, socket,
// descriptor or goroutine may be left.
type bench struct {
	*processtest.Bench
	engine.Kept

	State, Binary string
	Limit         time.Duration
	Check         func() // called with the answer
}

var hooks atomic.Int64

// newBench returns a bench for a hook of this shell script.
func newBench(t *testing.T, script string) *bench {
	t.Helper()
	b := &bench{Bench: processtest.New(t), Limit: processtest.Patience}
	var err error
	b.State, err = os.MkdirTemp("", "k") // short: the path of a socket is
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(b.State)) })
	b.Binary = b.Path("keeper")
	require.NoError(t, os.WriteFile(b.Binary, fmt.Appendf(nil, "#!/bin/sh\n"+
		"GORACE='atexit_sleep_ms=0 log_path=%s' exec '%s' \"$@\"\n", b.State+"/race", self), 0o700))
	b.Kept = engine.Kept{Hook: fmt.Sprintf("hook %d.%d", os.Getpid(), hooks.Add(1)), Workspace: b.Dir, Workers: 1,
		Keep: time.Minute, Program: process.Program{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: b.Dir,
			Env: []string{"PATH=" + os.Getenv("PATH"), b.Mark}}}
	t.Cleanup(b.endAll)
	return b
}

// endAll ends all keepers, and waits until all processes and files are gone.
func (b *bench) endAll() {
	b.Helper()
	for _, pid := range b.keepers() { // a test may have stopped keepers
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	for _, i := range keeper.List(b.State) {
		require.NoError(b, i.End())
	}
	b.nothingLeft()
}

// nothingLeft waits until no keeper of the hook runs and no process of the bench, and no socket or lock is left.
func (b *bench) nothingLeft() {
	b.Helper()
	require.Eventually(b, func() bool { return len(b.keepers())+len(b.Marked()) == 0 }, processtest.Patience,
		time.Millisecond, "%v %v", b.keepers(), b.Marked())
	require.Empty(b, b.files())
	races, _ := filepath.Glob(b.State + "/race*")
	require.Empty(b, races)
}

// files returns the names in the folder of the sockets.
func (b *bench) files() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(b.State, "keepers"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// keepers returns the process ids of all keepers of the hook, also without a socket.
func (b *bench) keepers() (all []int) {
	for _, pid := range processtest.PIDs() {
		args := processtest.Cmdline(pid)
		if len(args) == 3 && args[1] == keeper.Command && args[2] == b.Hook && processtest.Alive(pid) {
			all = append(all, pid)
		}
	}
	return all
}

// keeper returns the only keeper of the hook.
func (b *bench) keeper() (pid int) {
	b.Helper()
	all := b.keepers()
	require.Len(b, all, 1)
	return all[0]
}

// reply is the result of a call.
type reply struct {
	process.Reply
	Begun  bool
	Number int64
}

// answer returns the words of the answer behind the number and the token.
func (r *reply) answer() []string { return strings.Fields(string(r.Stdout.Head)) }

// failed reports whether the call got no answer.
func (r *reply) failed() bool {
	return r.Err != nil || r.TimedOut || r.Problem != "" || r.Signal != "" || r.ExitCode != 0
}

// call calls the hook with a line: the number of the call and a text.
func (b *bench) call(ctx context.Context, text string) (r reply) {
	c := keeper.In(b.State, b.Binary)
	line := func(number int64) process.Input {
		r.Number = number
		return process.Input{strconv.AppendInt(nil, number, 10), []byte(" "), []byte(text), []byte("\n")}
	}
	r.Reply, r.Begun = c.Ask(ctx, &b.Kept, line, b.Limit, func(got *process.Reply) string {
		if b.Check != nil {
			b.Check()
		}
		out := string(got.Stdout.Head)
		switch start := fmt.Sprint(r.Number, " "); {
		case strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n"):
			return fmt.Sprintf("not one line: %.50q", out)
		case !strings.HasPrefix(out, start):
			return fmt.Sprintf("not of call %d: %.50q", r.Number, out)
		}
		return ""
	})
	return r
}

func (b *bench) ask(text string) reply { return b.call(context.Background(), text) }

// begun calls the hook until a keeper takes the call. While another keeper starts and tidies, a call may find a lock
// held.
func (b *bench) begun(text string) (r reply) {
	b.Helper()
	require.Eventually(b, func() bool {
		r = b.ask(text)
		return r.Begun
	}, processtest.Patience, time.Millisecond, "%+v", r)
	return r
}

// must calls the hook, requires an answer, and returns the last word of the answer.
func (b *bench) must(text string) string {
	b.Helper()
	r := b.begun(text)
	require.False(b, r.failed(), "%+v", r)
	words := r.answer()
	return words[len(words)-1]
}

// pid is must for a hook that answers with the process id.
func (b *bench) pid() int {
	b.Helper()
	return processtest.Number(b, b.must("pid"))
}

// each is a script that runs another script for each line: $id is the number, $text the rest.
func each(script string) string {
	return "exec 5>>log\nwhile IFS=' ' read -r id text; do echo \"$id $text\" >&5\n" + script + "\ndone"
}

// answers is a script that answers with the number, the text and the process id.
const answers = `echo "$id $text $$"`

// log returns how often the hook got each text.
func (b *bench) log() map[string]int {
	times := map[string]int{}
	text, _ := os.ReadFile(b.Path("log"))
	for line := range strings.Lines(string(text)) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		times[text]++
	}
	return times
}

const callerCommand = "call-hook"

// portable is a hook in JSON, without the function.
type portable struct {
	engine.Kept
	Changed bool
}

// callerOrder is the stdin of a caller.
type callerOrder struct {
	State, Binary string
	Kept          portable
	Limit         time.Duration
	Texts         []string
	StopsAt       string // "answer": the caller stops at the answer, before the answer is accepted
}

// callerReply is the report of a caller for each text.
type callerReply struct {
	Text, Answer, Problem   string
	Number                  int64
	Begun, Failed, TimedOut bool
}

// callerMain calls a hook from a separate process, as hookrun does.
func callerMain() {
	var o callerOrder
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		panic(err)
	}
	b := bench{State: o.State, Binary: o.Binary, Kept: o.Kept.Kept, Limit: o.Limit}
	if o.StopsAt == "answer" {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, syscall.SIGCONT)
		b.Check = func() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			<-continued // another thread may stop first
		}
	}
	out := json.NewEncoder(os.Stdout)
	for _, text := range o.Texts {
		r := b.ask(text)
		_ = out.Encode(callerReply{Text: text, Answer: strings.Join(r.answer(), " "), Problem: r.Problem,
			Number: r.Number, Begun: r.Begun, Failed: r.failed(), TimedOut: r.TimedOut})
	}
}

// caller is a caller in a separate process.
type caller struct {
	*exec.Cmd
	out bytes.Buffer
}

// caller starts a caller.
func (b *bench) caller(texts ...string) *caller {
	b.Helper()
	return b.callerAfter("true", callerOrder{Texts: texts})
}

// callerAfter starts a caller in a shell that ran some commands before.
func (b *bench) callerAfter(commands string, o callerOrder) *caller {
	b.Helper()
	return b.callerOf(self, nil, commands, o)
}

// callerOf starts a caller as another user.
func (b *bench) callerOf(program string, user *syscall.Credential, commands string, o callerOrder) *caller {
	b.Helper()
	o.State, o.Binary, o.Kept.Kept, o.Limit = b.State, b.Binary, b.Kept, b.Limit
	order, err := json.Marshal(o)
	require.NoError(b, err)
	c := &caller{Cmd: exec.Command("sh", "-c", commands+`; exec "$0" "$1"`, program, callerCommand)}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(order), &c.out, os.Stderr
	require.NoError(b, c.Start())
	return c
}

// replies waits for the end of the caller, and returns the replies up to then.
func (c *caller) replies() (all []callerReply) {
	_ = c.Wait()
	in := json.NewDecoder(bytes.NewReader(c.out.Bytes()))
	for {
		var r callerReply
		if in.Decode(&r) != nil {
			return all
		}
		all = append(all, r)
	}
}

// texts returns n different texts.
func texts(prefix string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(prefix, ".", i))
	}
	return slices.Clip(all)
}
