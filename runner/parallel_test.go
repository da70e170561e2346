//go:build linux

package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// command is a handler of Claude Code's form.
func command(script string, more ...hook) hook {
	h := hook{"type": "command", "command": script}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

// says is a script that gives an answer.
func says(answer string) string { return "echo '" + answer + "'" }

// adds is an answer with context, on at PreToolUse.
func adds(context string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"` + context + `"}}`
}

// decides is an answer with a decision, on at PreToolUse.
func decides(word, reason string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + word + `","permissionDecisionReason":"` + reason + `"}}`
}

// claude is a file in Claude Code's form with hooks for one event, each at a line of its own.
func (b *bench) claude(event protocol.Event, handlers ...hook) *projecthooks.Config {
	b.Helper()
	return b.settings(hook{}, event, handlers...)
}

// settings is such a file with settings for all of its hooks.
func (b *bench) settings(more hook, event protocol.Event, handlers ...hook) *projecthooks.Config {
	b.Helper()
	more["hooks"] = hook{string(event): []any{hook{"hooks": handlers}}}
	doc, err := json.MarshalIndent(more, "", "\t")
	require.NoError(b, err)
	cfg, err := projecthooks.Parse("settings.json", doc)
	require.NoError(b, err)
	return cfg
}

// with is a runner for the hooks of several files.
func (b *bench) with(o runner.Options, files ...*projecthooks.Config) *runner.Runner {
	b.Helper()
	all := &projecthooks.Config{}
	for _, cfg := range files {
		all.Add(cfg)
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = append(slices.Clip(o.Env), b.mark)
	o.OneShot = true
	return runner.New(all, o)
}

// ask fires a pre-tool call.
func (b *bench) ask(files ...*projecthooks.Config) protocol.Outcome {
	b.Helper()
	o, err := b.with(runner.Options{}, files...).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	b.childless()
	return o
}

// firing is a call that goes on while the test looks at its hooks.
type firing struct {
	ended   chan struct{}
	outcome protocol.Outcome
	err     error
}

func (b *bench) begin(ctx context.Context, r *runner.Runner, c protocol.Call) *firing {
	f := &firing{ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		f.outcome, f.err = r.Fire(ctx, c)
	}()
	return f
}

// over reports whether the call has its outcome.
func (f *firing) over() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// end waits for the outcome, after which nothing of the call is left: no guard either, which has no mark.
func (b *bench) end(f *firing) protocol.Outcome {
	b.Helper()
	select {
	case <-f.ended:
	case <-time.After(patience):
		require.Fail(b, "the call does not end")
	}
	require.NoError(b, f.err)
	b.childless()
	return f.outcome
}

// readyAll waits for the lines of n hooks, and returns the pid at the start of each.
func (b *bench) readyAll(n int) (pids []int) {
	b.Helper()
	for range n {
		pids = append(pids, number(b, b.ready()[0]))
	}
	return pids
}

// gate makes a fifo that hooks wait at until the test opens it: they do `exec 3<NAME` before they say that they are ready,
// and then `read x <&3`. It is open at the end of the test.
func (b *bench) gate(name string) (open func()) {
	b.Helper()
	require.NoError(b, syscall.Mkfifo(b.path(name), 0o600))
	f, err := os.OpenFile(b.path(name), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	return func() { f.Close() }
}

// atGate is the script of a hook that says it is ready and goes on when the gate is open.
func atGate(name string) string {
	return "exec 3<" + name + "; echo $$ >ready; read x <&3; exec 3<&-; "
}

// children are the processes that this one started and that are not reaped, whatever their state.
func children() (all []int) {
	for _, pid := range pids() {
		if statField(pid, 1) == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}

func (b *bench) childless() {
	b.Helper()
	for _, pid := range children() {
		require.Fail(b, "a child is left", describe(pid))
	}
}

// cmdline returns the arguments of a process.
func cmdline(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// guards returns the guards that watch hooks of this process.
func guards() (all []int) {
	for _, pid := range children() {
		if args := cmdline(pid); len(args) == 3 && args[0] == "sh" && args[1] == "-c" && strings.Contains(args[2], "kill -s KILL") {
			all = append(all, pid)
		}
	}
	return all
}

func names(o protocol.Outcome) (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Name)
	}
	return all
}

func statuses(o protocol.Outcome) (all []protocol.Status) {
	for _, h := range o.Hooks {
		all = append(all, h.Status)
	}
	return all
}

func (b *bench) read(name string) string {
	b.Helper()
	text, err := os.ReadFile(b.path(name))
	require.NoError(b, err)
	return string(text)
}

// All hooks of a call at once.

func TestParallelHooksRunAtOnce(t *testing.T) {
	b := newBench(t)
	const n = 8
	open := b.gate("gate")
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(fmt.Sprintf("%s echo %d >&2", atGate("gate"), i), hook{"timeout": 100}))
	}
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse", hooks...)), b.pre())
	pids := b.readyAll(n) // the last of which would not come if any waited for another one's end
	for _, pid := range pids {
		require.True(t, alive(pid))
	}
	open()
	o := b.end(f)
	require.Equal(t, protocol.Continue, o.Decision)
	for i, h := range o.Hooks {
		require.Equal(t, protocol.StatusOK, h.Status)
		require.Equal(t, strconv.Itoa(i), h.Stderr)
	}
}

func TestTenexHooksStillRunOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	open := b.gate("gate")
	f := b.begin(context.Background(), b.runner(runner.Options{}, sh(atGate("gate")+"echo 1 >>log"), sh("echo 2 >>log")), b.pre())
	b.readyAll(1)
	require.NoFileExists(t, b.path("log"))
	open()
	b.end(f)
	require.Equal(t, "1\n2\n", b.read("log"))
}

// Each of sixty hooks holds a fifo open that the one before it reads to its end, so they all run at once, and end in
// reverse.
func TestResultsAreInTheOrderOfTheFile(t *testing.T) {
	b := newBench(t)
	const n = 60
	var hooks []hook
	for i := range n {
		script := ""
		if i > 0 {
			script += fmt.Sprintf("exec 3>chain%d; ", i)
		}
		if i < n-1 {
			require.NoError(t, syscall.Mkfifo(b.path(fmt.Sprintf("chain%d", i+1)), 0o600))
			script += fmt.Sprintf("read x <chain%d; ", i+1)
		}
		script += fmt.Sprintf("echo %d >>log; ", i)
		answer := hook{"hookEventName": "PreToolUse", "additionalContext": fmt.Sprintf("context %d", i), "updatedInput": hook{"n": i}}
		if i%20 == 7 {
			answer["permissionDecision"], answer["permissionDecisionReason"] = "ask", fmt.Sprintf("reason %d", i)
		}
		line, err := json.Marshal(hook{"hookSpecificOutput": answer, "systemMessage": fmt.Sprintf("message %d", i), "continue": i%30 != 3, "stopReason": fmt.Sprintf("stop %d", i)})
		require.NoError(t, err)
		hooks = append(hooks, command(script+says(string(line))))
	}
	cfg := b.claude("PreToolUse", hooks...)
	f := b.begin(context.Background(), b.with(runner.Options{}, cfg), b.pre())
	o := b.end(f)
	var reverse, contexts, messages, sources []string
	for i := range n {
		reverse = append([]string{strconv.Itoa(i)}, reverse...)
		contexts = append(contexts, fmt.Sprintf("context %d", i))
		messages = append(messages, fmt.Sprintf("message %d", i))
		sources = append(sources, cfg.Hooks[i].Source())
	}
	require.Equal(t, reverse, strings.Fields(b.read("log")), "the order in which they ended")
	for i, h := range o.Hooks {
		require.Equal(t, sources[i], h.Source)
	}
	require.Len(t, o.Hooks, n)
	require.Equal(t, contexts, texts(o))
	require.Equal(t, messages, o.SystemMessages)
	require.Equal(t, protocol.Ask, o.Decision)
	require.Equal(t, "reason 7", o.Reason, "the first in the file")
	require.Equal(t, cfg.Hooks[7].Name, o.Hook)
	require.JSONEq(t, `{"n":59}`, string(o.UpdatedInput), "the last in the file")
	require.Equal(t, "stop 33", o.StopReason, "the last in the file that stops")
}

func TestFirstBlockerInTheFileGivesTheReason(t *testing.T) {
	b := newBench(t)
	require.NoError(t, syscall.Mkfifo(b.path("second"), 0o600))
	o := b.ask(b.claude("PreToolUse",
		command("read x <second; echo slow >&2; exit 2"),
		command("exec 3>second; echo fast >&2; exit 2"),
		command(says(decides("allow", "go")))))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "slow\n", o.Reason)
	require.False(t, o.Approved)
	require.Equal(t, []protocol.Status{protocol.StatusBlocked, protocol.StatusBlocked, protocol.StatusOK}, statuses(o))
}

func TestSlowHookIsWaitedForAfterAnEarlyDeny(t *testing.T) {
	b := newBench(t)
	open := b.gate("gate")
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse",
		command("echo $$ >ready; "+says(decides("deny", "no"))),
		command("sleep 0.01; echo $$ >ready; exit 2"),
		command("trap 'echo >killed' TERM; "+atGate("gate")+says(adds("slow")))),
	), b.pre())
	pids := b.readyAll(3)
	slow := 0
	for _, pid := range pids {
		if strings.Contains(describe(pid), "trap") {
			slow = pid
			continue
		}
		b.gone(pid)
		require.Eventually(t, func() bool { return statField(pid, 0) == "" }, patience, time.Millisecond, "reaped, so judged")
	}
	require.True(t, alive(slow))
	require.False(t, f.over())
	open()
	o := b.end(f)
	require.NoFileExists(t, b.path("killed"))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
	require.Equal(t, []string{"slow"}, texts(o), "what a hook says beside a deny counts")
	require.Equal(t, []protocol.Status{protocol.StatusBlocked, protocol.StatusBlocked, protocol.StatusOK}, statuses(o))
}

func TestOneOfSeveralTimesOut(t *testing.T) {
	for policy, decision := range map[string]protocol.Decision{"continue": protocol.Continue, "block": protocol.Block} {
		b := newBench(t)
		o := b.ask(b.claude("PreToolUse",
			command(says(adds("first"))),
			command("trap '' TERM; echo partial; while :; do sleep 1; done", hook{"timeout": 0.2, "onFailure": policy}),
			command(says(adds("third"))),
			command("kill -9 $$"),
			command("exit 3")))
		require.Equal(t, decision, o.Decision)
		require.Equal(t, []protocol.Status{protocol.StatusOK, protocol.StatusTimeout, protocol.StatusOK, protocol.StatusFailed, protocol.StatusFailed}, statuses(o))
		require.Equal(t, []string{"first", "third"}, texts(o))
		require.Nil(t, o.Hooks[1].ExitCode)
		require.Equal(t, "SIGKILL", o.Hooks[3].Signal)
		require.Empty(t, b.marked())
		if decision == protocol.Block {
			require.Equal(t, protocol.CauseTimeout, o.Cause)
			require.Equal(t, o.Hooks[1].Name, o.Hook)
		}
	}
}

// A hook that one deadline kills is no reason to touch its neighbours, whose descendants may have left their groups as well.
func TestDeadlineOfOneHookSparesTheOthers(t *testing.T) {
	b := newBench(t)
	open := b.gate("gate")
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse",
		command("setsid sh -c 'exec sleep 1000' & exec sleep 1000", hook{"timeout": 1}),
		command("exec 3<gate; setsid sh -c 'echo $$ >ready; read x <&3; echo child >child' & wait; "+says(adds("second"))),
		command(atGate("gate")+says(adds("third"))))), b.pre())
	pids := b.readyAll(2)
	require.Eventually(t, func() bool { return len(b.marked()) == 3 }, patience, time.Millisecond, "the two, and the child")
	for _, pid := range pids {
		require.True(t, alive(pid))
	}
	open()
	o := b.end(f)
	require.Equal(t, []protocol.Status{protocol.StatusTimeout, protocol.StatusOK, protocol.StatusOK}, statuses(o))
	require.Equal(t, []string{"second", "third"}, texts(o))
	require.FileExists(t, b.path("child"))
}

func TestEqualHooksRunOnce(t *testing.T) {
	b := newBench(t)
	twice := "echo once >>log; exec sleep 1000"
	first := b.claude("PreToolUse", command(twice, hook{"timeout": 100}), command("true"), command(twice, hook{"timeout": 50}))
	second := b.claude("PreToolUse", command("true "), command(twice, hook{"timeout": 1}), command("false", hook{"if": "shell"}), command("false"))
	o := b.ask(first, second)
	require.Equal(t, "once\n", b.read("log"))
	require.Equal(t, []string{twice, "true", "true", "false", "false"}, names(o), "a blank or another if makes them differ")
	require.Equal(t, protocol.StatusTimeout, o.Hooks[0].Status, "with the fields of the last one, in the place of the first")
	require.Equal(t, second.Hooks[1].Source(), o.Hooks[0].Source)
	require.Contains(t, o.Warnings[0], "timed out after 1s")

	// One that the call does not select is not the last one.
	b = newBench(t)
	o = b.ask(b.claude("PreToolUse", command("true")), b.claude("PostToolUse", command("true", hook{"timeout": 1})))
	require.Equal(t, []string{"true"}, names(o))
	o = b.ask(b.config(sh("echo >>log"), sh("echo >>log")))
	require.Len(t, o.Hooks, 2, "tenex knows no equal hooks")
	require.Equal(t, "\n\n", b.read("log"))
}

func TestContextEndKillsAllHooks(t *testing.T) {
	b := newBench(t)
	const n = 6
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(fmt.Sprintf(`: %d; trap '' TERM; sleep 1000 & setsid sh -c 'sleep 1000 & wait' & echo $$ >ready; while :; do sleep 1; done`, i)))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	f := b.begin(ctx, b.with(runner.Options{}, b.claude("PreToolUse", hooks...), b.config(sh("echo >later"))), b.pre())
	pids := b.readyAll(n)
	gone := errors.New("the host gave up")
	cancel(gone)
	<-f.ended
	require.ErrorIs(t, f.err, gone)
	require.Equal(t, protocol.Block, f.outcome.Decision)
	require.Equal(t, protocol.CauseInterrupted, f.outcome.Cause)
	for _, pid := range pids {
		require.False(t, alive(pid))
	}
	require.Empty(t, b.marked())
	b.childless()
	require.NoFileExists(t, b.path("later"))
}

// Many calls at once, each with many hooks: every verdict is that of its own hooks.
func TestParallelHooksOfManyCalls(t *testing.T) {
	b := newBench(t)
	var hooks []hook
	for i := range 6 {
		hooks = append(hooks, command(fmt.Sprintf(`: %d; n=$(sed 's/.*"n":\([0-9]*\).*/\1/'); %s`, i, `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"'$n.`+strconv.Itoa(i)+`'"}}'`)))
	}
	hooks = append(hooks, command("exec sleep 1000", hook{"timeout": 0.05}))
	r := b.with(runner.Options{}, b.claude("PreToolUse", hooks...))
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 5 {
				c := b.pre()
				n := g*100 + i
				c.Args = fmt.Sprintf(`{"n":%d}`, n)
				o, err := r.Fire(context.Background(), c)
				want := []string{}
				for k := range 6 {
					want = append(want, fmt.Sprintf("%d.%d", n, k))
				}
				if err != nil || !slices.Equal(want, texts(o)) || o.Hooks[6].Status != protocol.StatusTimeout {
					t.Errorf("call %d: %v %+v", n, err, o)
				}
			}
		})
	}
	all.Wait()
	b.childless()
}

// Orphans that fall to a subreaper are taken, and the verdict of no hook beside them is.
func TestSubreaperKeepsVerdictsOfParallelHooks(t *testing.T) {
	b := newBench(t)
	var hooks []hook
	for i := range 10 {
		hooks = append(hooks, command(fmt.Sprintf("true & true & exit %d", 2*(i%2)), hook{"onFailure": "block", "timeout": 100 + i}), command(fmt.Sprintf(": %d; true & exit 0", i)))
	}
	r := b.with(runner.Options{Subreaper: true}, b.claude("PreToolUse", hooks...))
	defer b.forgetSubreaper()
	for range 10 {
		o, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
		require.Equal(t, protocol.CausePolicy, o.Cause)
		require.Len(t, o.Hooks, 12)
		for _, h := range o.Hooks {
			require.NotEqual(t, protocol.StatusUnstarted, h.Status, "its exit status is lost")
		}
	}
	require.Eventually(t, func() bool { return len(b.marked()) == 0 }, patience, time.Millisecond)
	_, err := b.runner(runner.Options{Subreaper: true}, sh("exit 0")).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	b.childless()
}

// Several dialects in one call.

func TestRewritesGoToLaterGroups(t *testing.T) {
	b := newBench(t)
	rewrites := func(value string) string {
		return says(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"` + value + `"}}}`)
	}
	o := b.ask(
		b.config(sh("cat >in1; "+rewrites("one"))),
		b.claude("PreToolUse", command("cat >in2; "+rewrites("two")), command("cat >in3; "+rewrites("three")), command("cat >in4")),
		b.config(sh("cat >in5"), sh("cat >in6; "+rewrites("six"))),
		b.claude("PreToolUse", command("cat >in7")),
		b.config(sh("cat >in8")))
	require.Equal(t, protocol.Continue, o.Decision)
	require.JSONEq(t, `{"command":"six"}`, string(o.UpdatedInput))
	for i, want := range []string{"ls", "one", "one", "one", "three", "three", "six", "six"} {
		text := b.read(fmt.Sprintf("in%d", i+1))
		var stdin struct {
			Event, Tool string
			Args, Input *struct{ Command string }
			ToolInput   struct{ Command string } `json:"tool_input"`
			Cwd         string
			HookEvent   string `json:"hook_event_name"`
			Mode        string `json:"permission_mode"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &stdin), text)
		require.True(t, strings.HasSuffix(text, "}\n"))
		require.Equal(t, want, stdin.ToolInput.Command, "hook %d", i+1)
		require.Equal(t, "PreToolUse", stdin.HookEvent)
		if i == 0 || i == 4 || i == 5 || i == 7 {
			require.Equal(t, "pre-tool", stdin.Event)
			require.Equal(t, "shell", stdin.Tool)
			require.Equal(t, want, stdin.Args.Command)
			require.Empty(t, stdin.Mode)
		} else {
			require.Empty(t, stdin.Event)
			require.Nil(t, stdin.Args)
			require.Equal(t, "default", stdin.Mode)
		}
	}
}

// A client's own input goes on with the rewrites that came before.
func TestRewritesReachTheClientsOwnInput(t *testing.T) {
	b := newBench(t)
	c, _, err := all.ParseInput(`{"session_id":"s","cwd":"` + b.dir + `","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`)
	require.NoError(t, err)
	c.Workspace = b.dir
	r := b.with(runner.Options{},
		b.config(sh(says(`{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}`))),
		b.claude("PreToolUse", command("cat >in")))
	_, err = r.Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, `{"session_id":"s","cwd":"`+b.dir+`","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"pwd"},"tool_use_id":"t"}`+"\n", b.read("in"))
}

func TestBlocksOfBothDialects(t *testing.T) {
	ok, blocked, skipped := protocol.StatusOK, protocol.StatusBlocked, protocol.StatusSkipped
	t.Run("a tenex block ends the call", func(t *testing.T) {
		b := newBench(t)
		o := b.ask(
			b.claude("PreToolUse", command(says(adds("before")))),
			b.config(sh("echo no >&2; exit 1"), sh("echo >later")),
			b.claude("PreToolUse", command("echo >>later"), command("echo >>later; exit 2"), hook{"type": "prompt", "prompt": "is it safe?"}))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no", o.Reason)
		require.Equal(t, "h", o.Hook)
		require.Equal(t, []protocol.Status{ok, blocked, skipped, skipped, skipped, skipped}, statuses(o))
		require.Empty(t, o.Hooks[3].Cause)
		require.Empty(t, o.Warnings)
		require.NoFileExists(t, b.path("later"))
	})
	t.Run("a claude block does not", func(t *testing.T) {
		b := newBench(t)
		o := b.ask(
			b.claude("PreToolUse", command("echo no >&2; exit 2"), command("echo a >>log")),
			b.config(sh("echo b >>log; echo text"), sh("echo tenex >&2; exit 1")),
			b.claude("PreToolUse", command("echo >later")))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no\n", o.Reason, "the first in the file")
		require.Equal(t, []protocol.Status{blocked, ok, ok, blocked, skipped}, statuses(o))
		require.Equal(t, "a\nb\n", b.read("log"))
		require.NoFileExists(t, b.path("later"))
	})
	t.Run("each has its own rules for exit codes", func(t *testing.T) {
		for _, tenexFirst := range []bool{true, false} {
			b := newBench(t)
			claude, tenex := b.claude("PreToolUse", command("exit 1")), b.config(sh("exit 1"))
			o := b.ask(claude)
			require.Equal(t, protocol.Continue, o.Decision)
			require.Equal(t, protocol.CauseExit, o.Hooks[0].Cause)
			files := []*projecthooks.Config{claude, tenex}
			want := []protocol.Status{protocol.StatusFailed, blocked}
			if tenexFirst {
				slices.Reverse(files)
				want = []protocol.Status{blocked, skipped}
			}
			o = b.ask(files...)
			require.Equal(t, protocol.Block, o.Decision)
			require.Equal(t, "h", o.Hook)
			require.Equal(t, want, statuses(o))
		}
	})
	t.Run("a rewrite beside a deny goes nowhere", func(t *testing.T) {
		b := newBench(t)
		o := b.ask(b.claude("PreToolUse",
			command(says(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"x"}}}`)),
			command(says(decides("deny", "no")))))
		require.Equal(t, protocol.Block, o.Decision)
		require.Empty(t, o.UpdatedInput)
	})
}

func TestEnvironmentByDialect(t *testing.T) {
	for _, tenexFirst := range []bool{true, false} {
		b := newBench(t)
		env := []string{"PATH=" + os.Getenv("PATH"), "OTEL_TRACES_EXPORTER=secret", "OTEL_=x", "HOTEL_X=1", "CLAUDECODE=1"}
		base := slices.Clone(env)
		files := []*projecthooks.Config{b.config(sh("env >tenex")), b.settings(hook{"env": hook{"MODE": "strict"}}, "PreToolUse", command("env >claude"), command("env >claude2 "))}
		if !tenexFirst {
			slices.Reverse(files)
		}
		_, err := b.with(runner.Options{Env: env, Binary: "/opt/hookrun"}, files...).Fire(context.Background(), b.pre())
		require.NoError(t, err)
		require.Equal(t, base, env, "the caller's list is not touched")
		for _, file := range []string{"tenex", "claude", "claude2"} {
			lines := "\n" + b.read(file)
			has := func(line string, times int) {
				require.Equal(t, times, strings.Count(lines, "\n"+line+"\n"), "%s in %s", line, lines)
			}
			claude, tenex := 1, 0
			if file == "tenex" {
				claude, tenex = 0, 1
			}
			has("CLAUDE_PROJECT_DIR="+b.dir, claude)
			has("MODE=strict", claude)
			has("OTEL_TRACES_EXPORTER=secret", tenex)
			has("OTEL_=x", tenex)
			require.Equal(t, tenex == 1, strings.Contains(lines, "\nOTEL_"))
			has("HOTEL_X=1", 1)
			has("CLAUDECODE=1", 1)
			has("HOOKRUN=/opt/hookrun", 1)
			has("HOOKRUN_EVENT=pre-tool", 1)
			has("HOOKRUN_WORKSPACE="+b.dir, 1)
			has("PWD="+b.dir, 1)
			require.Equal(t, 1, strings.Count(lines, "\nHOOKRUN_RUN="))
		}
		require.NotEqual(t, strings.Split(b.read("claude"), "HOOKRUN_RUN=")[1], strings.Split(b.read("claude2"), "HOOKRUN_RUN=")[1])
	}
}

// A session whose workspace is named by a surrounding client: the workspace of this call is the one that counts.
func TestStaleProjectDirIsReplaced(t *testing.T) {
	b := newBench(t)
	r := b.with(runner.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=/elsewhere"}},
		b.claude("PreToolUse", command("env >env"), command("printf %s", hook{"args": []string{"${CLAUDE_PROJECT_DIR}"}}), command("sh", hook{"args": []string{"-c", `echo "$1" >arg`, "x", "${CLAUDE_PROJECT_DIR}/a"}})))
	_, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.NotContains(t, b.read("env"), "/elsewhere")
	require.Equal(t, b.dir+"/a\n", b.read("arg"))
}

func TestWorkingDirectoryByDialect(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.Mkdir(b.path("sub"), 0o700))
	require.NoError(t, os.WriteFile(b.path("file"), nil, 0o600))
	require.NoError(t, os.WriteFile(b.path("sub/here"), []byte("#!/bin/sh\necho ran >\"$CLAUDE_PROJECT_DIR/here\"\n"), 0o700))
	pwd := func(name string) string {
		return fmt.Sprintf(`echo "$PWD" "$(pwd -P)" "$CLAUDE_PROJECT_DIR" >'%s'`, b.path(name))
	}
	tenex, claude := b.config(sh(pwd("tenex"))), b.claude("PreToolUse", command(pwd("claude")), command("./here", hook{"args": []string{}}))
	real, err := filepath.EvalSymlinks(b.dir)
	require.NoError(t, err)
	for _, files := range [][]*projecthooks.Config{{tenex, claude}, {claude, tenex}} {
		for dir, at := range map[string]string{
			b.path("sub"):  "/sub",
			b.path("gone"): "", // vanished: a shell may have removed where it stood
			b.path("file"): "",
			".":            "", // of whoever runs hookrun
			"":             "",
		} {
			_, _ = os.Remove(b.path("tenex")), os.Remove(b.path("claude"))
			c := b.pre()
			c.Dir = dir
			o, err := b.with(runner.Options{Env: []string{"PATH=" + os.Getenv("PATH")}}, files...).Fire(context.Background(), c)
			require.NoError(t, err)
			require.Equal(t, b.dir+" "+real+" \n", b.read("tenex"), "the tenex hook knows no project directory")
			want := b.dir + at + " " + real + at + " " + b.dir
			require.Equal(t, want+"\n", b.read("claude"), "for %q", dir)
			started := slices.ContainsFunc(o.Hooks, func(h protocol.HookReport) bool { return h.Name == "./here" && h.Status == protocol.StatusOK })
			require.Equal(t, at == "/sub", started, "a relative program is looked for where the hook runs: %q", dir)
		}
	}
	require.FileExists(t, b.path("here"))
}

func TestNoHooksOfOneDialect(t *testing.T) {
	b := newBench(t)
	o := b.ask(b.claude("PostToolUse", command("exit 2")), b.config(sh("echo text")))
	require.Equal(t, []string{"text"}, texts(o))
	require.Len(t, o.Hooks, 1)
}

// Hooks of type http. The test binary posts.

func post(url string, more ...hook) hook {
	h := command("", more...)
	delete(h, "command")
	h["type"], h["url"] = "http", url
	return h
}

// serve starts a server that answers with these by path. It is there before newBench counts what is left.
func serve(t *testing.T, paths map[string]http.HandlerFunc) string {
	mux := http.NewServeMux()
	for path, handler := range paths {
		mux.HandleFunc(path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, text) }
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func (b *bench) posts(o runner.Options, handlers ...hook) protocol.Outcome {
	b.Helper()
	outcome, err := b.with(o, b.claude("PreToolUse", handlers...)).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	b.childless()
	return outcome
}

func TestHTTPHookAnswers(t *testing.T) {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + refused.Addr().String()
	require.NoError(t, refused.Close())
	url := serve(t, map[string]http.HandlerFunc{
		"/deny":    body(decides("deny", "not here")),
		"/allow":   body(decides("allow", "go")),
		"/context": body(adds("a word")),
		"/nothing": status(204, ""),
		"/empty":   body(""),
		"/text":    body("fine by me"),
		"/array":   body("[1]"),
		"/500":     status(500, decides("deny", "not here")),
		"/404":     status(404, ""),
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/allow", http.StatusTemporaryRedirect)
		},
		"/broken": body("{not json}"),
		"/long":   body(`{"systemMessage":"` + strings.Repeat("x", 2<<20) + `"}`),
	})
	for _, want := range []struct {
		url    string
		status protocol.Status
		cause  protocol.Cause
		says   string
	}{
		{url + "/deny", protocol.StatusBlocked, protocol.CausePolicy, "not here"},
		{url + "/allow", protocol.StatusOK, protocol.CausePolicy, "go"},
		{url + "/context", protocol.StatusOK, "", ""},
		{url + "/nothing", protocol.StatusOK, "", ""},
		{url + "/empty", protocol.StatusOK, "", ""},
		{url + "/text", protocol.StatusFailed, protocol.CauseOutput, "something else than a JSON object"},
		{url + "/array", protocol.StatusFailed, protocol.CauseOutput, "something else than a JSON object"},
		{url + "/500", protocol.StatusFailed, protocol.CauseExit, "http 500"},
		{url + "/404", protocol.StatusFailed, protocol.CauseExit, "http 404"},
		{url + "/redirect", protocol.StatusFailed, protocol.CauseExit, "redirects are not followed"},
		{url + "/broken", protocol.StatusFailed, protocol.CauseOutput, "cannot be read"},
		{url + "/long", protocol.StatusFailed, protocol.CauseExit, "more than 1 MiB"},
		{nobody, protocol.StatusFailed, protocol.CauseExit, "refused"},
	} {
		t.Run(want.url[strings.LastIndex(want.url, "/"):], func(t *testing.T) {
			b := newBench(t)
			o := b.posts(runner.Options{}, post(want.url))
			require.Equal(t, []protocol.Status{want.status}, statuses(o), o.Warnings)
			require.Equal(t, want.cause, o.Hooks[0].Cause)
			require.Nil(t, o.Hooks[0].ExitCode, "a POST has none")
			switch want.status {
			case protocol.StatusBlocked:
				require.Equal(t, protocol.Block, o.Decision)
				require.Equal(t, want.says, o.Reason)
			case protocol.StatusFailed:
				require.Equal(t, protocol.Continue, o.Decision)
				require.False(t, o.Approved)
				require.Len(t, o.Warnings, 1)
				require.Contains(t, o.Warnings[0], want.says)
				for _, policy := range []runner.Options{{OnFailure: protocol.FailurePolicy{want.cause: protocol.Block}}, {}} {
					o = b.posts(policy, post(want.url, hook{"onFailure": "block"}))
					require.Equal(t, protocol.Block, o.Decision)
					require.Equal(t, want.cause, o.Cause)
					require.Contains(t, o.Reason, want.says)
					require.Equal(t, []protocol.Status{protocol.StatusBlocked}, statuses(o))
				}
				o = b.posts(runner.Options{OnFailure: protocol.FailurePolicy{want.cause: protocol.Block}}, post(want.url))
				require.Equal(t, protocol.Block, o.Decision, "by the caller's word")
			default:
				require.Equal(t, protocol.Continue, o.Decision)
				require.Equal(t, want.cause == protocol.CausePolicy, o.Approved)
				require.Empty(t, o.Warnings)
			}
		})
	}
}

func TestHTTPHookTimesOut(t *testing.T) {
	left := make(chan struct{}, 2)
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		left <- struct{}{}
	}})
	for policy, decision := range map[string]protocol.Decision{"continue": protocol.Continue, "block": protocol.Block} {
		t.Run(policy, func(t *testing.T) {
			b := newBench(t)
			o := b.posts(runner.Options{}, post(url, hook{"timeout": 0.3, "onFailure": policy}))
			require.Equal(t, []protocol.Status{protocol.StatusTimeout}, statuses(o))
			require.Equal(t, decision, o.Decision)
			require.Empty(t, b.marked())
			<-left // the server lost its client
		})
	}
}

// A request starts no process, so no part of it is on a command line, which every user of the machine can read.
func TestHTTPHookHeadersAndSecrets(t *testing.T) {
	type seen struct {
		header http.Header
		body   string
		method string
		leaks  []string
	}
	var got seen
	secrets := []string{"token-of-the-environment", "literal-in-the-file", "secret-in-the-args", "secret-in-the-url"}
	url := serve(t, map[string]http.HandlerFunc{"/hook": func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got = seen{header: r.Header, body: string(text), method: r.Method}
		if len(children()) > 0 {
			t.Error("a process was started")
		}
		for _, pid := range pids() {
			line := strings.Join(cmdline(pid), " ")
			for _, secret := range secrets {
				if pid != os.Getpid() && strings.Contains(line, secret) {
					got.leaks = append(got.leaks, line)
				}
			}
		}
	}})
	b := newBench(t)
	headers := hook{
		"Authorization": "Bearer $TOKEN", "X-Braces": "${TOKEN}!", "X-Literal": "literal-in-the-file",
		"X-Other": "[$OTHER]", "X-Unset": "[$UNSET]", "X-Forbidden": "[$FORBIDDEN]",
	}
	cfg := b.settings(hook{"httpHookAllowedEnvVars": []string{"TOKEN", "UNSET", "OTHER"}, "env": hook{"OTHER": "of the settings"}}, "PreToolUse",
		post(url+"/hook?key=secret-in-the-url", hook{"headers": headers, "allowedEnvVars": []string{"TOKEN", "UNSET", "FORBIDDEN"}}))
	c := b.pre()
	c.Args = `{"command":"secret-in-the-args"}`
	r := b.with(runner.Options{Env: []string{"TOKEN=token-of-the-environment", "FORBIDDEN=forbidden", "PATH=/usr/bin:/bin"}}, cfg)
	o, err := r.Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, []protocol.Status{protocol.StatusOK}, statuses(o), o.Warnings)
	b.childless()

	require.Empty(t, got.leaks)
	require.Equal(t, "POST", got.method)
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	for name, want := range map[string]string{
		"Authorization": "Bearer token-of-the-environment", "X-Braces": "token-of-the-environment!", "X-Literal": "literal-in-the-file",
		"X-Other": "[]", "X-Unset": "[]", "X-Forbidden": "[]",
	} {
		require.Equal(t, []string{want}, got.header.Values(name), name)
	}
	var stdin map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.body), &stdin), got.body)
	require.Equal(t, "PreToolUse", stdin["hook_event_name"])
	require.Equal(t, map[string]any{"command": "secret-in-the-args"}, stdin["tool_input"])

	// Nor does a message have them.
	o = b.posts(runner.Options{Env: []string{"TOKEN=token-of-the-environment"}}, post(url+"/missing?key=secret-in-the-url", hook{"headers": headers, "allowedEnvVars": []string{"TOKEN"}}))
	line, err := o.JSON()
	require.NoError(t, err)
	require.Contains(t, string(line), "http 404")
	for _, secret := range secrets[:3] {
		require.NotContains(t, strings.Join(o.Warnings, "\n")+o.Reason+o.Hooks[0].Stderr, secret)
	}
}

// The query and the user of an address may be secrets as well; errors of the request have neither.
func TestHTTPHookNameHasNoSecrets(t *testing.T) {
	b := newBench(t)
	o := b.posts(runner.Options{}, post("http://user:secret@127.0.0.1:1/guard?key=secret", hook{"onFailure": "block"}))
	line, err := o.JSON()
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	require.NotContains(t, string(line), "secret")
}

func TestHTTPHookGetsTheWholePayload(t *testing.T) {
	sizes := make(chan int, 1)
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		sizes <- bytes.Count(text, []byte("x"))
		_, _ = io.WriteString(w, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"read"}}`)
	}})
	b := newBench(t)
	c := b.post()
	c.Result = strings.Repeat("x", tenMB)
	o, err := b.with(runner.Options{}, b.claude("PostToolUse", post(url))).Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"read"}, texts(o), o.Warnings)
	require.GreaterOrEqual(t, <-sizes, tenMB)
}

// Posts run beside commands, and are waited for as those are.
func TestHTTPHooksBesideCommands(t *testing.T) {
	arrived, answer := make(chan struct{}, 3), make(chan struct{})
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-answer
		_, _ = io.WriteString(w, adds("posted to "+r.URL.Path))
	}})
	b := newBench(t)
	open := b.gate("gate")
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse",
		post(url+"/a"), command(atGate("gate")+says(adds("command"))), post(url+"/b"), post(url+"/a", hook{"headers": hook{"X": "1"}}))), b.pre())
	b.readyAll(1)
	<-arrived
	<-arrived
	open()
	close(answer)
	o := b.end(f)
	require.Equal(t, []string{"posted to /a", "command", "posted to /b"}, texts(o), "equal addresses are posted to once")
	require.Empty(t, arrived)
}

func TestHTTPHookThatTheSettingsForbid(t *testing.T) {
	url := serve(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { t.Error("asked") }})
	b := newBench(t)
	cfg := b.settings(hook{"allowedHttpHookUrls": []string{"https://guard.example/*"}}, "PreToolUse", post(url))
	o, err := b.with(runner.Options{}, cfg).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, []protocol.Status{protocol.StatusUnstarted}, statuses(o))
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.Warnings[0], "allowedHttpHookUrls")
}

// Types that need a model or a client.

func TestUnsupportedTypes(t *testing.T) {
	b := newBench(t)
	kinds := []hook{
		{"type": "prompt", "prompt": "is it safe?"},
		{"type": "agent", "prompt": "is it safe?"},
		{"type": "mcp_tool", "server": "s", "tool": "t"},
	}
	allow := command(says(decides("allow", "go")))
	for _, kind := range kinds {
		for _, handlers := range [][]hook{{kind}, {kind, allow}, {allow, kind}, {kind, kind, allow}} {
			o := b.ask(b.claude("PreToolUse", handlers...))
			require.Equal(t, protocol.Continue, o.Decision)
			require.False(t, o.Approved, "nobody can speak for a gate that was not asked")
			require.Empty(t, o.Reason)
			warnings := 0
			for i, h := range handlers {
				if h["type"] == "command" {
					require.Equal(t, protocol.StatusOK, o.Hooks[i].Status)
					continue
				}
				warnings++
				require.Equal(t, protocol.StatusSkipped, o.Hooks[i].Status)
				require.Equal(t, protocol.CauseUnsupported, o.Hooks[i].Cause)
				require.Nil(t, o.Hooks[i].ExitCode)
			}
			require.Len(t, o.Warnings, warnings)
			require.Contains(t, o.Warnings[0], fmt.Sprintf("is of type %q, which hookrun cannot run", kind["type"]))
		}
		// A deny beside it is one all the same.
		o := b.ask(b.claude("PreToolUse", kind, command("echo no >&2; exit 2")))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no\n", o.Reason)

		r := b.with(runner.Options{OnFailure: protocol.FailurePolicy{protocol.CauseUnsupported: protocol.Block}}, b.claude("PreToolUse", kind, allow))
		o, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
		b.unsupportedBlocks(o)
	}
	b.unsupportedBlocks(b.ask(b.claude("PreToolUse", hook{"type": "mcp_tool", "server": "s", "tool": "t", "onFailure": "block"}, allow)))
	o, err := b.with(runner.Options{OnFailure: protocol.FailurePolicy{protocol.CauseUnsupported: protocol.Block}},
		b.claude("PreToolUse", hook{"type": "mcp_tool", "server": "s", "tool": "t", "onFailure": "continue"})).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, "what a hook says of itself comes first")
}

// Where a failure cannot block, since the block would keep the turn from ever ending, such a hook does not either.
func TestUnsupportedTypeDoesNotKeepATurnGoing(t *testing.T) {
	b := newBench(t)
	policy := protocol.FailurePolicy{}
	for _, c := range protocol.FailureCauses() {
		policy[c] = protocol.Block
	}
	for _, h := range []hook{command("exit 1"), {"type": "prompt", "prompt": "is it done?"}} {
		c := protocol.Call{Event: "Stop", Workspace: b.dir}
		o, err := b.with(runner.Options{OnFailure: policy}, b.claude("Stop", h)).Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision, h["type"])
	}
}

func (b *bench) unsupportedBlocks(o protocol.Outcome) {
	b.Helper()
	require.Equal(b, protocol.Block, o.Decision)
	require.Equal(b, protocol.CauseUnsupported, o.Cause)
	require.Equal(b, protocol.CauseUnsupported, o.Hooks[0].Cause)
	require.Contains(b, o.Reason, "which hookrun cannot run")
	require.False(b, o.Approved)
}

// Benchmarks. Hooks that wait need no processor, so what is above their own time is hookrun's, and the start of processes.

// BenchmarkParallel10 runs ten hooks of 100 ms. "over-ms" is what a call takes beyond those.
func BenchmarkParallel10(b *testing.B) {
	r := benchClaude(b, 10, func(i int) string { return fmt.Sprintf("sleep 0.1; : %d", i) })
	call := protocol.Call{Event: protocol.PreTool, Workspace: b.TempDir(), Tool: "shell"}
	var took time.Duration
	for b.Loop() {
		begin := time.Now()
		if o, err := r.Fire(context.Background(), call); err != nil || o.Decision != protocol.Continue || len(o.Hooks) != 10 {
			b.Fatal(err, o)
		}
		took += time.Since(begin)
	}
	ms := float64(took.Nanoseconds()) / float64(b.N) / 1e6
	b.ReportMetric(ms-100, "over-ms")
	b.ReportMetric(ms/100, "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStart60 runs sixty hooks that do nothing, in turn with its floor: os.StartProcess of the same sixty, and then
// Wait for each.
func BenchmarkStart60(b *testing.B) {
	const n = 60
	r := benchClaude(b, n, func(i int) string { return fmt.Sprintf(": %d", i) })
	call := protocol.Call{Event: protocol.PreTool, Workspace: b.TempDir(), Tool: "shell"}
	var ours, floor time.Duration
	for b.Loop() {
		begin := time.Now()
		if o, err := r.Fire(context.Background(), call); err != nil || o.Decision != protocol.Continue || len(o.Hooks) != n {
			b.Fatal(err, o)
		}
		ours += time.Since(begin)
		begin = time.Now()
		var started []*os.Process
		for i := range n {
			p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", fmt.Sprintf(": %d", i)}, &os.ProcAttr{})
			require.NoError(b, err)
			started = append(started, p)
		}
		for _, p := range started {
			_, err := p.Wait()
			require.NoError(b, err)
		}
		floor += time.Since(begin)
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/1e6, "ms/call")
	b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N)/1e6, "floor-ms")
	b.ReportMetric(float64(ours)/float64(floor), "ratio")
	b.ReportMetric(0, "ns/op")
}

func benchClaude(b *testing.B, n int, script func(int) string) *runner.Runner {
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(script(i)))
	}
	doc, err := json.Marshal(hook{"hooks": hook{"PreToolUse": []any{hook{"hooks": hooks}}}})
	require.NoError(b, err)
	cfg, err := projecthooks.Parse("settings.json", doc)
	require.NoError(b, err)
	return runner.New(cfg, runner.Options{})
}
