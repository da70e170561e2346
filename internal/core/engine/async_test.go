//go:build linux

package engine_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// Hooks that nobody waits for, by a field of the file or by their first line.

const tenMB = 10 << 20

const firstLine = `echo '{"async":true}'; `

// left is the first line of a hook that goes on when it was left to itself: then nobody reads what it prints any more.
const left = firstLine + "trap '' PIPE; while echo 2>/dev/null; do sleep 0.01; done; exec >/dev/null 2>&1; "

// eachWay makes the same hook asynchronous in both ways.
func eachWay(script string, more ...hook) map[string]hook {
	return map[string]hook{
		"by the file":       command(script, append([]hook{{"async": true}}, more...)...),
		"by its first line": command(firstLine+script, more...),
	}
}

// later fires and checks that one hook is not waited for: the test has the outcome while the hook waits at the gate.
func (b *bench) later(r *engine.Runner, c dialect.Call) (engine.Fired, int) {
	b.Helper()
	f := b.begin(context.Background(), r, c)
	pid := processtest.Number(b, b.Ready()[0])
	select {
	case <-f.ended:
	case <-time.After(processtest.Patience):
		require.Fail(b, "the hook is waited for")
	}
	require.NoError(b, f.err)
	require.True(b, processtest.Alive(pid))
	return f.outcome, pid
}

func TestAsyncHookIsNotWaitedFor(t *testing.T) {
	for way, h := range eachWay(processtest.AtGate("gate") + "echo proof >proof; echo done >ready; exit 2") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			o, pid := b.later(b.with(engine.Options{},
				b.claude("PreToolUse", command(says(adds("before"))), h, command(says(adds("after"))))), b.pre())
			require.Equal(t, protocol.Continue, o.Decision)
			require.False(t, o.Approved)
			require.Equal(t, []string{dialect.StatusOK, dialect.StatusAsync, dialect.StatusOK}, statuses(o))
			require.Equal(t, []string{"before", "after"}, texts(o))
			if way == "by the file" {
				require.Empty(t, o.Warnings)
				require.Empty(t, o.Hooks[1].Cause)
			} else {
				require.Len(t, o.Warnings, 1)
				require.Contains(t, o.Warnings[0], "went async by its own first line")
				require.Equal(t, protocol.CauseOutput, o.Hooks[1].Cause)
			}
			require.Nil(t, o.Hooks[1].ExitCode)
			require.Empty(t, o.Hooks[1].Stderr)
			require.Empty(t, processtest.Watchdogs(), "it is not killed with us, so it has no guard")
			require.NoFileExists(t, b.Path("proof"))
			require.Equal(t, []int{pid}, processtest.Children())
			require.Equal(t, fmt.Sprint(pid), processtest.StatField(pid, 2), "leader of its group")
			require.Equal(t, fmt.Sprint(pid), processtest.StatField(pid, 3), "leader of its session")

			open()
			require.Equal(t, []string{"done"}, b.Ready())
			b.Reaped(pid)
			require.FileExists(t, b.Path("proof"))
			b.Childless()
		})
	}
}

// Neither its own deadline nor the end of the call ends it.
func TestAsyncHookOutlivesDeadlines(t *testing.T) {
	t.Parallel()
	newBench(t) // for what all of them leave
	for way, h := range eachWay(processtest.AtGate("gate")+"echo done >ready", hook{"timeout": 1}) {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			open := b.Gate("gate")
			ctx, cancel := context.WithCancel(context.Background())
			r := b.with(engine.Options{}, b.claude("PreToolUse", h, command("exec sleep 1000", hook{"timeout": 1.5})))
			f := b.begin(ctx, r, b.pre())
			pid := processtest.Number(t, b.Ready()[0])
			<-f.ended
			require.NoError(t, f.err)
			require.Equal(t, []string{dialect.StatusAsync, dialect.StatusTimeout}, statuses(f.outcome))
			require.True(t, processtest.Alive(pid))
			cancel()
			_, err := r.Fire(ctx, b.pre())
			require.ErrorIs(t, err, context.Canceled)
			require.True(t, processtest.Alive(pid))
			open()
			require.Equal(t, []string{"done"}, b.Ready())
			b.Reaped(pid)
		})
	}
}

// An interrupted call kills what is waited for, and leaves what is not.
func TestInterruptedCallLeavesItsAsyncHooks(t *testing.T) {
	for way, h := range map[string]hook{
		"by the file":       command(processtest.AtGate("gate")+"echo done >ready", hook{"async": true}),
		"by its first line": command(left + processtest.AtGate("gate") + "echo done >ready"),
	} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			ctx, cancel := context.WithCancel(context.Background())
			f := b.begin(ctx, b.with(engine.Options{},
				b.claude("PreToolUse", h, command("echo $$ sync >ready; exec sleep 1000"))), b.pre())
			var async, sync int
			for range 2 {
				if words := b.Ready(); len(words) == 2 {
					sync = processtest.Number(t, words[0])
				} else {
					async = processtest.Number(t, words[0])
				}
			}
			cancel()
			<-f.ended
			require.ErrorIs(t, f.err, context.Canceled)
			require.False(t, processtest.Alive(sync))
			require.True(t, processtest.Alive(async))
			open()
			require.Equal(t, []string{"done"}, b.Ready())
			b.Reaped(async)
		})
	}
}

func TestAsyncHookGetsItsWholeInput(t *testing.T) {
	for way, h := range eachWay("cat >async; echo $$ >ready") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			c := b.post()
			c.Result = strings.Repeat("0123456789abcde\n", tenMB/16)
			o, err := b.with(engine.Options{}, b.claude("PostToolUse", h,
				command("cat >sync"))).Fire(context.Background(), c)
			require.NoError(t, err)
			require.Equal(t, []string{dialect.StatusAsync, dialect.StatusOK}, statuses(o))
			b.Reaped(processtest.Number(t, b.Ready()[0]))
			got, want := b.Read("async"), b.Read("sync")
			require.Greater(t, len(want), tenMB)
			require.Equal(t, sha256.Sum256([]byte(want)), sha256.Sum256([]byte(got)), "%d bytes of %d", len(got),
				len(want))
		})
	}
}

func TestNothingThatAnAsyncHookDoesHoldsTheCallUp(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]hook{
		"exit 2": command("echo no >&2; echo $$ >ready; exit 2", hook{"async": true}),
		"exit 2, must not fail": command("echo no >&2; echo $$ >ready; exit 2",
			hook{"async": true, "onFailure": "block"}),
		"a deny":                  command("echo $$ >ready; "+says(decides("deny", "no")), hook{"async": true}),
		"a stop":                  command("echo $$ >ready; "+says(`{"continue":false}`), hook{"async": true}),
		"a signal":                command("echo $$ >ready; kill -9 $$", hook{"async": true, "onFailure": "block"}),
		"exit 2 after the line":   command(firstLine + "sleep 0.01; echo $$ >ready; exit 2"),
		"a signal after the line": command(firstLine + "sleep 0.01; echo $$ >ready; kill -9 $$"),
		"the line and an end":     command("echo $$ >ready; " + firstLine + "exit 2"),
		"a line without an end":   command(`echo $$ >ready; printf '{"async":true}'; exit 2`),
		"a line in two pieces": command(`printf '{"asy'; sleep 0.01; printf 'nc": true, "more": [1]}\n'; echo $$ ` +
			`>ready; exit 2`),
		"a long line": command(`printf '{"async":true,"x":"%020000d"}\n' 0; sleep 0.01; echo $$ >ready; ` +
			`exit 2`),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			policy := dialect.FailurePolicy{}
			for _, c := range dialect.FailureCauses() {
				policy[c] = protocol.Block
			}
			configured := h["async"] == true
			if !configured {
				policy[protocol.CauseOutput] = protocol.Continue // the only failure that this is
			}
			o, err := b.with(engine.Options{OnFailure: policy},
				b.claude("PreToolUse", h, command("true"))).Fire(context.Background(), b.pre())
			require.NoError(t, err)
			require.Equal(t, protocol.Continue, o.Decision, o.Reason)
			require.Equal(t, configured, len(o.Warnings) == 0, o.Warnings)
			require.False(t, o.Stop)
			require.False(t, o.Approved)
			require.Empty(t, o.Texts)
			require.Equal(t, dialect.StatusAsync, o.Hooks[0].Status)
			require.Equal(t, dialect.StatusOK, o.Hooks[1].Status)
			b.Reaped(processtest.Number(t, b.Ready()[0]))
		})
	}
}

// A gate that nobody may wait for, and whose file does not say so, is one that gave no answer.
func TestHookThatGoesAsyncUnaskedCanFailClosed(t *testing.T) {
	for name, h := range map[string]hook{
		"while it runs":  command(firstLine+"echo $$ >ready; sleep 0.01; exit 2", hook{"onFailure": "block"}),
		"before we look": command("echo $$ >ready; "+firstLine, hook{"onFailure": "block"}),
		"on all lines":   command("echo $$ >ready; printf '{\n\"async\":true}'; exit 0", hook{"onFailure": "block"}),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			o, err := b.with(engine.Options{}, b.claude("PreToolUse", h, command("true"))).Fire(context.Background(),
				b.pre())
			require.NoError(t, err)
			require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{o.Decision, o.Cause})
			require.Contains(t, o.Reason, "went async by its own first line")
			require.Equal(t, []string{dialect.StatusAsync, dialect.StatusOK}, statuses(o))
			b.Reaped(processtest.Number(t, b.Ready()[0]))
		})
	}
}

// A hook is asynchronous by its first line whatever it prints and however fast it ends after it.
func TestFirstLineCountsHoweverFastTheHookEnds(t *testing.T) {
	b := newBench(t)
	r := b.with(engine.Options{}, b.claude("PreToolUse", command(firstLine+"echo working; echo no >&2; exit 2")))
	for range testall.Of(50, 200) {
		o, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
		require.Equal(t, []string{dialect.StatusAsync}, statuses(o))
		require.Equal(t, protocol.Continue, o.Decision)
	}
	require.Eventually(t, func() bool { return len(processtest.Children()) == 0 }, processtest.Patience,
		time.Millisecond)
}

func TestAnswerOnTheFirstLineIsNotAsync(t *testing.T) {
	for name, h := range map[string]hook{
		"a deny": command(says(`{"async":true,"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"deny","permissionDecisionReason":"no"}}`)),
		"a block":        command(says(`{"async":true,"decision":"block","reason":"no"}`)),
		"a block, later": command(says(`{"async":true,"decision":"block","reason":"no"}`) + "; sleep 0.05; exit 0"),
		"exit 2, false":  command(says(`{"async":false}`) + "; printf no >&2; exit 2"),
		"exit 2, text":   command(says(`{"async":"true"}`) + "; printf no >&2; exit 2"),
		"exit 2, 1":      command(says(`{"async":1}`) + "; printf no >&2; exit 2"),
		"exit 2, deeper": command(says(`{"x":{"async":true}}`) + "; printf no >&2; exit 2"),
		"the second one": command("echo first; " + firstLine + "printf no >&2; exit 2"),
		"on stderr":      command(`echo '{"async":true}' >&2; exit 2`),
		"two values":     command(`echo '{"async":true}{}'; printf no >&2; exit 2`),
		"no JSON":        command(`echo '{"async":true'; printf no >&2; exit 2`),
		"with a stop":    command(says(`{"async":true,"continue":false}`) + "; printf no >&2; exit 2"),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			o := b.ask(b.claude("PreToolUse", h))
			require.Equal(t, protocol.Block, o.Decision)
			require.Equal(t, dialect.StatusBlocked, o.Hooks[0].Status)
			require.Contains(t, []string{"no", "{\"async\":true}\n"}, o.Reason)
		})
	}
	// In tenex nothing is asynchronous.
	b := newBench(t)
	o := b.ask(b.config(sh(firstLine + "sleep 0.05; echo no >&2; exit 1")))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
}

func TestAsyncHookThatCannotStartIsAWarning(t *testing.T) {
	policy := dialect.FailurePolicy{protocol.CauseUnstarted: protocol.Block}
	missing := command("./missing", hook{"args": []string{}, "async": true, "onFailure": "block"})
	b := newBench(t)
	o, err := b.with(engine.Options{OnFailure: policy}, b.claude("PreToolUse", missing)).Fire(context.Background(),
		b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Equal(t, []string{dialect.StatusUnstarted}, statuses(o))
	require.Equal(t, protocol.CauseUnstarted, o.Hooks[0].Cause)
	require.Equal(t, []string{"PreToolUse hook './missing' could not run: ./missing: no such file; continuing"},
		o.Warnings)
	require.Len(t, o.Lint, 1)
	require.Contains(t, o.Lint[0], `"onFailure" means nothing for an async hook`)

	// Nor does it hold the call up that its input has no place.
	b = newBench(t)
	t.Setenv("TMPDIR", b.Path("nowhere"))
	o, err = b.with(engine.Options{OnFailure: policy},
		b.claude("PreToolUse", command("true", hook{"async": true}))).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Equal(t, []string{dialect.StatusUnstarted}, statuses(o))
	require.Len(t, o.Warnings, 1)

	// The same hook, waited for, blocks: so the above is because of async.
	b = newBench(t)
	o = b.ask(b.claude("PreToolUse", command("./missing", hook{"args": []string{}, "onFailure": "block"})))
	require.Equal(t, protocol.Block, o.Decision)
}

func TestManyAsyncHooks(t *testing.T) {
	const n = 20
	for _, way := range []string{"by the file", "by its first line"} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			var hooks []hook
			for i := range n {
				hooks = append(hooks, eachWay(fmt.Sprintf("%s echo %d >done%d", processtest.AtGate("gate"), i, i))[way])
			}
			f := b.begin(context.Background(), b.with(engine.Options{}, b.claude("PreToolUse", hooks...)), b.pre())
			pids := b.ReadyAll(n)
			<-f.ended
			require.NoError(t, f.err)
			for _, s := range statuses(f.outcome) {
				require.Equal(t, dialect.StatusAsync, s)
			}
			require.Len(t, processtest.Children(), n)
			open()
			for _, pid := range pids {
				b.Reaped(pid)
			}
			for i := range n {
				require.FileExists(t, b.Path(fmt.Sprintf("done%d", i)))
			}
			b.Childless()
		})
	}
}

// A subreaper takes what falls to it, and neither an async hook's exit status nor, at a deadline, such a hook itself.
func TestSubreaperSparesAsyncHooks(t *testing.T) {
	for way, h := range eachWay("setsid env -i sh -c 'exec 3<gate; echo $$ child >ready; read x <&3; echo done " +
		">ready' & exec 4<gate; echo $$ >ready; read x <&4; wait") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			r := b.with(engine.Options{Subreaper: true},
				b.claude("PreToolUse", h),
				b.config(sh("setsid sh -c 'sleep 1000 &'; exec sleep 1000", hook{"timeout": 0.3})))
			b.ForgetSubreaper()
			f := b.begin(context.Background(), r, b.pre())
			var pid, child int
			for range 2 {
				if words := b.Ready(); len(words) == 2 {
					child = processtest.Number(t, words[0])
				} else {
					pid = processtest.Number(t, words[0])
				}
			}
			<-f.ended
			require.NoError(t, f.err)
			require.Equal(t, []string{dialect.StatusAsync, dialect.StatusTimeout}, statuses(f.outcome))
			require.True(t, processtest.Alive(pid))
			require.True(t, processtest.Alive(child), "a descendant of the async hook that wiped its environment")
			open()
			require.Equal(t, []string{"done"}, b.Ready())
			b.Reaped(pid)
			b.Reaped(child)
			require.Empty(t, b.Marked())
		})
	}
}

// A hook that says it is asynchronous and then does not read was promised its input; the end of the call ends the
// waiting.
func TestContextEndsTheWaitForAnAsyncHookToRead(t *testing.T) {
	b := newBench(t)
	open := b.Gate("gate")
	c := b.post()
	c.Result = strings.Repeat("x", tenMB)
	ctx, cancel := context.WithCancelCause(context.Background())
	f := b.begin(ctx, b.with(engine.Options{},
		b.claude("PostToolUse", command(firstLine+processtest.AtGate("gate"), hook{"timeout": 1000}))), c)
	pid := processtest.Number(t, b.Ready()[0])
	gone := errors.New("the host gave up")
	cancel(gone)
	select {
	case <-f.ended:
		require.ErrorIs(t, f.err, gone)
	case <-time.After(processtest.Patience):
		t.Error("the call does not end with its context")
	}
	open()
	<-f.ended
	b.Reaped(pid)
}

// What an asynchronous hook prints has no reader. By the file it goes to the null device; after a first line the pipe
// is closed, so that a hook which goes on printing has to send that somewhere else.
func TestAsyncHookMayPrintWhenNobodyReads(t *testing.T) {
	for way, h := range map[string]hook{
		"by the file": command(processtest.AtGate("gate")+"echo progress; echo progress >&2; echo done >ready",
			hook{"async": true}),
		"by its first line": command(firstLine + "exec >/dev/null 2>&1; " + processtest.AtGate("gate") +
			"echo progress; echo progress >&2; echo done >ready"),
	} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			_, pid := b.later(b.with(engine.Options{}, b.claude("PreToolUse", h)), b.pre())
			open()
			require.Equal(t, []string{"done"}, b.Ready())
			b.Reaped(pid)
		})
	}
}
