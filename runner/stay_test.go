//go:build linux

package runner_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// Runners that stay: what they keep between calls, and that Close leaves nothing of it.

// stays returns a runner that is closed before the bench looks for what is left.
func (b *bench) stays(o runner.Options, cfg *projecthooks.Config) *runner.Runner {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = append(slices.Clip(o.Env), b.mark)
	r := runner.New(cfg, o)
	b.Cleanup(func() { require.NoError(b, r.Close()) })
	return r
}

// persistent is a hook in sh: script runs for each line, which is $line, and answers.
func persistent(script string, more ...hook) hook {
	h := sh("while IFS= read -r line; do "+script+"; done", hook{"persistent": true})
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

// about is a call whose arguments say something.
func (b *bench) about(what string) protocol.Call {
	c := b.pre()
	c.Args = fmt.Sprintf(`{"command":%q}`, what)
	return c
}

func (b *bench) must(r *runner.Runner, c protocol.Call) protocol.Outcome {
	b.Helper()
	o, err := r.Fire(context.Background(), c)
	require.NoError(b, err)
	return o
}

// pidAnswer is a persistent hook that answers with its pid.
var pidAnswer = persistent(`echo "{\"stdout\":\"$$\"}"`)

func TestPersistentHookStays(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(pidAnswer))
	require.Empty(t, children(), "nothing starts before the first call")
	first := b.must(r, b.pre()).Inject[0].Content
	for range 20 {
		require.Equal(t, first, b.must(r, b.pre()).Inject[0].Content)
	}
	require.Equal(t, first, b.must(r, b.post()).Inject[0].Content)
}

func TestPersistentVerdicts(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent(`case $line in
		*block*) echo '{"decision":"block","reason":"no"}' ;;
		*code*) echo '{"exit_code":3,"stderr":"by code"}' ;;
		*text*) echo '{"stdout":"t"}' ;;
		*rewrite*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"x"}}}' ;;
		*noise*) echo '{}'; echo more ;;
		*plain*) echo plain ;;
		*silence*) exit 0 ;;
		*exit*) echo why >&2; exit 7 ;;
		*killed*) kill -KILL $$ ;;
		*last*) echo '{"decision":"block","reason":"last words"}'; exit 0 ;;
		*) echo '{}' ;;
	esac`)))
	for _, test := range []struct {
		about    string
		decision protocol.Decision
		cause    protocol.Cause
		reason   string
	}{
		{"nothing", protocol.Continue, "", ""},
		{"block", protocol.Block, protocol.CausePolicy, "no"},
		{"code", protocol.Block, protocol.CausePolicy, "by code"},
		{"text", protocol.Continue, "", ""},
		{"rewrite", protocol.Continue, "", ""},
		{"plain", protocol.Block, protocol.CauseOutput, "pre-tool hook 'h' gave an answer that cannot be read: it must be one JSON object on one line; other texts belong on stderr"},
		{"nothing", protocol.Continue, "", ""},
		{"silence", protocol.Block, protocol.CauseOutput, "pre-tool hook 'h' gave an answer that cannot be read: it ended without an answer; print one line of JSON for each line of input, {} if there is nothing to say"},
		{"nothing", protocol.Continue, "", ""},
		{"exit", protocol.Block, protocol.CausePolicy, "why"},
		{"nothing", protocol.Continue, "", ""},
		{"killed", protocol.Block, protocol.CauseSignal, "pre-tool hook 'h' was killed by SIGKILL"},
		{"nothing", protocol.Continue, "", ""},
		{"last", protocol.Block, protocol.CausePolicy, "last words"},
		{"last", protocol.Block, protocol.CausePolicy, "last words"},
		{"last", protocol.Block, protocol.CausePolicy, "last words"},
		{"nothing", protocol.Continue, "", ""},
	} {
		o := b.must(r, b.about(test.about))
		require.Equal(t, test.decision, o.Decision, "%s: %s", test.about, o.Reason)
		require.Equal(t, test.cause, o.Cause, test.about)
		if test.about != "killed" {
			require.Equal(t, test.reason, o.Reason, test.about)
		}
	}
}

// A second line for one call is no answer to the next, whenever it comes.
func TestPersistentHookThatSpeaksUnasked(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent(`case $line in
		*noise*) echo '{}'; (sleep 0.05; echo '{}'; echo spoke >ready) & ;;
		*) echo '{"decision":"block","reason":"the right answer"}' ;;
	esac`)))
	b.must(r, b.about("noise"))
	b.ready()
	for range 3 {
		require.Equal(t, "the right answer", b.must(r, b.about("gate")).Reason)
	}
}

func TestPersistentDeadline(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent(`case $line in
		*hang*) sleep 1000 & echo $$ $! >ready; wait ;;
		*) echo "{\"stdout\":\"$$\"}" ;;
	esac`, hook{"timeout": 1.5})))
	first := b.must(r, b.pre()).Inject[0].Content
	o := b.must(r, b.about("hang"))
	require.Equal(t, []protocol.Status{protocol.StatusTimeout}, statuses(o))
	pids := b.ready()
	require.Equal(t, first, pids[0])
	require.Empty(t, b.marked(), "it was killed with what came of it")
	require.NotEqual(t, first, b.must(r, b.pre()).Inject[0].Content)
}

// After two deaths in a row a start waits, and a gate that is not asked does not look as if it approved.
func TestPersistentBackoff(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent("exit 1")))
	said := map[string]int{}
	for range 5 {
		o := b.must(r, b.pre())
		require.Equal(t, protocol.Block, o.Decision)
		said[string(o.Cause)]++
	}
	require.Equal(t, 2, said["policy"], said)
	require.Equal(t, 3, said["unstarted"], said)
	o := b.must(r, b.pre())
	require.Contains(t, o.Reason, "it ended 2 times in a row without an answer (at last: exit 1), and is started again in")
	require.Eventually(t, func() bool { return b.must(r, b.pre()).Cause == protocol.CausePolicy }, patience, 10*time.Millisecond)
}

func TestPersistentHookThatDiesIdle(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent(`echo "{\"stdout\":\"$$\"}"`)))
	for range 3 {
		pid := number(t, b.must(r, b.pre()).Inject[0].Content)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		require.Eventually(t, func() bool { return statField(pid, 0) == "" }, patience, time.Millisecond, "it is reaped")
	}
}

func TestWorkers(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent("[ -e open ] || { "+atGate("gate")+"}; echo $$ >ready; echo '{}'", hook{"workers": 3})))
	open := b.gate("gate")
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { b.must(r, b.pre()) })
	}
	pids := map[string]bool{}
	for range 3 {
		pids[b.ready()[0]] = true
	}
	require.Len(t, pids, 3, "three calls at once")
	require.NoError(t, os.WriteFile(b.path("open"), nil, 0o600))
	open()
	for range 5 {
		pids[b.ready()[0]] = true
	}
	require.Len(t, pids, 3, "the others wait for one of these")
	all.Wait()
}

func TestPersistentHookInOneCall(t *testing.T) {
	b := newBench(t)
	block := persistent(`echo '{"exit_code":2,"stderr":"no"}'`)
	require.Equal(t, "no", b.fire(block).Reason)
	require.Equal(t, protocol.Continue, b.fire(persistent(`echo '{}'`)).Decision)
	require.Equal(t, protocol.CauseOutput, b.fire(persistent(`:`)).Cause, "silence is no answer")
	require.Equal(t, protocol.CauseOutput, b.fire(persistent(`echo hello`)).Cause)
	require.Equal(t, protocol.CausePolicy, b.fire(persistent(`exit 9`)).Cause)
}

// What a hook says on stderr before its answer is of that call.
func TestStderrOfPersistentHook(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh(`exec python3 -c '
import os, sys, json
for line in iter(sys.stdin.readline, ""):
    os.write(2, json.loads(line)["args"]["command"].encode()); os.write(1, b"{\"exit_code\":1}\n")
'`, hook{"persistent": true})))
	for i := range 300 {
		want := fmt.Sprint("call ", i)
		require.Equal(t, want, b.must(r, b.about(want)).Reason)
	}
}

// A line of 10 MB goes in while the answer comes out.
func TestPersistentHookAndMegabytes(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh(`python3 -uc '
import sys
for line in sys.stdin:
    sys.stderr.write("e" * 10_000_000)
    print("{\"stdout\":\"%d\"}" % len(line), flush=True)
'`, hook{"persistent": true})))
	for range 2 {
		o := b.must(r, b.about(strings.Repeat("x", 10<<20)))
		require.Equal(t, protocol.Continue, o.Decision, o.Reason)
		require.Greater(t, number(t, o.Inject[0].Content), 20<<20, "args and tool_input")
	}
}

func TestCloseInterruptsCalls(t *testing.T) {
	for name, h := range map[string]hook{"process": sh("echo $$ >ready; sleep 1000"), "persistent": persistent("echo $$ >ready; sleep 1000")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			r := b.stays(runner.Options{}, b.config(h))
			_, err := b.during(context.Background(), r, func([]string) { require.NoError(t, r.Close()) })
			require.ErrorIs(t, err, runner.ErrClosed)
			_, err = r.Fire(context.Background(), b.pre())
			require.ErrorIs(t, err, runner.ErrClosed)
			require.NoError(t, r.Close())
		})
	}
}

func TestReload(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent("case $line in *wait*) "+atGate("gate")+` ;; esac; echo '{"stdout":"old"}'`)))
	open := b.gate("gate")
	require.Equal(t, []string{"old"}, texts(b.must(r, b.pre())))
	f := b.begin(context.Background(), r, b.about("wait"))
	pid := number(t, b.ready()[0])
	r.Reload(b.config(sh("echo new")))
	require.Equal(t, []string{"new"}, texts(b.must(r, b.pre())))
	require.True(t, alive(pid), "its call goes on")
	open()
	<-f.ended
	require.NoError(t, f.err)
	require.Equal(t, []string{"old"}, texts(f.outcome))
	require.Eventually(t, func() bool { return statField(pid, 0) == "" }, patience, time.Millisecond)
}

// What an async hook says in the end comes with the next outcome of its session, and with no other.
func TestLateAnswers(t *testing.T) {
	answer := `echo '{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"late","permissionDecision":"deny"}}'; `
	for way, h := range eachWay(atGate("gate") + answer + "exit 2") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.gate("gate")
			r := b.stays(runner.Options{}, b.claude("PreToolUse", h, command("true", hook{"if": "Bash"})))
			c := b.pre()
			c.SessionID = "s"
			o := b.must(r, c)
			require.Equal(t, protocol.Continue, o.Decision)
			require.Contains(t, statuses(o), protocol.StatusAsync)
			require.Empty(t, o.Inject)
			pid := number(t, b.ready()[0])
			open()
			require.Eventually(t, func() bool { return statField(pid, 0) == "" }, patience, time.Millisecond)
			other, mine := b.post(), b.post()
			other.SessionID, mine.SessionID = "t", "s"
			require.Empty(t, b.must(r, other).Inject)
			require.Eventually(t, func() bool { o = b.must(r, mine); return len(o.Inject) > 0 }, patience, time.Millisecond)
			require.Equal(t, []string{"late"}, texts(o))
			require.Equal(t, []string{"m"}, o.SystemMessages)
			require.Equal(t, protocol.Continue, o.Decision, "no decision counts any more")
			require.Empty(t, b.must(r, mine).Inject, "it comes once")
		})
	}
}

func TestAsyncHookIsWatchedToItsTimeout(t *testing.T) {
	for way, h := range eachWay("echo $$ >ready; sleep 1000", hook{"timeout": 1}) {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			r := b.stays(runner.Options{}, b.claude("PreToolUse", h))
			require.Contains(t, statuses(b.must(r, b.pre())), protocol.StatusAsync)
			b.ready()
			var o protocol.Outcome
			require.Eventually(t, func() bool { o = b.must(r, b.post()); return len(o.Warnings) > 0 }, patience, 10*time.Millisecond)
			require.Contains(t, o.Warnings[0], "timed out after 1s and was killed")
			require.Empty(t, b.marked())
		})
	}
}

func TestCloseKillsAsyncHooks(t *testing.T) {
	for way, h := range eachWay("echo $$ >ready; sleep 1000") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			r := b.stays(runner.Options{}, b.claude("PreToolUse", h))
			b.must(r, b.pre())
			b.ready()
			require.NotEmpty(t, b.marked())
			require.NoError(t, r.Close())
			require.Empty(t, b.marked())
		})
	}
}

func TestOverride(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh("sleep 1000")))
	block := protocol.FailurePolicy{protocol.CauseTimeout: protocol.Block}
	o := b.must(r.Override(50*time.Millisecond, block), b.pre())
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseTimeout, o.Cause)
	o = b.must(r.Override(50*time.Millisecond, nil), b.pre())
	require.Equal(t, protocol.Continue, o.Decision)
}

// Nobody made these runners: they have no hooks, and nothing to close.
func TestNoRunner(t *testing.T) {
	for _, r := range []*runner.Runner{nil, {}} {
		o, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision)
		require.Empty(t, o.Hooks)
		r.Reload(nil)
		require.Nil(t, r.Selected(&protocol.Call{}))
		require.False(t, r.Override(time.Second, nil).Any(protocol.Call{}))
		require.NoError(t, r.Close())
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	b := newBench(t)
	cfg := b.config(persistent(`case $line in *no*) echo '{"decision":"block","reason":"no"}' ;; *) echo '{}' ;; esac`, hook{"workers": 3}), sh("exit 0"))
	cfg.Add(b.claude("PreToolUse", command("cat >/dev/null"), command("exit 0", hook{"async": true})))
	r := b.stays(runner.Options{}, cfg)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 10 {
				c := b.about([]string{"yes", "no"}[(i+j)%2])
				o, err := r.Fire(context.Background(), c)
				if err != nil || (o.Decision == protocol.Block) != ((i+j)%2 == 1) {
					b.Errorf("%d %d: %v %v", i, j, o, err)
				}
			}
		})
	}
	all.Wait()
}

// One that cannot even begin is no process that ended while it was idle: it is not started again and again for one call.
func TestPersistentHookThatNeverReads(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh("echo started >>log; echo why >&2; exit 2", hook{"persistent": true})))
	for range 2 {
		o := b.must(r, b.pre())
		require.Equal(t, protocol.CausePolicy, o.Cause)
		require.Equal(t, "why", o.Reason)
	}
	require.Equal(t, protocol.CauseUnstarted, b.must(r, b.pre()).Cause)
	require.Equal(t, "started\nstarted\n", b.read("log"))
}

// An answer to a call that was not read is no answer.
func TestPersistentHookThatAnswersUnread(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh("echo '{}'; exec sleep 1000", hook{"persistent": true})))
	o := b.must(r, b.pre())
	require.Equal(t, protocol.CauseOutput, o.Cause)
	require.Contains(t, o.Reason, "it printed a line before it had read the one of this call")
}

// A child that holds the hook's stdin keeps nobody, however much there was to write.
func TestPersistentHookWhoseChildHoldsItsInput(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh("sleep 1000 & echo why >&2; exit 3", hook{"persistent": true})))
	o := b.must(r, b.about(strings.Repeat("x", 300_000)))
	require.Equal(t, protocol.CausePolicy, o.Cause)
	require.Equal(t, "why", o.Reason)
	require.Empty(t, b.marked())
}

// The death of an idle process is not that of the next call, however long that call's line is.
func TestIdleDeathIsNotTheNextCalls(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(persistent(`echo '{"decision":"block","reason":"asked"}'; exit 7`)))
	for _, size := range []int{10, 6_000, 60_000, 300_000} {
		for range 5 {
			require.Equal(t, "asked", b.must(r, b.about(strings.Repeat("x", size))).Reason)
		}
	}
}

// Getting rid of another process does not take the time of a call.
func TestCallHasItsOwnTime(t *testing.T) {
	b := newBench(t)
	r := b.stays(runner.Options{}, b.config(sh(`trap '' TERM; while :; do
		read -r line || continue
		case $line in
		*noise*) echo '{}'; echo '{}'; echo ready >ready ;;
		*) echo '{"decision":"block","reason":"asked"}' ;;
		esac
	done`, hook{"persistent": true, "timeout": 0.9})))
	require.Equal(t, "asked", b.must(r, b.about("gate")).Reason)
	o := b.must(r, b.about("noise"))
	b.ready()
	require.Contains(t, []protocol.Decision{protocol.Block, protocol.Continue}, o.Decision, "the second line may be there already")
	require.Equal(t, "asked", b.must(r, b.about("gate")).Reason)
	c := b.about("gate")
	c.Workspace = b.path("other")
	require.NoError(t, os.Mkdir(c.Workspace, 0o700))
	require.Equal(t, "asked", b.must(r, c).Reason)
}

func TestLateAnswersAreBounded(t *testing.T) {
	b := newBench(t)
	answer := `printf '{"systemMessage":"'; head -c 900000 /dev/zero | tr '\0' m; printf '"}'`
	r := b.stays(runner.Options{}, b.claude("PreToolUse", command(answer, hook{"async": true})))
	c := b.pre()
	var warnings string // any call may have it
	for i := range 15 {
		c.SessionID = fmt.Sprint("left behind ", i)
		warnings += strings.Join(b.must(r, c).Warnings, "\n")
	}
	require.Eventually(t, func() bool {
		warnings += strings.Join(b.must(r, b.post()).Warnings, "\n")
		return warnings != ""
	}, patience, 5*time.Millisecond)
	require.Contains(t, warnings, "answers of async hooks were lost: more than 1024, or 8 MiB, waited")
}
