//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
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
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + word +
		`","permissionDecisionReason":"` + reason + `"}}`
}

// claude is a file in Claude Code's form with hooks for one event, each at a line of its own.
func (b *bench) claude(event protocol.Event, handlers ...hook) *hookfile.Config {
	b.Helper()
	return b.settings(hook{}, event, handlers...)
}

// settings is such a file with settings for all of its hooks.
func (b *bench) settings(more hook, event protocol.Event, handlers ...hook) *hookfile.Config {
	b.Helper()
	more["hooks"] = hook{string(event): []any{hook{"hooks": handlers}}}
	doc, err := json.MarshalIndent(more, "", "\t")
	require.NoError(b, err)
	cfg, err := parts.All().Parse("settings.json", doc)
	require.NoError(b, err)
	return cfg
}

// with is a runner for the hooks of several files.
func (b *bench) with(o engine.Options, files ...*hookfile.Config) *engine.Runner {
	b.Helper()
	all := &hookfile.Config{}
	for _, cfg := range files {
		all.Add(cfg)
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = append(slices.Clip(o.Env), b.Mark)
	o.OneShot = true
	return newRunner(b, all, o)
}

// ask fires a pre-tool call.
func (b *bench) ask(files ...*hookfile.Config) engine.Fired {
	b.Helper()
	o, err := b.with(engine.Options{}, files...).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	b.Childless()
	return o
}

// firing is a call that goes on while the test looks at its hooks.
type firing struct {
	ended   chan struct{}
	outcome engine.Fired
	err     error
}

func (b *bench) begin(ctx context.Context, r *engine.Runner, c dialect.Call) *firing {
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
func (b *bench) end(f *firing) engine.Fired {
	b.Helper()
	select {
	case <-f.ended:
	case <-time.After(processtest.Patience):
		require.Fail(b, "the call does not end")
	}
	require.NoError(b, f.err)
	b.Childless()
	return f.outcome
}

func names(o engine.Fired) (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Name)
	}
	return all
}

func statuses(o engine.Fired) (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Status)
	}
	return all
}

// All hooks of a call at once.

func TestParallelHooksRunAtOnce(t *testing.T) {
	b := newBench(t)
	const n = 8
	open := b.Gate("gate")
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(fmt.Sprintf("%s echo %d >&2", processtest.AtGate("gate"), i),
			hook{"timeout": 100}))
	}
	f := b.begin(context.Background(), b.with(engine.Options{}, b.claude("PreToolUse", hooks...)), b.pre())
	pids := b.ReadyAll(n) // the last of which would not come if any waited for another one's end
	for _, pid := range pids {
		require.True(t, processtest.Alive(pid))
	}
	open()
	o := b.end(f)
	require.Equal(t, protocol.Continue, o.Decision)
	for i, h := range o.Hooks {
		require.Equal(t, dialect.StatusOK, h.Status)
		require.Equal(t, strconv.Itoa(i), h.Stderr)
	}
}

func TestTenexHooksStillRunOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	open := b.Gate("gate")
	f := b.begin(context.Background(), b.runner(engine.Options{}, sh(processtest.AtGate("gate")+"echo 1 >>log"),
		sh("echo 2 >>log")), b.pre())
	b.ReadyAll(1)
	require.NoFileExists(t, b.Path("log"))
	open()
	b.end(f)
	require.Equal(t, "1\n2\n", b.Read("log"))
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
			require.NoError(t, syscall.Mkfifo(b.Path(fmt.Sprintf("chain%d", i+1)), 0o600))
			script += fmt.Sprintf("read x <chain%d; ", i+1)
		}
		script += fmt.Sprintf("echo %d >>log; ", i)
		answer := hook{"hookEventName": "PreToolUse", "additionalContext": fmt.Sprintf("context %d", i),
			"updatedInput": hook{"n": i}}
		if i%20 == 7 {
			answer["permissionDecision"], answer["permissionDecisionReason"] = "ask", fmt.Sprintf("reason %d", i)
		}
		line, err := json.Marshal(hook{"hookSpecificOutput": answer, "systemMessage": fmt.Sprintf("message %d", i),
			"continue": i%30 != 3, "stopReason": fmt.Sprintf("stop %d", i)})
		require.NoError(t, err)
		hooks = append(hooks, command(script+says(string(line))))
	}
	cfg := b.claude("PreToolUse", hooks...)
	f := b.begin(context.Background(), b.with(engine.Options{}, cfg), b.pre())
	o := b.end(f)
	var reverse, contexts, messages, sources []string
	for i := range n {
		reverse = append([]string{strconv.Itoa(i)}, reverse...)
		contexts = append(contexts, fmt.Sprintf("context %d", i))
		messages = append(messages, fmt.Sprintf("message %d", i))
		sources = append(sources, cfg.Hooks[i].Source())
	}
	require.Equal(t, reverse, strings.Fields(b.Read("log")), "the order in which they ended")
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
	require.NoError(t, syscall.Mkfifo(b.Path("second"), 0o600))
	o := b.ask(b.claude("PreToolUse",
		command("read x <second; echo slow >&2; exit 2"),
		command("exec 3>second; echo fast >&2; exit 2"),
		command(says(decides("allow", "go")))))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "slow\n", o.Reason)
	require.False(t, o.Approved)
	require.Equal(t, []string{dialect.StatusBlocked, dialect.StatusBlocked, dialect.StatusOK}, statuses(o))
}

func TestSlowHookIsWaitedForAfterAnEarlyDeny(t *testing.T) {
	b := newBench(t)
	open := b.Gate("gate")
	f := b.begin(context.Background(), b.with(engine.Options{}, b.claude("PreToolUse",
		command("echo $$ >ready; "+says(decides("deny", "no"))),
		command("sleep 0.01; echo $$ >ready; exit 2"),
		command("trap 'echo >killed' TERM; "+processtest.AtGate("gate")+says(adds("slow")))),
	), b.pre())
	pids := b.ReadyAll(3)
	slow := 0
	for _, pid := range pids {
		if strings.Contains(processtest.Describe(pid), "trap") {
			slow = pid
			continue
		}
		b.Gone(pid)
		b.Reaped(pid)
	}
	require.True(t, processtest.Alive(slow))
	require.False(t, f.over())
	open()
	o := b.end(f)
	require.NoFileExists(t, b.Path("killed"))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
	require.Equal(t, []string{"slow"}, texts(o), "what a hook says beside a deny counts")
	require.Equal(t, []string{dialect.StatusBlocked, dialect.StatusBlocked, dialect.StatusOK}, statuses(o))
}

func TestOneOfSeveralTimesOut(t *testing.T) {
	t.Parallel()
	for policy, decision := range map[string]protocol.Decision{"continue": protocol.Continue, "block": protocol.Block} {
		b := newBench(t)
		o := b.ask(b.claude("PreToolUse",
			command(says(adds("first"))),
			command("trap '' TERM; echo partial; while :; do sleep 1; done", hook{"timeout": 0.2, "onFailure": policy}),
			command(says(adds("third"))),
			command("kill -9 $$"),
			command("exit 3")))
		require.Equal(t, decision, o.Decision)
		require.Equal(t, []string{dialect.StatusOK, dialect.StatusTimeout, dialect.StatusOK,
			dialect.StatusFailed, dialect.StatusFailed}, statuses(o))
		require.Equal(t, []string{"first", "third"}, texts(o))
		require.Nil(t, o.Hooks[1].ExitCode)
		require.Equal(t, "SIGKILL", o.Hooks[3].Signal)
		require.Empty(t, b.Marked())
		if decision == protocol.Block {
			require.Equal(t, protocol.CauseTimeout, o.Cause)
			require.Equal(t, o.Hooks[1].Name, o.Hook)
		}
	}
}

// A hook that one deadline kills is no reason to touch its neighbours, whose descendants may have left their groups as
// well.
func TestDeadlineOfOneHookSparesTheOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	open := b.Gate("gate")
	f := b.begin(context.Background(), b.with(engine.Options{}, b.claude("PreToolUse",
		command("setsid sh -c 'exec sleep 1000' & exec sleep 1000", hook{"timeout": 1}),
		command("exec 3<gate; setsid sh -c 'echo $$ >ready; read x <&3; echo child >child' & wait; "+
			says(adds("second"))),
		command(processtest.AtGate("gate")+says(adds("third"))))), b.pre())
	pids := b.ReadyAll(2)
	require.Eventually(t, func() bool { return len(b.Marked()) == 3 }, processtest.Patience, time.Millisecond,
		"the two, and the child")
	for _, pid := range pids {
		require.True(t, processtest.Alive(pid))
	}
	open()
	o := b.end(f)
	require.Equal(t, []string{dialect.StatusTimeout, dialect.StatusOK, dialect.StatusOK}, statuses(o))
	require.Equal(t, []string{"second", "third"}, texts(o))
	require.FileExists(t, b.Path("child"))
}

func TestEqualHooksRunOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	twice := "echo once >>log; exec sleep 1000"
	first := b.claude("PreToolUse", command(twice, hook{"timeout": 100}), command("true"),
		command(twice, hook{"timeout": 50}))
	second := b.claude("PreToolUse", command("true "), command(twice, hook{"timeout": 1}),
		command("false", hook{"if": "shell"}), command("false"))
	o := b.ask(first, second)
	require.Equal(t, "once\n", b.Read("log"))
	require.Equal(t, []string{twice, "true", "true", "false", "false"}, names(o),
		"a blank or another if makes them differ")
	require.Equal(t, dialect.StatusTimeout, o.Hooks[0].Status,
		"with the fields of the last one, in the place of the first")
	require.Equal(t, second.Hooks[1].Source(), o.Hooks[0].Source)
	require.Contains(t, o.Warnings[0], "timed out after 1s")

	// One that the call does not select is not the last one.
	b = newBench(t)
	o = b.ask(b.claude("PreToolUse", command("true")), b.claude("PostToolUse", command("true", hook{"timeout": 1})))
	require.Equal(t, []string{"true"}, names(o))
	o = b.ask(b.config(sh("echo >>log"), sh("echo >>log")))
	require.Len(t, o.Hooks, 2, "tenex knows no equal hooks")
	require.Equal(t, "\n\n", b.Read("log"))
}

func TestContextEndKillsAllHooks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 6
	var hooks []hook
	for i := range n {
		hooks = append(hooks,
			command(fmt.Sprintf(`: %d; trap '' TERM; sleep 1000 & setsid sh -c 'sleep 1000 & wait' & echo $$ >ready; `+
				`while :; do sleep 1; done`, i)))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	f := b.begin(ctx, b.with(engine.Options{}, b.claude("PreToolUse", hooks...), b.config(sh("echo >later"))), b.pre())
	pids := b.ReadyAll(n)
	gone := errors.New("the host gave up")
	cancel(gone)
	<-f.ended
	require.ErrorIs(t, f.err, gone)
	require.Equal(t, protocol.Block, f.outcome.Decision)
	require.Equal(t, protocol.CauseInterrupted, f.outcome.Cause)
	for _, pid := range pids {
		require.False(t, processtest.Alive(pid))
	}
	require.Empty(t, b.Marked())
	b.Childless()
	require.NoFileExists(t, b.Path("later"))
}

// Many calls at once, each with many hooks: every verdict is that of its own hooks.
func TestParallelHooksOfManyCalls(t *testing.T) {
	b := newBench(t)
	var hooks []hook
	for i := range 6 {
		hooks = append(hooks, command(fmt.Sprintf(`: %d; n=$(sed 's/.*"n":\([0-9]*\).*/\1/'); %s`, i,
			`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"'$n.`+strconv.Itoa(i)+
				`'"}}'`)))
	}
	hooks = append(hooks, command("exec sleep 1000", hook{"timeout": 0.05}))
	r := b.with(engine.Options{}, b.claude("PreToolUse", hooks...))
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range testall.Of(2, 5) {
				c := b.pre()
				n := g*100 + i
				c.Args = fmt.Sprintf(`{"n":%d}`, n)
				o, err := r.Fire(context.Background(), c)
				want := []string{}
				for k := range 6 {
					want = append(want, fmt.Sprintf("%d.%d", n, k))
				}
				if err != nil || !slices.Equal(want, texts(o)) || o.Hooks[6].Status != dialect.StatusTimeout {
					t.Errorf("call %d: %v %+v", n, err, o)
				}
			}
		})
	}
	all.Wait()
	b.Childless()
}

// Orphans that fall to a subreaper are taken, and the verdict of no hook beside them is.
func TestSubreaperKeepsVerdictsOfParallelHooks(t *testing.T) {
	b := newBench(t)
	var hooks []hook
	for i := range 10 {
		hooks = append(hooks, command(fmt.Sprintf("true & true & exit %d", 2*(i%2)),
			hook{"onFailure": "block", "timeout": 100 + i}), command(fmt.Sprintf(": %d; true & exit 0", i)))
	}
	r := b.with(engine.Options{Subreaper: true}, b.claude("PreToolUse", hooks...))
	b.ForgetSubreaper()
	for range testall.Of(4, 10) {
		o, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
		require.Equal(t, protocol.CausePolicy, o.Cause)
		require.Len(t, o.Hooks, 12)
		for _, h := range o.Hooks {
			require.NotEqual(t, dialect.StatusUnstarted, h.Status, "its exit status is lost")
		}
	}
	require.Eventually(t, func() bool { return len(b.Marked()) == 0 }, processtest.Patience, time.Millisecond)
	_, err := b.runner(engine.Options{Subreaper: true}, sh("exit 0")).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	b.Childless()
}

// Several dialects in one call.

func TestRewritesGoToLaterGroups(t *testing.T) {
	b := newBench(t)
	rewrites := func(value string) string {
		return says(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"` + value + `"}}}`)
	}
	o := b.ask(
		b.config(sh("cat >in1; "+rewrites("one"))),
		b.claude("PreToolUse", command("cat >in2; "+rewrites("two")), command("cat >in3; "+rewrites("three")),
			command("cat >in4")),
		b.config(sh("cat >in5"), sh("cat >in6; "+rewrites("six"))),
		b.claude("PreToolUse", command("cat >in7")),
		b.config(sh("cat >in8")))
	require.Equal(t, protocol.Continue, o.Decision)
	require.JSONEq(t, `{"command":"six"}`, string(o.UpdatedInput))
	for i, want := range []string{"ls", "one", "one", "one", "three", "three", "six", "six"} {
		text := b.Read(fmt.Sprintf("in%d", i+1))
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
	c, _, err := clients.All().ParseInput(`{"session_id":"s","cwd":"` + b.Dir +
		`","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},` +
		`"tool_use_id":"t"}`)
	require.NoError(t, err)
	c.Workspace = b.Dir
	r := b.with(engine.Options{},
		b.config(sh(says(`{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}`))),
		b.claude("PreToolUse", command("cat >in")))
	_, err = r.Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, `{"session_id":"s","cwd":"`+b.Dir+
		`","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash",`+
		`"tool_input":{"command":"pwd"},"tool_use_id":"t"}`+"\n", b.Read("in"))
}

func TestBlocksOfBothDialects(t *testing.T) {
	ok, blocked, skipped := dialect.StatusOK, dialect.StatusBlocked, dialect.StatusSkipped
	t.Run("a tenex block ends the call", func(t *testing.T) {
		b := newBench(t)
		o := b.ask(
			b.claude("PreToolUse", command(says(adds("before")))),
			b.config(sh("echo no >&2; exit 1"), sh("echo >later")),
			b.claude("PreToolUse", command("echo >>later"), command("echo >>later; exit 2"),
				hook{"type": "prompt", "prompt": "is it safe?"}))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no", o.Reason)
		require.Equal(t, "h", o.Hook)
		require.Equal(t, []string{ok, blocked, skipped, skipped, skipped, skipped}, statuses(o))
		require.Empty(t, o.Hooks[3].Cause)
		require.Empty(t, o.Warnings)
		require.NoFileExists(t, b.Path("later"))
	})
	t.Run("a claude block does not", func(t *testing.T) {
		b := newBench(t)
		o := b.ask(
			b.claude("PreToolUse", command("echo no >&2; exit 2"), command("echo a >>log")),
			b.config(sh("echo b >>log; echo text"), sh("echo tenex >&2; exit 1")),
			b.claude("PreToolUse", command("echo >later")))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no\n", o.Reason, "the first in the file")
		require.Equal(t, []string{blocked, ok, ok, blocked, skipped}, statuses(o))
		require.Equal(t, "a\nb\n", b.Read("log"))
		require.NoFileExists(t, b.Path("later"))
	})
	t.Run("each has its own rules for exit codes", func(t *testing.T) {
		for _, tenexFirst := range []bool{true, false} {
			b := newBench(t)
			claude, tenex := b.claude("PreToolUse", command("exit 1")), b.config(sh("exit 1"))
			o := b.ask(claude)
			require.Equal(t, protocol.Continue, o.Decision)
			require.Equal(t, protocol.CauseExit, o.Hooks[0].Cause)
			files := []*hookfile.Config{claude, tenex}
			want := []string{dialect.StatusFailed, blocked}
			if tenexFirst {
				slices.Reverse(files)
				want = []string{blocked, skipped}
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
		env := []string{"PATH=" + os.Getenv("PATH"), "OTEL_TRACES_EXPORTER=secret", "OTEL_=x", "HOTEL_X=1",
			"CLAUDECODE=1"}
		base := slices.Clone(env)
		files := []*hookfile.Config{b.config(sh("env >tenex")),
			b.settings(hook{"env": hook{"MODE": "strict"}}, "PreToolUse", command("env >claude"),
				command("env >claude2 "))}
		if !tenexFirst {
			slices.Reverse(files)
		}
		_, err := b.with(engine.Options{Env: env, Binary: "/opt/hookrun"}, files...).Fire(context.Background(), b.pre())
		require.NoError(t, err)
		require.Equal(t, base, env, "the caller's list is not touched")
		for _, file := range []string{"tenex", "claude", "claude2"} {
			lines := "\n" + b.Read(file)
			has := func(line string, times int) {
				require.Equal(t, times, strings.Count(lines, "\n"+line+"\n"), "%s in %s", line, lines)
			}
			claude, tenex := 1, 0
			if file == "tenex" {
				claude, tenex = 0, 1
			}
			has("CLAUDE_PROJECT_DIR="+b.Dir, claude)
			has("MODE=strict", claude)
			has("OTEL_TRACES_EXPORTER=secret", tenex)
			has("OTEL_=x", tenex)
			require.Equal(t, tenex == 1, strings.Contains(lines, "\nOTEL_"))
			has("HOTEL_X=1", 1)
			has("CLAUDECODE=1", 1)
			has("HOOKRUN=/opt/hookrun", 1)
			has("HOOKRUN_EVENT=pre-tool", 1)
			has("HOOKRUN_WORKSPACE="+b.Dir, 1)
			has("PWD="+b.Dir, 1)
			require.Equal(t, 1, strings.Count(lines, "\nHOOKRUN_RUN="))
		}
		require.NotEqual(t, strings.Split(b.Read("claude"), "HOOKRUN_RUN=")[1],
			strings.Split(b.Read("claude2"), "HOOKRUN_RUN=")[1])
	}
}

// A session whose workspace is named by a surrounding client: the workspace of this call is the one that counts.
func TestStaleProjectDirIsReplaced(t *testing.T) {
	b := newBench(t)
	r := b.with(engine.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=/elsewhere"}},
		b.claude("PreToolUse", command("env >env"),
			command("printf %s", hook{"args": []string{"${CLAUDE_PROJECT_DIR}"}}),
			command("sh", hook{"args": []string{"-c", `echo "$1" >arg`, "x", "${CLAUDE_PROJECT_DIR}/a"}})))
	_, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.NotContains(t, b.Read("env"), "/elsewhere")
	require.Equal(t, b.Dir+"/a\n", b.Read("arg"))
}

func TestWorkingDirectoryByDialect(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.Mkdir(b.Path("sub"), 0o700))
	require.NoError(t, os.WriteFile(b.Path("file"), nil, 0o600))
	require.NoError(t, os.WriteFile(b.Path("sub/here"), []byte("#!/bin/sh\necho ran >\"$CLAUDE_PROJECT_DIR/here\"\n"),
		0o700))
	pwd := func(name string) string {
		return fmt.Sprintf(`echo "$PWD" "$(pwd -P)" "$CLAUDE_PROJECT_DIR" >'%s'`, b.Path(name))
	}
	tenex, claude := b.config(sh(pwd("tenex"))), b.claude("PreToolUse", command(pwd("claude")),
		command("./here", hook{"args": []string{}}))
	real, err := filepath.EvalSymlinks(b.Dir)
	require.NoError(t, err)
	for _, files := range [][]*hookfile.Config{{tenex, claude}, {claude, tenex}} {
		for dir, at := range map[string]string{
			b.Path("sub"):  "/sub",
			b.Path("gone"): "", // vanished: a shell may have removed where it stood
			b.Path("file"): "",
			".":            "", // of whoever runs hookrun
			"":             "",
		} {
			_, _ = os.Remove(b.Path("tenex")), os.Remove(b.Path("claude"))
			c := b.pre()
			c.Dir = dir
			o, err := b.with(engine.Options{Env: []string{"PATH=" + os.Getenv("PATH")}},
				files...).Fire(context.Background(), c)
			require.NoError(t, err)
			require.Equal(t, b.Dir+" "+real+" \n", b.Read("tenex"), "the tenex hook knows no project directory")
			want := b.Dir + at + " " + real + at + " " + b.Dir
			require.Equal(t, want+"\n", b.Read("claude"), "for %q", dir)
			started := slices.ContainsFunc(o.Hooks, func(h protocol.Report) bool {
				return h.Name == "./here" && h.Status == dialect.StatusOK
			})
			require.Equal(t, at == "/sub", started, "a relative program is looked for where the hook runs: %q", dir)
		}
	}
	require.FileExists(t, b.Path("here"))
}

func TestNoHooksOfOneDialect(t *testing.T) {
	b := newBench(t)
	o := b.ask(b.claude("PostToolUse", command("exit 2")), b.config(sh("echo text")))
	require.Equal(t, []string{"text"}, texts(o))
	require.Len(t, o.Hooks, 1)
}
