//go:build linux

package runner_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

type run = func(context.Context, protocol.Call) (string, error)

// prints is a function that says what a hook prints.
func prints(stdout string) run {
	return func(context.Context, protocol.Call) (string, error) { return stdout, nil }
}

func funcs(t *testing.T, fs ...runner.Func) *runner.Runner {
	for i := range fs {
		if fs[i].Name == "" {
			fs[i].Name = "f"
		}
		if fs[i].Events == nil {
			fs[i].Events = []protocol.Event{protocol.PreTool, protocol.PostTool}
		}
	}
	r := newRunner(t, nil, runner.Options{Funcs: fs})
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func TestFunc(t *testing.T) {
	pre := protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell", Args: `{"command":"ls"}`}
	post := pre
	post.Event, post.Result = protocol.PostTool, "done"
	for name, test := range map[string]struct {
		f    runner.Func
		call protocol.Call
		want protocol.Outcome
	}{
		"nothing": {runner.Func{Run: prints("")}, pre, protocol.Outcome{Decision: protocol.Continue}},
		"text": {runner.Func{Run: prints(" t\n")}, pre,
			protocol.Outcome{Inject: []protocol.Inject{{Hook: "f", Content: "t"}}, Decision: protocol.Continue}},
		"answer": {runner.Func{Run: prints(`{"decision":"block","reason":"no"}`)}, pre,
			protocol.Outcome{Reason: "no", Cause: protocol.CausePolicy, Hook: "f"}},
		"allow": {runner.Func{Run: prints(`{"decision":"approve"}`)}, pre,
			protocol.Outcome{Decision: protocol.Continue, Approved: true, Cause: protocol.CausePolicy, Hook: "f"}},
		"error": {runner.Func{Run: func(context.Context, protocol.Call) (string, error) {
			return "", errors.New("no")
		}}, pre, protocol.Outcome{Reason: "no", Cause: protocol.CausePolicy, Hook: "f"}},
		"error after": {runner.Func{Run: func(context.Context, protocol.Call) (string, error) {
			return "", errors.New("no")
		}}, post, protocol.Outcome{Decision: protocol.Continue}},
		"panic": {runner.Func{Run: func(context.Context, protocol.Call) (string, error) { panic("oh") }},
			pre, protocol.Outcome{Reason: "pre-tool hook 'f' could not run: panic: oh", Cause: protocol.CauseUnstarted,
				Hook: "f"}},
		"goexit": {runner.Func{Run: func(context.Context, protocol.Call) (string, error) {
			runtime.Goexit()
			return "", nil
		}}, pre, protocol.Outcome{Reason: "pre-tool hook 'f' could not run: it ended its goroutine",
			Cause: protocol.CauseUnstarted, Hook: "f"}},
		"unreadable": {runner.Func{Run: prints(`{"decision":`)}, pre,
			protocol.Outcome{Cause: protocol.CauseOutput, Hook: "f"}},
		"too long": {runner.Func{Run: prints(`{"a":"` + strings.Repeat("a", 16<<20) + `"}`)}, pre,
			protocol.Outcome{Cause: protocol.CauseOutput, Hook: "f"}},
		"other tool": {runner.Func{Matcher: "fs_*", Run: prints(`{"decision":"block"}`)}, pre,
			protocol.Outcome{Decision: protocol.Continue}},
		"other input": {runner.Func{If: "shell(rm *)", Run: prints(`{"decision":"block"}`)}, pre,
			protocol.Outcome{Decision: protocol.Continue}},
		"other event": {runner.Func{Events: []protocol.Event{protocol.PostTool},
			Run: prints(`{"decision":"block"}`)}, pre, protocol.Outcome{Decision: protocol.Continue}},
		"by Claude's names": {runner.Func{Events: []protocol.Event{"PreToolUse"},
			Run: prints(`{"decision":"block","reason":"no"}`)}, pre,
			protocol.Outcome{Reason: "no", Cause: protocol.CausePolicy, Hook: "f"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := funcs(t, test.f).Fire(context.Background(), test.call)
			require.NoError(t, err)
			require.Equal(t, test.want.Decision, o.Decision)
			require.Equal(t, test.want.Approved, o.Approved)
			require.Equal(t, test.want.Cause, o.Cause)
			require.Equal(t, test.want.Hook, o.Hook)
			require.Equal(t, test.want.Inject, o.Inject)
			if test.want.Cause != protocol.CauseOutput {
				require.Equal(t, test.want.Reason, o.Reason)
			}
		})
	}
}

func TestFuncDeadline(t *testing.T) {
	ended := make(chan error, 1)
	f := runner.Func{Timeout: time.Millisecond, Run: func(ctx context.Context, _ protocol.Call) (string, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return `{"decision":"approve"}`, nil
	}}
	call := protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"}
	o, err := funcs(t, f).Fire(context.Background(), call)
	require.NoError(t, err)
	require.ErrorIs(t, <-ended, context.DeadlineExceeded)
	require.False(t, o.Approved, "what it says then is no answer")
	require.Equal(t, protocol.StatusTimeout, o.Hooks[0].Status)
	require.Equal(t, "func", o.Hooks[0].Source)
	require.Equal(t, protocol.Block, o.Decision)

	f.OnFailure = protocol.FailurePolicy{protocol.CauseTimeout: protocol.Continue}
	o, err = funcs(t, f).Fire(context.Background(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)

	f.OnFailure, call.Event = nil, protocol.PostTool
	o, err = funcs(t, f).Fire(context.Background(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
}

// TestOptionsAreCopied: what the program does with its list afterwards is not the Runner's.
func TestOptionsAreCopied(t *testing.T) {
	fs := []runner.Func{{Name: "f", Events: []protocol.Event{protocol.PreTool}, Run: prints("text")}}
	r, err := runner.New(projecthooks.Empty(), runner.Options{Funcs: fs})
	require.NoError(t, err)
	fs[0].Run = nil
	o, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
	require.NoError(t, err)
	require.Equal(t, []string{"text"}, o.Texts())
}

// Functions and hooks of files are one list: a block ends it, and rewrites go down it.
func TestFuncsStandBeforeTheHooksOfFiles(t *testing.T) {
	b := newBench(t)
	cfg := b.config(sh("cat >seen"))
	rewrite := runner.Func{Name: "r", Events: []protocol.Event{protocol.PreTool},
		Run: prints(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}`)}
	r := newRunner(t, cfg, runner.Options{Funcs: []runner.Func{rewrite}})
	defer r.Close()
	o, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.JSONEq(t, `{"command":"ls -l"}`, string(o.UpdatedInput))
	require.Contains(t, b.Read("seen"), `"args":{"command":"ls -l"}`)

	block := runner.Func{Name: "b", Events: []protocol.Event{protocol.PreTool},
		Run: func(context.Context, protocol.Call) (string, error) { return "", errors.New("no") }}
	r = newRunner(t, cfg, runner.Options{Funcs: []runner.Func{block}})
	defer r.Close()
	o, err = r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, []protocol.Status{protocol.StatusBlocked, protocol.StatusSkipped}, statuses(o))
}

// A gate that would never be asked, or has nothing to ask, is a mistake that shows.
func TestUnfitFuncs(t *testing.T) {
	good := runner.Func{Name: "f", Events: []protocol.Event{protocol.PreTool}, Run: prints("")}
	for want, change := range map[string]func(*runner.Func){
		"has no name":             func(f *runner.Func) { f.Name = " " },
		"matchers are globs":      func(f *runner.Func) { f.Matcher = "^shell$" },
		"names no tool":           func(f *runner.Func) { f.Matcher = "|" },
		"is no rule":              func(f *runner.Func) { f.If = "shell | fs_*" },
		"has nothing to run":      func(f *runner.Func) { f.Run = nil },
		"subscribes to no event":  func(f *runner.Func) { f.Events = nil },
		`unknown event "pretool"`: func(f *runner.Func) { f.Events = []protocol.Event{"pretool"} },
		"is negative":             func(f *runner.Func) { f.Timeout = -1 },
		`the cause "nonsense"`: func(f *runner.Func) {
			f.OnFailure = protocol.FailurePolicy{"nonsense": protocol.Block}
		},
		`"ask" for the cause`: func(f *runner.Func) {
			f.OnFailure = protocol.FailurePolicy{protocol.CauseExit: protocol.Ask}
		},
	} {
		f := good
		change(&f)
		r, err := runner.New(projecthooks.Empty(), runner.Options{Funcs: []runner.Func{good, f}})
		require.ErrorContains(t, err, want)
		require.Nil(t, r)
	}
}
