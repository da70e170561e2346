//go:build linux

package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

type run = func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error)

// answers is a function that always gives this answer.
func answers(a runner.Answer) run {
	return func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) { return a, nil }
}

// fails is a function that always gives this answer and an error.
func fails(a runner.Answer) run {
	return func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
		return a, errors.New("oh")
	}
}

func hooksOf(t *testing.T, o runner.Options, hs ...runner.Hook) *runner.Runner {
	for i := range hs {
		if hs[i].Name == "" {
			hs[i].Name = "f"
		}
	}
	o.Hooks = hs
	r, err := runner.New(projecthooks.Empty, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// fire calls the hooks of an event for a call of the tool shell.
func fire(t *testing.T, r *runner.Runner, on protocol.Event) *protocol.Outcome {
	t.Helper()
	call := protocol.Call{Workspace: "/", Tool: "shell", Args: `{"command":"ls -l"}`}
	var o *protocol.Outcome
	var err error
	switch on {
	case protocol.PreExecute:
		o, err = r.Prompt(context.Background(), call)
	case protocol.PostTool:
		o, err = r.After(context.Background(), call, runner.Output{Text: "done"})
	default:
		o, err = r.Before(context.Background(), call)
	}
	require.NoError(t, err)
	return o
}

func text(s string) *string { return &s }

// told is what a test compares of an outcome.
type told struct {
	Decision      protocol.Decision
	Approved      bool
	Reason        string
	Cause         protocol.Cause
	Stop          string
	Input         string
	Output        string
	Text          string
	Status        string
	Warning       string
	noHookMatches bool
}

func TestHook(t *testing.T) {
	panics := func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) { panic("oh") }
	exits := func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
		runtime.Goexit()
		return runner.Answer{}, nil
	}
	pre := func(f run) runner.Hook { return runner.Hook{Run: f} }
	post := func(f run) runner.Hook { return runner.Hook{On: protocol.PostTool, Run: f} }
	opened := func(h runner.Hook) runner.Hook { h.Open = true; return h }
	matched := func(match string) runner.Hook {
		return runner.Hook{Match: match, Run: answers(runner.Answer{Block: "no"})}
	}
	const policy = protocol.CausePolicy
	goesOn := told{Decision: protocol.Continue, Status: dialect.StatusOK}
	no := told{Reason: "no", Cause: policy, Status: dialect.StatusBlocked}
	for name, test := range map[string]struct {
		h    runner.Hook
		want told
	}{
		"nothing": {pre(answers(runner.Answer{})), goesOn},
		"a text": {pre(answers(runner.Answer{Text: " t\n"})),
			told{Decision: protocol.Continue, Text: "t", Status: dialect.StatusOK}},
		"a text that looks like an answer": {pre(answers(runner.Answer{Text: `{"decision":"block"}`})),
			told{Decision: protocol.Continue, Text: `{"decision":"block"}`, Status: dialect.StatusOK}},
		"block": {pre(answers(runner.Answer{Block: "no"})), no},
		"ask": {pre(answers(runner.Answer{Ask: "sure?"})),
			told{Decision: protocol.Ask, Reason: "sure?", Cause: policy, Status: dialect.StatusBlocked}},
		"block beside all others": {pre(answers(runner.Answer{Block: "no", Ask: "sure?", Allow: true,
			Args: text(`{"a":1}`)})), no},
		"ask beside allow": {pre(answers(runner.Answer{Ask: "sure?", Allow: true})),
			told{Decision: protocol.Ask, Reason: "sure?", Cause: policy, Status: dialect.StatusBlocked}},
		"allow": {pre(answers(runner.Answer{Allow: true})),
			told{Decision: protocol.Continue, Approved: true, Cause: policy, Status: dialect.StatusOK}},
		"allow after the tool": {post(answers(runner.Answer{Allow: true})), told{Decision: protocol.Continue,
			Status:  dialect.StatusOK,
			Warning: "post-tool hook 'f' answered with Allow, which means nothing at post-tool; ignored"}},
		"stop": {pre(answers(runner.Answer{Stop: "enough"})),
			told{Decision: protocol.Continue, Stop: "enough", Status: dialect.StatusOK}},
		"arguments": {pre(answers(runner.Answer{Args: text(`{ "a": 1 }`)})),
			told{Decision: protocol.Continue, Input: `{"a":1}`, Status: dialect.StatusOK}},
		"arguments that are no object": {pre(answers(runner.Answer{Args: text("ls")})),
			told{Reason: "pre-tool hook 'f' gave an answer that cannot be read: its Args: expected a value, found 'l'",
				Cause: protocol.CauseOutput, Status: dialect.StatusBlocked}},
		"arguments with equal keys": {pre(answers(runner.Answer{Args: text(`{"a":1,"a":2}`), Stop: "enough"})),
			told{Reason: "pre-tool hook 'f' gave an answer that cannot be read: its Args: " +
				`the key "a" is there twice in one object; keep one`,
				Cause: protocol.CauseOutput, Stop: "enough", Status: dialect.StatusBlocked}},
		"a list of arguments": {pre(answers(runner.Answer{Args: text(`[]`)})),
			told{Reason: "pre-tool hook 'f' gave an answer that cannot be read: its Args are no JSON object",
				Cause: protocol.CauseOutput, Status: dialect.StatusBlocked}},
		"arguments after the tool": {post(answers(runner.Answer{Args: text(`{}`)})), told{
			Decision: protocol.Continue, Status: dialect.StatusOK,
			Warning: "post-tool hook 'f' answered with Args, which means nothing at post-tool; ignored"}},
		"a result": {post(answers(runner.Answer{Output: text("<clean>")})),
			told{Decision: protocol.Continue, Output: `"<clean>"`, Status: dialect.StatusOK}},
		"an empty result": {post(answers(runner.Answer{Output: text("")})),
			told{Decision: protocol.Continue, Output: `""`, Status: dialect.StatusOK}},
		"a result before the tool": {pre(answers(runner.Answer{Output: text("x")})), told{
			Decision: protocol.Continue, Status: dialect.StatusOK,
			Warning: "pre-tool hook 'f' answered with Output, which means nothing at pre-tool; ignored"}},
		"feedback": {post(answers(runner.Answer{Block: "no"})), no},

		"error": {pre(fails(runner.Answer{Allow: true, Ask: "sure?"})), told{Reason: "pre-tool hook 'f' failed: oh",
			Cause: protocol.CauseExit, Status: dialect.StatusBlocked}},
		"error beside a stop": {opened(pre(fails(runner.Answer{Stop: "enough"}))), told{Decision: protocol.Continue,
			Cause: protocol.CauseExit, Stop: "enough", Status: dialect.StatusFailed,
			Warning: "pre-tool hook 'f' failed: oh; continuing"}},
		"error beside a block": {opened(pre(fails(runner.Answer{Block: "no", Text: "t"}))), no},
		"error after the tool": {post(fails(runner.Answer{})), told{Reason: "post-tool hook 'f' failed: oh",
			Cause: protocol.CauseExit, Status: dialect.StatusBlocked}},
		"open error after the tool": {opened(post(fails(runner.Answer{}))), told{Decision: protocol.Continue,
			Cause: protocol.CauseExit, Status: dialect.StatusFailed,
			Warning: "post-tool hook 'f' failed: oh; ignored, the tool already ran"}},
		"panic": {pre(panics), told{Reason: "pre-tool hook 'f' could not run: panic: oh",
			Cause: protocol.CauseUnstarted, Status: dialect.StatusUnstarted}},
		"open panic": {opened(pre(panics)), told{Decision: protocol.Continue, Cause: protocol.CauseUnstarted,
			Status: dialect.StatusUnstarted, Warning: "pre-tool hook 'f' could not run: panic: oh; continuing"}},
		"goexit": {pre(exits), told{Reason: "pre-tool hook 'f' could not run: it ended its goroutine",
			Cause: protocol.CauseUnstarted, Status: dialect.StatusUnstarted}},

		"this tool":        {matched("fs_*|shell"), no},
		"this input":       {matched("shell(ls *)"), no},
		"other tool":       {matched("fs_*"), told{Decision: protocol.Continue, noHookMatches: true}},
		"other input":      {matched("shell(rm *)"), told{Decision: protocol.Continue, noHookMatches: true}},
		"by Claude's name": {runner.Hook{On: "PreToolUse", Run: answers(runner.Answer{Block: "no"})}, no},
	} {
		t.Run(name, func(t *testing.T) {
			o := fire(t, hooksOf(t, runner.Options{}, test.h), test.h.On)
			got := told{Decision: o.Decision, Approved: o.Approved, Reason: o.Reason, Cause: o.Cause,
				Stop: o.StopReason, Input: string(o.UpdatedInput), noHookMatches: len(o.Hooks) == 0}
			require.Equal(t, o.Stop, o.StopReason != "")
			if test.want.Cause == "" || o.Decision == protocol.Continue && !o.Approved { // the report alone has it
				got.Cause = test.want.Cause
			}
			if o.Decision == protocol.Continue {
				got.Output = string(o.UpdatedOutput)
			}
			for _, in := range o.Texts {
				got.Text += in.Content
			}
			for _, w := range o.Warnings {
				got.Warning += w
			}
			for _, h := range o.Hooks {
				got.Status = h.Status
				require.Nil(t, h.ExitCode)
				require.Zero(t, h.StdoutBytes)
				require.Equal(t, test.want.Cause, h.Cause)
				require.Equal(t, "func", h.Source)
			}
			require.Equal(t, test.want, got)
			_, err := json.Marshal(o)
			require.NoError(t, err)
		})
	}
}

func TestHookDeadline(t *testing.T) {
	ended := make(chan error, 1)
	h := runner.Hook{Run: func(ctx context.Context, _ protocol.Call, _ *runner.Output) (runner.Answer, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return runner.Answer{Allow: true}, nil
	}}
	late := func(on protocol.Event, open bool) *protocol.Outcome {
		h.On, h.Open = on, open
		o := fire(t, hooksOf(t, runner.Options{Timeout: time.Millisecond}, h), on)
		require.ErrorIs(t, <-ended, context.DeadlineExceeded)
		require.Equal(t, dialect.StatusTimeout, o.Hooks[0].Status)
		require.Equal(t, protocol.Milliseconds(time.Millisecond), o.Hooks[0].Limit)
		require.False(t, o.Approved, "what it says then is no answer")
		return o
	}
	for _, on := range []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool} {
		o := late(on, false)
		require.Equal(t, protocol.Block, o.Decision, on)
		require.Equal(t, protocol.CauseTimeout, o.Cause)
		require.Equal(t, protocol.Continue, late(on, true).Decision, on)
	}
}

// TestOptionsAreCopied: what the program does with its list afterwards is not the Runner's.
func TestOptionsAreCopied(t *testing.T) {
	hs := []runner.Hook{{Name: "f", Run: answers(runner.Answer{Text: "text"})}}
	r, err := runner.New(projecthooks.Empty, runner.Options{Hooks: hs})
	require.NoError(t, err)
	hs[0].Run = nil
	require.Equal(t, "text", fire(t, r, protocol.PreTool).Texts[0].Content)
}

// TestPolicyIsNotForFunctions: a Hook says itself whether it is open.
func TestPolicyIsNotForFunctions(t *testing.T) {
	open := map[protocol.Cause]protocol.Decision{}
	for _, cause := range []protocol.Cause{protocol.CauseExit, protocol.CauseUnstarted, protocol.CauseTimeout,
		protocol.CauseOutput} {
		open[cause] = protocol.Continue
	}
	r := hooksOf(t, runner.Options{OnFailure: open}, runner.Hook{Run: fails(runner.Answer{})})
	require.Equal(t, protocol.Block, fire(t, r, protocol.PreTool).Decision)
}

// Functions and hooks of files are one list: a block ends it, and rewrites go down it.
func TestFunctionsRunBeforeFiles(t *testing.T) {
	b := newBench(t)
	r := b.runner(runner.Options{Hooks: []runner.Hook{
		{Name: "r", Run: answers(runner.Answer{Args: text(`{"command":"ls -l"}`)})}}}, sh("cat >seen"))
	o, err := r.Before(context.Background(), b.call())
	require.NoError(t, err)
	require.JSONEq(t, `{"command":"ls -l"}`, o.Args)
	require.Contains(t, b.Read("seen"), `"args":{"command":"ls -l"}`)

	r = b.runner(runner.Options{Hooks: []runner.Hook{
		{Name: "b", Run: answers(runner.Answer{Block: "no"})}}}, sh("cat >seen"))
	o, err = r.Before(context.Background(), b.call())
	require.NoError(t, err)
	require.Equal(t, dialect.StatusBlocked, o.Hooks[0].Status)
	require.Equal(t, dialect.StatusSkipped, o.Hooks[1].Status)
}

// TestHookSeesTheOutput: a function gets the result with what earlier ones made of it, and none before the tool.
func TestHookSeesTheOutput(t *testing.T) {
	var seen []*runner.Output
	look := func(_ context.Context, _ protocol.Call, out *runner.Output) (runner.Answer, error) {
		seen = append(seen, out)
		return runner.Answer{}, nil
	}
	r := hooksOf(t, runner.Options{}, runner.Hook{Run: look}, runner.Hook{On: protocol.PostTool, Run: look},
		runner.Hook{On: protocol.PostTool, Run: answers(runner.Answer{Output: text("clean")})},
		runner.Hook{On: protocol.PostTool, Run: look})
	fire(t, r, protocol.PreTool)
	call := protocol.Call{Workspace: "/", Tool: "shell"}
	exit := errors.New("exit status 1")
	for _, out := range []runner.Output{{Text: "secret"}, {Text: "secret", Err: exit}} {
		_, err := r.After(context.Background(), call, out)
		require.NoError(t, err)
	}
	require.Equal(t, []*runner.Output{nil, {Text: "secret"}, {Text: "clean"}, {Text: "secret", Err: exit},
		{Text: "clean", Err: exit}}, seen)
}

// A gate that would never be asked, or has nothing to ask, is a mistake that shows.
func TestUnfitHooks(t *testing.T) {
	good := runner.Hook{Name: "f", Run: answers(runner.Answer{})}
	for want, change := range map[string]func(*runner.Hook){
		"has no name":             func(h *runner.Hook) { h.Name = " " },
		"matchers are globs":      func(h *runner.Hook) { h.Match = "^shell$" },
		"names no tool":           func(h *runner.Hook) { h.Match = "|" },
		"is no rule":              func(h *runner.Hook) { h.Match = "shell|fs_*(x)" },
		"is for tools":            func(h *runner.Hook) { h.Match, h.On = "shell", protocol.PreExecute },
		"has what no name":        func(h *runner.Hook) { h.Match = "shell,fs_read" },
		`"[" has what no name`:    func(h *runner.Hook) { h.Match = "[" },
		`"!shell" has what`:       func(h *runner.Hook) { h.Match = "!shell" },
		`"fs_.*" has what`:        func(h *runner.Hook) { h.Match = "fs_.*" },
		`\u200bell" has what`:     func(h *runner.Hook) { h.Match = "sh\u200bell" },
		"has nothing to run":      func(h *runner.Hook) { h.Run = nil },
		`unknown event "pretool"`: func(h *runner.Hook) { h.On = "pretool" },
	} {
		h := good
		change(&h)
		r, err := runner.New(projecthooks.Empty, runner.Options{Hooks: []runner.Hook{good, h}})
		require.ErrorContains(t, err, want)
		require.Nil(t, r)
	}
}
