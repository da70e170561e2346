//go:build linux

package engine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/protocol"
)

// Runners that stay: what they keep between calls, and that Close leaves nothing of it.

// stays returns a runner that is closed before the bench looks for what is left.
func (b *bench) stays(o engine.Options, cfg *hookfile.Config) *engine.Runner {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = append(slices.Clip(o.Env), b.Mark)
	r := newRunner(b, cfg, o)
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
func (b *bench) about(what string) dialect.Call {
	c := b.pre()
	c.Args = fmt.Sprintf(`{"command":%q}`, what)
	return c
}

func (b *bench) must(r *engine.Runner, c dialect.Call) engine.Fired {
	b.Helper()
	o, err := r.Fire(context.Background(), c)
	require.NoError(b, err)
	return o
}

// pidAnswer is a persistent hook that answers with its pid.
var pidAnswer = persistent(`echo "{\"stdout\":\"$$\"}"`)

func TestPersistentHookStays(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(pidAnswer))
	require.Empty(t, processtest.Children(), "nothing starts before the first call")
	first := b.must(r, b.pre()).Texts[0].Content
	for range 20 {
		require.Equal(t, first, b.must(r, b.pre()).Texts[0].Content)
	}
	require.Equal(t, first, b.must(r, b.post()).Texts[0].Content)
}

func TestPersistentVerdicts(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(persistent(`case $line in
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
		{"plain", protocol.Block, protocol.CauseOutput,
			"pre-tool hook 'h' gave an answer that cannot be read: it must be one JSON object on one line; other " +
				"texts belong on stderr"},
		{"nothing", protocol.Continue, "", ""},
		{"silence", protocol.Block, protocol.CauseOutput,
			"pre-tool hook 'h' gave an answer that cannot be read: it ended without an answer; print one line of " +
				"JSON for each line of input, {} if there is nothing to say"},
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

// Each call has an id of its own, behind all other keys, and an answer to another call is none.
func TestPersistentHookEchoesTheID(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(persistent(`id=${line##*,\"id\":} id=${id%\}} said=${id#\"} said=${said%\"}
		case $line in
		*last*) id=$((id - 1)) ;;
		*text*) id="\"$id\"" ;;
		esac
		echo "{\"id\":$id,\"stdout\":\"$said\"}"`)))
	for i := range 3 {
		require.Equal(t, []string{fmt.Sprint(i + 1)}, texts(b.must(r, b.about("x"))))
	}
	for about, id := range map[string]string{"last": `\d`, "text": `"\d"`} {
		o := b.must(r, b.about(about))
		require.Equal(t, protocol.CauseOutput, o.Cause)
		require.Regexp(t, `it has "id": `+id+`, and the call has \d; answer each call`, o.Reason)
		c := b.about("x")
		c.ClientInput = `{"id":"its own"}`
		require.Equal(t, []string{"its own"}, texts(b.must(r, c)), "the client's id stays the only one")
	}
}

// After two deaths in a row a start waits, and a gate that is not asked does not look as if it approved.
func TestPersistentBackoff(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(persistent("exit 1")))
	said := map[string]int{}
	for range 5 {
		o := b.must(r, b.pre())
		require.Equal(t, protocol.Block, o.Decision)
		said[string(o.Cause)]++
	}
	require.Equal(t, 2, said["policy"], said)
	require.Equal(t, 3, said["unstarted"], said)
	o := b.must(r, b.pre())
	require.Contains(t, o.Reason,
		"it ended 2 times in a row without an answer (at last: exit 1), and is started again in")
	require.Eventually(t, func() bool { return b.must(r, b.pre()).Cause == protocol.CausePolicy },
		processtest.Patience, 10*time.Millisecond)
}

func TestWorkers(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(persistent("[ -e open ] || { "+processtest.AtGate("gate")+
		"}; echo $$ >ready; echo '{}'", hook{"workers": 3})))
	open := b.Gate("gate")
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { b.must(r, b.pre()) })
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

func TestPersistentHookInOneCall(t *testing.T) {
	b := newBench(t)
	block := persistent(`echo '{"exit_code":2,"stderr":"no"}'`)
	require.Equal(t, "no", b.fire(block).Reason)
	require.Equal(t, protocol.Continue, b.fire(persistent(`echo '{}'`)).Decision)
	require.Equal(t, protocol.CauseOutput, b.fire(persistent(`:`)).Cause, "silence is no answer")
	require.Equal(t, protocol.CauseOutput, b.fire(persistent(`echo hello`)).Cause)
	require.Equal(t, protocol.CausePolicy, b.fire(persistent(`exit 9`)).Cause)
}

func TestCloseInterruptsCalls(t *testing.T) {
	for name, h := range map[string]hook{"process": sh("echo $$ >ready; sleep 1000"),
		"persistent": persistent("echo $$ >ready; sleep 1000")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			r := b.stays(engine.Options{}, b.config(h))
			_, err := b.during(context.Background(), r, func([]string) { require.NoError(t, r.Close()) })
			require.ErrorIs(t, err, engine.ErrClosed)
			_, err = r.Fire(context.Background(), b.pre())
			require.ErrorIs(t, err, engine.ErrClosed)
			require.NoError(t, r.Close())
		})
	}
}

func TestReload(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(persistent("case $line in *wait*) "+processtest.AtGate("gate")+
		` ;; esac; echo '{"stdout":"old"}'`)))
	open := b.Gate("gate")
	require.Equal(t, []string{"old"}, texts(b.must(r, b.pre())))
	f := b.begin(context.Background(), r, b.about("wait"))
	pid := processtest.Number(t, b.Ready()[0])
	require.NoError(t, r.Reload(b.config(sh("echo new"))))
	require.Equal(t, []string{"new"}, texts(b.must(r, b.pre())))
	require.True(t, processtest.Alive(pid), "its call goes on")
	open()
	<-f.ended
	require.NoError(t, f.err)
	require.Equal(t, []string{"old"}, texts(f.outcome))
	b.Reaped(pid)
}

// What an async hook says in the end comes with the next outcome of its session, and with no other.
func TestLateAnswers(t *testing.T) {
	answer := `echo '{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse",` +
		`"additionalContext":"late","permissionDecision":"deny"}}'; `
	for way, h := range eachWay(processtest.AtGate("gate") + answer + "exit 2") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			open := b.Gate("gate")
			r := b.stays(engine.Options{}, b.claude("PreToolUse", h, command("true", hook{"if": "Bash"})))
			c := b.pre()
			c.SessionID = "s"
			o := b.must(r, c)
			require.Equal(t, protocol.Continue, o.Decision)
			require.Contains(t, statuses(o), dialect.StatusAsync)
			require.Empty(t, o.Texts)
			pid := processtest.Number(t, b.Ready()[0])
			open()
			b.Reaped(pid)
			other, mine := b.post(), b.post()
			other.SessionID, mine.SessionID = "t", "s"
			require.Empty(t, b.must(r, other).Texts)
			require.Eventually(t, func() bool { o = b.must(r, mine); return len(o.Texts) > 0 }, processtest.Patience,
				time.Millisecond)
			require.Equal(t, []string{"late"}, texts(o))
			require.Equal(t, []string{"m"}, o.SystemMessages)
			require.Equal(t, protocol.Continue, o.Decision, "no decision counts any more")
			require.Empty(t, b.must(r, mine).Texts, "it comes once")
		})
	}
}

func TestAsyncHookIsWatchedToItsTimeout(t *testing.T) {
	t.Parallel()
	newBench(t) // for what all of them leave
	for way, h := range eachWay("echo $$ >ready; sleep 1000", hook{"timeout": 1}) {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := b.stays(engine.Options{}, b.claude("PreToolUse", h))
			require.Contains(t, statuses(b.must(r, b.pre())), dialect.StatusAsync)
			b.Ready()
			var o engine.Fired
			require.Eventually(t, func() bool { o = b.must(r, b.post()); return len(o.Warnings) > 0 },
				processtest.Patience, 10*time.Millisecond)
			require.Contains(t, o.Warnings[0], "timed out after 1s and was killed")
			require.Empty(t, b.Marked())
		})
	}
}

func TestCloseKillsAsyncHooks(t *testing.T) {
	for way, h := range eachWay("echo $$ >ready; sleep 1000") {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			r := b.stays(engine.Options{}, b.claude("PreToolUse", h))
			b.must(r, b.pre())
			b.Ready()
			require.NotEmpty(t, b.Marked())
			require.NoError(t, r.Close())
			require.Empty(t, b.Marked())
		})
	}
}

func fireWith(tb testing.TB, r *engine.Runner, c dialect.Call, settings engine.CallSettings) (engine.Fired, error) {
	tb.Helper()
	plan, err := r.Plan(&c, settings)
	require.NoError(tb, err)
	return plan.Fire(context.Background())
}

func TestOptionsOfOneCall(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(sh("sleep 1000")))
	block := dialect.FailurePolicy{protocol.CauseTimeout: protocol.Block}
	short := engine.CallSettings{Timeout: 50 * time.Millisecond}
	blocks := short
	blocks.OnFailure = block
	o, err := fireWith(t, r, b.pre(), blocks)
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseTimeout, o.Cause)
	o, err = fireWith(t, r, b.pre(), short)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
}

func TestManyCallsAtOnce(t *testing.T) {
	b := newBench(t)
	cfg := b.config(persistent(`case $line in *no*) echo '{"decision":"block","reason":"no"}' ;; *) echo '{}' ;; esac`,
		hook{"workers": 3}), sh("exit 0"))
	cfg.Add(b.claude("PreToolUse", command("cat >/dev/null"), command("exit 0", hook{"async": true})))
	r := b.stays(engine.Options{}, cfg)
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

// An answer to a call that was not read is no answer.
func TestPersistentHookThatAnswersUnread(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.config(sh("echo '{}'; exec sleep 1000", hook{"persistent": true})))
	o := b.must(r, b.pre())
	require.Equal(t, protocol.CauseOutput, o.Cause)
	require.Contains(t, o.Reason, "it printed a line before it had read the one of this call")
}

func TestLateAnswersAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	answer := `printf '{"systemMessage":"'; head -c 900000 /dev/zero | tr '\0' m; printf '"}'`
	r := b.stays(engine.Options{}, b.claude("PreToolUse", command(answer, hook{"async": true})))
	c := b.pre()
	var warnings string // any call may have it
	for i := range 15 {
		c.SessionID = fmt.Sprint("left behind ", i)
		warnings += strings.Join(b.must(r, c).Warnings, "\n")
	}
	require.Eventually(t, func() bool {
		warnings += strings.Join(b.must(r, b.post()).Warnings, "\n")
		return warnings != ""
	}, processtest.Patience, 5*time.Millisecond)
	require.Contains(t, warnings, "answers of async hooks were lost: more than 1024, or 8 MiB, waited")
}

// The answer of an async hook of a call without a session goes to the connection of that call, and nowhere else.
func TestAsyncResultsStayOnTheirConnection(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{}, b.claude("PreToolUse",
		command(`cat >in; grep -o 'for-[a-z]*' in | sed 's/.*/{"systemMessage":"&"}/'; echo done >ready`,
			hook{"async": true})))
	one, gone := context.WithCancel(context.Background())
	two, end := context.WithCancel(context.Background())
	defer end()
	fire := func(connection context.Context, c dialect.Call) []string {
		o, err := fireWith(t, r, c, engine.CallSettings{Connection: connection})
		require.NoError(t, err)
		return o.SystemMessages
	}
	// asked runs the hook for a call, and waits until its answer is there, and no other. The outcome of the call itself
	// has the answer if the hook was quicker; then asked runs the hook again.
	asked := func(connection context.Context, who, session string) {
		c := b.about("for-" + who)
		c.SessionID = session
		for quicker := true; quicker; {
			quicker = len(fire(connection, c)) > 0
			require.Equal(t, []string{"done"}, b.Ready())
		}
		only := `"for-` + who + `"`
		require.Eventually(t, func() bool { return engine.AsyncResults(r) == only }, processtest.Patience,
			time.Millisecond)
	}
	asked(one, "one", "")
	require.Empty(t, fire(two, b.post()))
	require.Empty(t, fire(nil, b.post()), "a call of a program that names no connections")
	require.Equal(t, []string{"for-one"}, fire(one, b.post()))

	ofSession := b.post()
	ofSession.SessionID = "s"
	asked(one, "session", "s")
	require.Empty(t, fire(one, b.post()))
	require.Equal(t, []string{"for-session"}, fire(two, ofSession), "a session may come by any connection")

	asked(one, "nobody", "")
	gone() // so nobody can take that
	asked(nil, "all", "")
	require.Equal(t, []string{"for-all"}, fire(nil, b.post()))
}
