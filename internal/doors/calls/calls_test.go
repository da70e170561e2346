package calls_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/testsupport/testhome"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/protocol"
)

func TestMain(m *testing.M) { testhome.Main(m) }

// fixture is a gate with a queue, a run log and hooks that are Go functions.
type fixture struct {
	*testing.T
	calls.Service
	log    string
	warned []error
}

func newFixture(t *testing.T, hooks ...hook.Hook) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{T: t, log: filepath.Join(dir, "run.log")}
	log, err := runlog.New(runlog.Options{Path: f.log})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	r, err := engine.New(parts.All().Empty(), engine.Options{Functions: hooks})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	f.Service = calls.Service{Runner: r, Queue: &queue.Queue{Dir: filepath.Join(dir, "queue")}, Log: log,
		Command: "test", Warn: func(err error) { f.warned = append(f.warned, err) }}
	return f
}

// line is one of the run log.
type line struct {
	Command, Error string
	Outcome        *protocol.Outcome
}

// lines are those of the run log.
func (f *fixture) lines() (lines []line) {
	f.Helper()
	text, err := os.ReadFile(f.log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(f, err)
	for text := range strings.Lines(string(text)) {
		var l line
		require.NoError(f, json.Unmarshal([]byte(text), &l))
		lines = append(lines, l)
	}
	return lines
}

func (f *fixture) put(text string) {
	f.Helper()
	_, err := f.Queue.Put(context.Background(), queue.Entry{Session: "s", Content: text})
	require.NoError(f, err)
}

func (f *fixture) waiting() int {
	f.Helper()
	entries, err := f.Queue.Waiting(context.Background(), "s")
	require.NoError(f, err)
	return len(entries)
}

// result is the call after a tool, with a text of MassGen's.
func result() calls.Call {
	return calls.Call{
		Call:     dialect.Call{Event: protocol.PostTool, Tool: "x", SessionID: "s"},
		Warnings: []string{"of reading it"},
		MassGen:  func() (string, bool, []string) { return "of MassGen", true, []string{"of the file"} },
	}
}

func TestTextsOfACall(t *testing.T) {
	f := newFixture(t)
	f.Warnings = func(*dialect.Call, *hookfile.Snapshot) []string { return []string{"of the door"} }
	f.put("of the queue")
	answer, err := f.Fire(context.Background(), result())
	require.NoError(t, err)
	require.Equal(t, []string{"of the queue", "of MassGen"}, dialect.TextsOf(answer.Outcome))
	require.Equal(t, protocol.Text{Content: "of MassGen", Display: "[INJECTION] of MassGen",
		Strategy: dialect.ToolResult, Source: "massgen"}, answer.Texts[1])
	require.Equal(t, "[INJECTION] of the queue", answer.Texts[0].Display)
	require.Equal(t, []string{"of reading it", "of the file", "of the door"}, answer.Warnings)
	require.Len(t, f.lines(), 1)
	require.Equal(t, "test", f.lines()[0].Command)
	require.Equal(t, dialect.TextsOf(answer.Outcome), dialect.TextsOf(*f.lines()[0].Outcome),
		"the log has what the caller gets")
	require.Equal(t, answer.Warnings, f.lines()[0].Outcome.Warnings)
	answer.Delivered(false)
	answer.Delivered(true)
	require.Equal(t, 1, f.waiting(), "the first Delivered counts")
	answer, err = f.Fire(context.Background(), result())
	require.NoError(t, err)
	answer.Delivered(true)
	require.Zero(t, f.waiting())
	require.Empty(t, f.warned)
}

// TestTextsStay: what an answer cannot carry, or a call without a verdict, leaves the texts where they are.
func TestTextsStay(t *testing.T) {
	var gone context.CancelCauseFunc
	fails := engine.NewFunction("h", protocol.PostTool,
		func(context.Context, *dialect.Call, time.Duration) dialect.Verdict {
			gone(errors.New("the caller is gone"))
			return dialect.OK()
		})
	for name, test := range map[string]struct {
		prepare func(f *fixture, c *calls.Call)
		hooks   []hook.Hook
		fails   string
	}{
		"an answer without texts": {prepare: func(_ *fixture, c *calls.Call) {
			c.Carries = func(*protocol.Outcome) bool { return false }
		}},
		"a block that fits alone": {prepare: func(_ *fixture, c *calls.Call) {
			c.Fit = func(o *protocol.Outcome) { o.Decision = protocol.Block }
			c.Carries = func(o *protocol.Outcome) bool { return form.ExitCode(*o) == 0 }
		}},
		"a caller that is gone": {hooks: []hook.Hook{fails}, fails: "the caller is gone"},
		"no plan": {prepare: func(_ *fixture, c *calls.Call) { c.Event = "nonsense" },
			fails: `unknown event "nonsense"`},
		"a closed runner": {prepare: func(f *fixture, _ *calls.Call) { f.Runner.Close() },
			hooks: []hook.Hook{fails}, fails: "the runner is closed"},
		"a crash of the door's": {prepare: func(f *fixture, c *calls.Call) {
			c.MassGen = nil
			f.Warnings = func(*dialect.Call, *hookfile.Snapshot) []string { panic("crash") }
		}, fails: "hookrun itself failed: crash"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.hooks...)
			f.put("of the queue")
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			gone = cancel
			c := result()
			c.MassGen = func() (string, bool, []string) { panic("taken") }
			if test.prepare != nil {
				test.prepare(f, &c)
			}
			answer, err := f.Fire(ctx, c)
			require.Equal(t, 1, f.waiting())
			require.Len(t, f.lines(), 1)
			if test.fails == "" {
				require.NoError(t, err)
				require.Empty(t, dialect.TextsOf(answer.Outcome))
				return
			}
			require.ErrorContains(t, err, test.fails)
			require.Contains(t, f.lines()[0].Error, test.fails)
			require.Equal(t, protocol.Block, answer.Decision, "for a door that answers with outcomes")
			require.Contains(t, answer.Reason, test.fails)
		})
	}
}

// TestTextsForClients: a text leaves the queue exactly if the client's answer has it.
func TestTextsForClients(t *testing.T) {
	for _, client := range clients.All().Clients() {
		for _, event := range client.Events.Names() {
			if clients.All().Common(event) != protocol.PostTool {
				continue
			}
			f := newFixture(t)
			f.put("of the queue")
			c := calls.Call{Output: client}
			c.Event, c.Tool, c.SessionID, c.Client = event, "x", "s", client.Dialect
			answer, err := f.Fire(context.Background(), c)
			require.NoError(t, err)
			shown := answer.Outcome
			shown.Texts = []protocol.Text{{Content: "of the queue"}}
			reply, err := client.Reply(shown)
			require.NoError(t, err)
			require.Equal(t, strings.Contains(string(reply.Stdout), "of the queue"), len(answer.Texts) > 0, "%s %s",
				client.Name, event)
			answer.Delivered(true)
		}
	}
}

// TestFailedTool: the text of MassGen's is for a result that is no failure, and one of the queue for any.
func TestFailedTool(t *testing.T) {
	f := newFixture(t)
	f.put("of the queue")
	c := result()
	c.Failed = true
	answer, err := f.Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"of the queue"}, dialect.TextsOf(answer.Outcome))
	answer.Delivered(true)
	require.Zero(t, f.waiting())
}

// TestCanary: doctor tries an entry without a trace in the log, by any door.
func TestCanary(t *testing.T) {
	f := newFixture(t)
	answer, err := f.Fire(context.Background(),
		calls.Call{Call: dialect.Call{Event: protocol.PreTool, Tool: canary.Tool}})
	require.NoError(t, err)
	require.Equal(t, canary.Reason, answer.Reason)
	require.Empty(t, f.lines())
}

func TestLogThatCannotBeWritten(t *testing.T) {
	f := newFixture(t)
	var err error
	f.Log, err = runlog.New(runlog.Options{Path: filepath.Join(t.TempDir(), "none", "run.log")})
	require.NoError(t, err)
	answer, err := f.Fire(context.Background(), result())
	require.NoError(t, err)
	require.Contains(t, answer.Warnings[len(answer.Warnings)-1], "its folder does not exist; make it")
	require.Empty(t, f.warned)
	_, err = f.Plan(calls.Call{Call: dialect.Call{Event: "nonsense"}}, engine.CallSettings{})
	require.Error(t, err)
	require.Len(t, f.warned, 1, "no outcome can carry it")
}

// TestLimit: a client that waits for hookrun no longer than its limit has an error before that, by any door.
func TestLimit(t *testing.T) {
	f := newFixture(t, engine.NewFunction("slow", protocol.PreTool,
		func(ctx context.Context, _ *dialect.Call, _ time.Duration) dialect.Verdict {
			<-ctx.Done()
			return dialect.OK()
		}))
	impatient := *clients.All().Clients()[0]
	impatient.Hooks = impatientHooks{impatient.Hooks}
	_, err := f.Fire(context.Background(), calls.Call{Output: &impatient,
		Call: dialect.Call{Event: protocol.PreTool, Tool: "x"}})
	require.EqualError(t, err, "the hooks took longer than 20ms, and "+impatient.Files.Client+
		" waits no longer; the hooks were killed, there is no verdict")
}

type impatientHooks struct{ dialect.Hooks }

func (impatientHooks) CallLimit() time.Duration { return 20 * time.Millisecond }

// TestIdle: a call is idle if neither a hook nor a text nor a log is for it.
func TestIdle(t *testing.T) {
	ofShell := engine.NewFunction("h", protocol.PreTool,
		func(context.Context, *dialect.Call, time.Duration) dialect.Verdict { return dialect.OK() })
	ofShell.Matcher, _ = hook.NewGlobs("shell")
	f := newFixture(t, ofShell)
	before := func(tool string) *calls.Call {
		return &calls.Call{Call: dialect.Call{Event: protocol.PreTool, Tool: tool, SessionID: "s"}}
	}
	require.False(t, f.Idle(before("other")), "it goes into the log")
	f.Log = nil
	require.True(t, f.Idle(before("other")))
	require.False(t, f.Idle(before("shell")))
	after := result()
	require.False(t, f.Idle(&after))
	after.MassGen = nil
	require.False(t, f.Idle(&after), "a text may wait for it")
	after.SessionID = ""
	require.True(t, f.Idle(&after))
	plan, err := f.Plan(*before("shell"), engine.CallSettings{})
	require.NoError(t, err)
	require.False(t, plan.Immediate())
	plan, err = f.Plan(*before("other"), engine.CallSettings{})
	require.NoError(t, err)
	require.True(t, plan.Immediate())
}

// TestObservingHookTellsOnlyTheUser: Cline gives the messages of an answer to the model, and Claude Code shows them to
// the user.
func TestObservingHookTellsOnlyTheUser(t *testing.T) {
	observer := engine.NewFunction("h", protocol.PreTool, func(context.Context, *dialect.Call,
		time.Duration) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Block, Reason: "no", SystemMessage: "own",
			Status: dialect.StatusBlocked}
	})
	observer.Observe = true
	f := newFixture(t, observer)
	for name, tells := range map[string]bool{"cline": false, "claude": true} {
		client, _ := clients.All().ClientNamed(name)
		a, err := f.Fire(context.Background(), calls.Call{Output: client,
			Call: dialect.Call{Event: protocol.PreTool, Tool: "shell"}})
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, a.Decision)
		require.Equal(t, "block: no", a.Hooks[0].Would)
		require.Equal(t, tells, len(a.SystemMessages) > 0, name)
		a.Delivered(true)
	}
}
