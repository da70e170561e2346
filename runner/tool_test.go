//go:build linux

package runner_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

func TestTool(t *testing.T) {
	t.Parallel()
	pre, post := []string{"pre-tool"}, []string{"post-tool"}
	echo := func(text string, err error) func(context.Context, string) runner.Output {
		return func(context.Context, string) runner.Output { return runner.Output{Text: text, Err: err} }
	}
	t.Run("texts are folded in after the post-tool hooks, pre-tool first", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{}, sh("echo before", hook{"events": pre}),
			sh(`grep -q '"result":"base"' && echo after`, hook{"events": post}))
		res, err := r.Tool(context.Background(), b.call(), echo("base", nil))
		require.NoError(t, err)
		require.Equal(t, "base\n\nbefore\n\nafter", res.Text)
		require.True(t, res.Ran)
	})
	t.Run("a blocked call reaches the post-tool hooks with the reason", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{}, sh("echo hook-blocked >&2; exit 1", hook{"events": pre}),
			sh(`grep -o '"result":"[^"]*"'`, hook{"events": post}))
		res, err := r.Tool(context.Background(), b.call(), func(context.Context, string) runner.Output {
			t.Error("the tool ran")
			return runner.Output{}
		})
		require.NoError(t, err)
		require.Equal(t, "hook-blocked\n\n\"result\":\"hook-blocked\"", res.Text)
		require.False(t, res.Ran)
		require.Zero(t, res.Output)
	})
	t.Run("a failed tool reaches them with the error", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{},
			sh(`grep -q '"result":"no such file".*"hook_event_name":"PostToolUseFailure","error":"no such file"' && `+
				`echo try again`, hook{"events": post}))
		res, err := r.Tool(context.Background(), b.call(), echo("", errors.New("no such file")))
		require.NoError(t, err)
		require.Equal(t, "no such file\n\ntry again", res.Text)
		require.EqualError(t, res.Output.Err, "no such file")
	})
	for decision, code := range map[protocol.Decision]string{protocol.Continue: "0", protocol.Block: "2"} {
		t.Run("what the user is to know of both events is in the outcome of the call: "+decision.String(),
			func(t *testing.T) {
				b := newBench(t)
				r := b.runner(runner.Options{}, sh("kill -9 $$", hook{"events": pre, "on_failure": "continue"}),
					sh(`printf '{"systemMessage":"before"}'; exit `+code, hook{"events": pre}),
					sh("kill -9 $$", hook{"events": post}),
					sh(`printf '{"systemMessage":"after"}'`, hook{"events": post}))
				res, err := r.Tool(context.Background(), b.call(), echo("base", nil))
				require.NoError(t, err)
				require.Equal(t, decision, res.Decision)
				require.Len(t, res.Warnings, 2)
				require.Contains(t, res.Warnings[0], "pre-tool hook 'h' was killed")
				require.Contains(t, res.Warnings[1], "post-tool hook 'h3' was killed")
				require.Equal(t, []string{"before", "after"}, res.SystemMessages)
			})
	}
	t.Run("a text of pre-tool is kept when something else holds the tool up", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{}, sh("echo context", hook{"events": pre}))
		res, err := r.Tool(context.Background(), b.call(), echo("", errors.New("not allowed by the supervisor")))
		require.NoError(t, err)
		require.Equal(t, "not allowed by the supervisor\n\ncontext", res.Text)
	})
	for name, answer := range map[string]string{
		"a stop":             `{"continue":false,"stopReason":"enough"}`,
		"a stop and a block": `{"continue":false,"stopReason":"enough","decision":"block","reason":"no"}`,
	} {
		t.Run(name+" at pre-tool keeps the tool and the post-tool hooks from running", func(t *testing.T) {
			b := newBench(t)
			r := b.runner(runner.Options{}, sh("echo '"+answer+"'", hook{"events": pre}),
				sh("touch after", hook{"events": post}))
			res, err := r.Tool(context.Background(), b.call(), func(context.Context, string) runner.Output {
				t.Error("the tool ran")
				return runner.Output{}
			})
			require.NoError(t, err)
			require.True(t, res.Stop)
			require.False(t, res.Ran)
			require.Equal(t, "enough", res.StopReason)
			require.Equal(t, "enough", res.Text)
			require.NoFileExists(t, filepath.Join(b.Dir, "after"))
		})
	}
	t.Run("rewrites, feedback and a stop", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{},
			sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"pwd"}}}'`, hook{"events": pre}),
			sh(`echo '{"continue":false,"stopReason":"enough",`+
				`"hookSpecificOutput":{"updatedToolOutput":"clean"}}'`, hook{"events": post}),
			sh(`echo '{"decision":"block","reason":"check it"}'`, hook{"events": post}))
		res, err := r.Tool(context.Background(), b.call(), func(_ context.Context, args string) runner.Output {
			return runner.Output{Text: "ran " + args}
		})
		require.NoError(t, err)
		require.Equal(t, `ran {"command":"pwd"}`, res.Output.Text)
		require.Equal(t, "clean\n\ncheck it", res.Text)
		require.True(t, res.Stop)
		require.Equal(t, "enough", res.StopReason)
	})
	t.Run("a redactor that failed and must not lets no result through", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{}, sh("kill -9 $$", hook{"events": post, "on_failure": "block"}))
		res, err := r.Tool(context.Background(), b.call(), echo("secret", nil))
		require.NoError(t, err)
		require.Equal(t, "post-tool hook 'h' was killed by SIGKILL", res.Text)
	})
	t.Run("without a verdict the tool does not run, and its result is not shown", func(t *testing.T) {
		b := newBench(t)
		r := b.runner(runner.Options{}, sh("exit 0"))
		ctx, cancel := context.WithCancel(context.Background())
		res, err := r.Tool(ctx, b.call(), func(context.Context, string) runner.Output {
			cancel()
			return runner.Output{Text: "secret", Err: r.Close()}
		})
		require.ErrorIs(t, err, runner.ErrClosed)
		require.True(t, res.Ran)
		require.Empty(t, res.Text)
		require.Equal(t, "secret", res.Output.Text, "it is not lost")
		_, err = res.Messages(protocol.OpenAIChat)
		require.ErrorContains(t, err, "no verdict")
		r = b.runner(runner.Options{}, sh("exit 0"))
		res, err = r.Tool(ctx, b.call(), echo("", nil))
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, res.Ran)
	})
}

// TestToolThatFails has what becomes of the tool's output where the tool does not end as it should.
func TestToolThatFails(t *testing.T) {
	var seen []runner.Output
	asked := false
	r := hooksOf(t, runner.Options{},
		runner.Hook{Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
			asked = true
			return runner.Answer{}, nil
		}},
		runner.Hook{On: protocol.PostTool,
			Run: func(_ context.Context, _ protocol.Call, out *runner.Output) (runner.Answer, error) {
				seen = append(seen, *out)
				return runner.Answer{}, nil
			}})
	call := protocol.Call{Workspace: "/", Tool: "shell"}

	_, err := r.Tool(context.Background(), call, nil)
	require.ErrorContains(t, err, "the tool's function is nil")
	require.False(t, asked, "no hook runs")

	exit := errors.New("exit status 1")
	ctx, cancel := context.WithCancel(context.Background())
	res, err := r.Tool(ctx, call, func(context.Context, string) runner.Output {
		cancel()
		return runner.Output{Text: "half of it\n", Err: exit}
	})
	require.NoError(t, err)
	require.True(t, res.Ran)
	require.Equal(t, "half of it\nexit status 1", res.Text)
	require.Equal(t, runner.Output{Text: "half of it\n", Err: exit}, res.Output)
	require.Equal(t, []runner.Output{res.Output}, seen,
		"the audit sees what the tool did, though its context has ended")

	res, err = r.Tool(context.Background(), call, func(context.Context, string) runner.Output {
		return runner.Output{Err: exit}
	})
	require.NoError(t, err)
	require.Equal(t, "exit status 1", res.Text)
}

// TestParts: a loop that runs its tools itself gets from Before and After what Tool gets.
func TestParts(t *testing.T) {
	say := func(on protocol.Event, say string) runner.Hook {
		return runner.Hook{On: on, Run: answers(runner.Answer{Text: say})}
	}
	exit := errors.New("exit status 1")
	r := hooksOf(t, runner.Options{}, say(protocol.PreExecute, "prompt"), say(protocol.PreTool, "before"),
		runner.Hook{On: protocol.PostTool,
			Run: func(_ context.Context, c protocol.Call, out *runner.Output) (runner.Answer, error) {
				require.Equal(t, "call_1", c.ID)
				return runner.Answer{Text: out.Text + " " + out.Err.Error()}, nil
			}})
	ctx, call := context.Background(), protocol.Call{Workspace: "/", Tool: "shell", Args: "{}", ID: "call_1"}
	o, err := r.Prompt(ctx, call)
	require.NoError(t, err)
	require.Equal(t, "prompt", o.Texts[0].Content)
	o, err = r.Before(ctx, call)
	require.NoError(t, err)
	require.Equal(t, "before", o.Texts[0].Content)
	require.Equal(t, "{}", o.Args)
	o, err = r.After(ctx, call, runner.Output{Text: "half", Err: exit})
	require.NoError(t, err)
	require.Equal(t, "half exit status 1", o.Texts[0].Content)
	require.Equal(t, "half\nexit status 1", o.Result)
	o, err = r.After(ctx, call, runner.Output{Text: "not that", Err: runner.ErrNotRun})
	require.NoError(t, err)
	require.Equal(t, "not that the tool did not run", o.Texts[0].Content)
	require.Equal(t, "not that", o.Result)
	require.False(t, o.Failed)

	call.Tool = ""
	o, err = r.After(ctx, call, runner.Output{})
	require.ErrorAs(t, err, new(*runner.CallError))
	require.ErrorContains(t, err, "the call has no Tool")
	require.Equal(t, protocol.Block, o.Decision)
}

// TestToolGivesTexts: texts of the queue go behind those of the hooks, and are the queue's again if nobody reads them.
func TestToolGivesTexts(t *testing.T) {
	q := &queue.Queue{Dir: t.TempDir()}
	put := func(text, strategy string) {
		_, err := q.Put(context.Background(), queue.Entry{Session: "s", Content: text, Strategy: strategy})
		require.NoError(t, err)
	}
	waiting := func() int {
		entries, err := q.Waiting(context.Background(), "s")
		require.NoError(t, err)
		return len(entries)
	}
	put("queued", "")
	put("apart", "user_message")
	stop := runner.Answer{}
	r := hooksOf(t, runner.Options{Queue: q}, runner.Hook{Run: answers(runner.Answer{Text: "before"})},
		runner.Hook{On: protocol.PostTool,
			Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) { return stop, nil }})
	dir := q.Dir
	q.Dir = "/nonexistent" // the Runner has a copy
	defer func() { q.Dir = dir }()
	call := protocol.Call{Workspace: "/", Tool: "shell", Session: "s", ID: "c1"}
	tool := func(context.Context, string) runner.Output { return runner.Output{Text: "done"} }
	use := func(ctx context.Context) *runner.Result {
		res, err := r.Tool(ctx, call, tool)
		require.NoError(t, err)
		return res
	}
	ctx, cancel := context.WithCancel(context.Background())
	tool = func(context.Context, string) runner.Output { cancel(); return runner.Output{Text: "done"} }
	require.Equal(t, "done\n\nbefore", use(ctx).Text, "the caller is gone")
	tool = func(context.Context, string) runner.Output { return runner.Output{Text: "done"} }
	stop.Stop = "enough"
	require.Equal(t, "done\n\nbefore", use(context.Background()).Text, "the model is not called again")
	stop.Stop = ""
	q.Dir = dir
	for _, delivered := range []bool{false, true} {
		require.Equal(t, 2, waiting())
		res := use(context.Background())
		require.Equal(t, "done\n\nbefore\n\nqueued\n\napart", res.Text)
		messages, err := res.Messages(protocol.OpenAIChat)
		require.NoError(t, err)
		require.JSONEq(t, `[{"role":"tool","tool_call_id":"c1","content":"done\nbefore\nqueued"},`+
			`{"role":"user","content":"<system-reminder>apart</system-reminder>"}]`, string(messages))
		require.NoError(t, res.Ack(delivered))
		require.NoError(t, res.Ack(!delivered), "the first counts")
	}
	require.Zero(t, waiting())
}

// TestMessagesOfToolCalls has what the model sees of calls that did not go as it meant.
func TestMessagesOfToolCalls(t *testing.T) {
	answer, after := runner.Answer{}, error(nil)
	r := hooksOf(t, runner.Options{},
		runner.Hook{Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
			return answer, nil
		}},
		runner.Hook{On: protocol.PostTool,
			Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
				return runner.Answer{}, after
			}})
	content := func() string {
		call := protocol.Call{Workspace: "/", Tool: "shell", ID: "c1"}
		res, err := r.Tool(context.Background(), call, func(context.Context, string) runner.Output {
			return runner.Output{Text: "secret"}
		})
		require.NoError(t, err)
		messages, err := res.Messages(protocol.OpenAIChat)
		require.NoError(t, err)
		require.Contains(t, string(messages), `"content":"`+res.Text+`"`)
		return res.Text
	}
	require.Equal(t, "secret", content())
	after = errors.New("oh")
	require.Equal(t, "post-tool hook 'f' failed: oh", content())
	after, answer.Block = nil, "no"
	require.Equal(t, "no", content())
	answer.Stop = "enough"
	require.Equal(t, "enough", content())
	answer = runner.Answer{Ask: "sure?"}
	require.Equal(t, "sure?", content())
}

// TestResultIsWhole: what the hooks before the tool had to say is in the Result as well.
func TestResultIsWhole(t *testing.T) {
	b := newBench(t)
	r := b.runner(runner.Options{Hooks: []runner.Hook{
		{Name: "open", Open: true, Run: fails(runner.Answer{})},
		{Name: "allow", Run: answers(runner.Answer{Allow: true, Args: text(`{"a":1}`)})},
	}}, sh(`echo '{"systemMessage":"seen"}'`))
	res, err := r.Tool(context.Background(), b.call(), func(context.Context, string) runner.Output {
		return runner.Output{Text: "done"}
	})
	require.NoError(t, err)
	require.Equal(t, []string{"pre-tool hook 'open' failed: oh; continuing"}, res.Warnings)
	require.Equal(t, []string{"seen", "seen"}, res.SystemMessages)
	require.Len(t, res.Hooks, 4)
	require.JSONEq(t, `{"a":1}`, res.Args)
	require.Equal(t, "done", res.Result)
}

// TestRedactors: a result that a hook was to change is not shown if the hook failed, whatever it says beside that, nor
// because an earlier hook has feedback.
func TestRedactors(t *testing.T) {
	mask := runner.Hook{On: protocol.PostTool, Run: answers(runner.Answer{Output: text("[masked]")})}
	for name, test := range map[string]struct {
		hooks []runner.Hook
		want  string
	}{
		"one that fails with a reason": {
			[]runner.Hook{{On: protocol.PostTool, Run: fails(runner.Answer{Block: "no mask"})}},
			"no mask (post-tool hook 'f' failed: oh)"},
		"behind feedback": {[]runner.Hook{{On: protocol.PostTool, Run: answers(runner.Answer{Block: "lint it"})}, mask},
			"[masked]\n\nlint it"},
		"behind one that asks": {[]runner.Hook{{On: protocol.PostTool, Run: answers(runner.Answer{Ask: "ok?"})}, mask},
			"[masked]"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := hooksOf(t, runner.Options{}, test.hooks...).Tool(context.Background(),
				protocol.Call{Workspace: "/", Tool: "shell"},
				func(context.Context, string) runner.Output { return runner.Output{Text: "SECRET"} })
			require.NoError(t, err)
			require.Equal(t, test.want, res.Text)
		})
	}
}

// TestAsk: a person decides about the call as the hooks have left it.
func TestAsk(t *testing.T) {
	asks := runner.Hook{Run: answers(runner.Answer{Ask: "sure?", Args: text(`{"a":1}`)})}
	for _, yes := range []bool{false, true} {
		o := runner.Options{Ask: func(_ context.Context, c protocol.Call, reason string) bool {
			require.Equal(t, "sure?", reason)
			require.JSONEq(t, `{"a":1}`, c.Args)
			return yes
		}}
		res, err := hooksOf(t, o, asks).Tool(context.Background(), protocol.Call{Workspace: "/", Tool: "shell"},
			func(_ context.Context, args string) runner.Output { return runner.Output{Text: args} })
		require.NoError(t, err)
		require.Equal(t, yes, res.Ran)
		require.Equal(t, map[bool]string{false: "a person said no: sure?", true: `{"a":1}`}[yes], res.Text)
	}
}

// TestExtra: hooks get further keys, each its own copy, and none that hookrun writes itself.
func TestExtra(t *testing.T) {
	b := newBench(t)
	extra := map[string]any{"transcript_path": "/t", "b": []int{1}, "a": "<x>"}
	r := b.runner(runner.Options{Hooks: []runner.Hook{{Name: "f",
		Run: func(_ context.Context, c protocol.Call, _ *runner.Output) (runner.Answer, error) {
			delete(c.Extra, "a")
			return runner.Answer{}, nil
		}}}}, sh("cat >seen"))
	call := b.call()
	call.Extra = extra
	_, err := r.Before(context.Background(), call)
	require.NoError(t, err)
	require.Len(t, extra, 3)
	require.Contains(t, b.Read("seen"), `"transcript_path":"/t"`)
	require.Contains(t, b.Read("seen"), `,"a":"<x>","b":[1]}`)
}
