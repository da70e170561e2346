//go:build linux

package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// TestTenex has the counterparts of TENEX's own unit tests of its hooks, by their names.
func TestTenex(t *testing.T) {
	fire := func(b *bench, c dialect.Call, hooks ...hook) engine.Fired {
		o, err := b.runner(engine.Options{}, hooks...).Fire(context.Background(), c)
		require.NoError(b, err)
		return o
	}
	t.Run("pre_tool_block_on_nonzero_exit", func(t *testing.T) {
		for _, code := range []string{"1", "2", "3", "255"} {
			b := newBench(t)
			o := b.fire(sh("echo dropped; printf '  hook-blocked \\n' >&2; exit "+code), sh("echo >second"))
			require.Equal(t, protocol.Block, o.Decision)
			require.Equal(t, protocol.CausePolicy, o.Cause)
			require.Equal(t, "hook-blocked", o.Reason)
			require.Equal(t, "h", o.Hook)
			require.Empty(t, o.Texts)
			require.Equal(t, dialect.StatusSkipped, o.Hooks[1].Status)
			require.NoFileExists(t, b.Path("second"))
		}
	})
	t.Run("pre_tool_block_without_stderr_uses_fallback", func(t *testing.T) {
		b := newBench(t)
		require.Equal(t, "Tool call blocked by project hook 'h' (exit 1, nothing on stderr)",
			b.fire(sh("exit 1")).Reason)
		require.Equal(t, "Tool call blocked by project hook 'h'", b.fire(sh("exit 2")).Reason)
	})
	t.Run("pre_tool_spawn_failure_blocks", func(t *testing.T) {
		b := newBench(t)
		o := b.fire(sh("", hook{"command": []string{"/nonexistent/hook-binary"}}))
		require.Equal(t, protocol.Block, o.Decision)
		require.Contains(t, o.Reason, "pre-tool hook 'h' could not run: ")
	})
	t.Run("pre_tool_stdout_becomes_injection", func(t *testing.T) {
		b := newBench(t)
		o := b.fire(sh("echo injected-context"), sh("true"), sh("printf '\\n a\\n b \\n\\n'"), sh("printf 'x\\377y'"))
		require.Equal(t, protocol.Continue, o.Decision)
		require.Equal(t, []string{"injected-context", "a\n b", "x\ufffdy"}, texts(o))
	})
	t.Run("post_tool_stdout_becomes_injection", func(t *testing.T) {
		b := newBench(t)
		require.Equal(t, []string{"after"}, texts(fire(b, b.post(), sh("echo after"))))
	})
	t.Run("post_tool_nonzero_exit_is_ignored", func(t *testing.T) {
		b := newBench(t)
		o := fire(b, b.post(), sh("echo dropped; exit 3"), sh("echo next"))
		require.Equal(t, protocol.Continue, o.Decision)
		require.Equal(t, []string{"next"}, texts(o))
		require.Equal(t,
			[]string{"post-tool hook 'h' exited with 3, nothing on stderr; ignored, the tool already ran"}, o.Warnings)
		require.Equal(t, dialect.StatusFailed, o.Hooks[0].Status)
		require.Equal(t, protocol.CauseExit, o.Hooks[0].Cause)
	})
	t.Run("hook_receives_parsed_args_on_stdin", func(t *testing.T) {
		b := newBench(t)
		o := fire(b, b.pre(), sh(`grep -q '"tool":"shell","args":{"command":"ls"}' || exit 1`), sh("cat"))
		require.Equal(t, protocol.Continue, o.Decision)
		var stdin map[string]any
		require.NoError(t, json.Unmarshal([]byte(o.Texts[0].Content), &stdin))
		require.Equal(t, map[string]any{"command": "ls"}, stdin["args"])
		require.Equal(t, b.Dir, stdin["cwd"])
	})
	t.Run("pre_execute_stdout_becomes_injection", func(t *testing.T) {
		b := newBench(t)
		c := dialect.Call{Event: protocol.PreExecute, Workspace: b.Dir, Prompt: "go"}
		o := fire(b, c, sh("echo no >&2; exit 1"), sh("echo ok"), sh("sleep 100", hook{"timeout": 0.1}),
			sh("", hook{"command": []string{"./no"}}))
		require.Equal(t, protocol.Continue, o.Decision)
		require.Equal(t, []string{"ok"}, texts(o))
		require.Len(t, o.Warnings, 3)
	})
	t.Run("pre_execute_payload_omits_tool_and_args", func(t *testing.T) {
		b := newBench(t)
		o := fire(b, dialect.Call{Event: protocol.PreExecute, Workspace: b.Dir, Prompt: "go"}, sh("cat"))
		for _, key := range []string{`"tool"`, `"args"`, `"result"`, `"tool_name"`, `"tool_input"`} {
			require.NotContains(t, o.Texts[0].Content, key+":")
		}
		require.Contains(t, o.Texts[0].Content, `"prompt":"go"`)
	})
}

func texts(o engine.Fired) (all []string) {
	for _, in := range o.Texts {
		all = append(all, in.Content)
	}
	return all
}

func TestOrderIsThatOfTheFile(t *testing.T) {
	b := newBench(t)
	o := b.fire(sh("echo 1 | tee -a log"), sh("echo 2 | tee -a log"), sh("echo 3 | tee -a log"))
	require.Equal(t, []string{"1", "2", "3"}, texts(o))
	log, err := os.ReadFile(b.Path("log"))
	require.NoError(t, err)
	require.Equal(t, "1\n2\n3\n", string(log))
}

func TestLaterHooksSeeRewrites(t *testing.T) {
	b := newBench(t)
	o := b.fire(
		sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"}}}'`),
		sh(`grep -q '"args":{"command":"ls -l"}.*"tool_input":{"command":"ls -l"}' || exit 1`),
		sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -la"}}}'`))
	require.Equal(t, protocol.Continue, o.Decision)
	require.JSONEq(t, `{"command":"ls -la"}`, string(o.UpdatedInput))

	post, err := b.runner(engine.Options{},
		sh(`echo '{"hookSpecificOutput":{"updatedToolOutput":"[redacted]"}}'`),
		sh(`grep -q '"result":"\[redacted\]"' && echo seen`)).Fire(context.Background(), b.post())
	require.NoError(t, err)
	require.Equal(t, "[redacted]", form.ResultText(post.Outcome, "secret"))
	require.Equal(t, []string{"seen"}, texts(post))
}

func TestEnvironmentOfAHook(t *testing.T) {
	b := newBench(t)
	o := engine.Options{Binary: "/opt/hookrun"}
	r := b.runner(o, sh("env | sort", hook{"env": hook{"MODE": "strict", "PATH": os.Getenv("PATH")}}))
	t.Setenv("HOOKRUN_TOOL", "stale")
	out, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	env := "\n" + out.Texts[0].Content + "\n"
	for _, want := range []string{"HOOKRUN=/opt/hookrun", "HOOKRUN_EVENT=pre-tool", "HOOKRUN_TOOL=shell",
		"HOOKRUN_WORKSPACE=" + b.Dir, "HOOKRUN_HOOK=h", "PWD=" + b.Dir, "MODE=strict", b.Mark} {
		require.Equal(t, 1, strings.Count(env, "\n"+want+"\n"), want)
	}
	out, err = b.runner(engine.Options{}, sh("env")).Fire(context.Background(),
		dialect.Call{Event: protocol.PreExecute, Workspace: b.Dir})
	require.NoError(t, err)
	require.NotContains(t, out.Texts[0].Content, "HOOKRUN_TOOL=")
}

func TestOptions(t *testing.T) {
	b := newBench(t)
	o, err := b.runner(engine.Options{Timeout: 100 * time.Millisecond,
		OnFailure: dialect.FailurePolicy{protocol.CauseTimeout: protocol.Block}},
		sh("exec sleep 100", hook{"timeout": "1h"})).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseTimeout, o.Cause)
	require.Equal(t, "pre-tool hook 'h' timed out after 100ms", o.Reason)

	o, err = b.runner(engine.Options{Timeout: 100 * time.Millisecond,
		OnFailure: dialect.FailurePolicy{protocol.CauseTimeout: protocol.Block}},
		sh("exec sleep 100", hook{"on_failure": "continue"})).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, "what a hook says of itself comes first")
}

func TestCallsThatCannotBeAsked(t *testing.T) {
	b := newBench(t)
	r := b.runner(engine.Options{}, sh("echo >ran"))
	for want, c := range map[string]dialect.Call{
		`unknown event "pre-flight"`: {Event: "pre-flight", Workspace: b.Dir, Tool: "x"},
		`pre-tool needs the name`:    {Event: protocol.PreTool, Workspace: b.Dir},
		`nested more than 9999 deep`: {Event: protocol.PreTool, Workspace: b.Dir, Tool: "x",
			Args: strings.Repeat("[", 20_000)},
		`PostToolUse needs the name of a`: {Event: "PostToolUse", Workspace: b.Dir},
	} {
		o, err := r.Fire(context.Background(), c)
		require.ErrorContains(t, err, want)
		require.Equal(t, protocol.Block, o.Decision)
	}
	require.NoFileExists(t, b.Path("ran"))
}

func TestEndedContextIsNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, err := newRunner(t, nil, engine.Options{}).Fire(ctx, dialect.Call{Event: protocol.PreTool, Tool: "shell"})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseInterrupted, o.Cause)
	require.NotEmpty(t, o.Reason)
}

func TestNoHooks(t *testing.T) {
	r := newRunner(t, nil, engine.Options{})
	o, err := r.Fire(context.Background(), dialect.Call{Event: protocol.PreTool, Tool: "shell"})
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	line, err := form.JSON(o.Outcome)
	require.NoError(t, err)
	require.Regexp(t,
		`^{"version":1,"event":"pre-tool","tool":"shell","decision":"continue","hooks":\[\],`+
			`"duration_ms":[0-9.]+}$`, string(line))
}

func TestWhenHooksRan(t *testing.T) {
	b := newBench(t)
	o := b.fire(sh("true", hook{"timeout": "7s"}), sh("true"), sh("exit 2"), sh("true"))
	require.Equal(t, protocol.Milliseconds(7*time.Second), o.Hooks[0].Limit)
	require.Equal(t, protocol.Milliseconds(30*time.Second), o.Hooks[1].Limit, "the dialect's")
	for i := range 3 {
		require.Positive(t, o.Hooks[i].Start)
		require.LessOrEqual(t, o.Hooks[i].Start+o.Hooks[i].Duration, o.Duration)
		if i > 0 {
			require.GreaterOrEqual(t, o.Hooks[i].Start, o.Hooks[i-1].Start+o.Hooks[i-1].Duration, "one after the other")
		}
	}
	require.Zero(t, o.Hooks[3].Start, "it was skipped")
	require.Zero(t, o.Hooks[3].Limit)
	unstarted := b.fire(sh("", hook{"command": []string{"/nonexistent/hook-binary"}}))
	require.Zero(t, unstarted.Hooks[0].Limit)
}

// Options.OnInput sees what each hook gets: a later one with what an earlier one made of the call. Rules and functions
// get nothing.
func TestOnInput(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":[
	{"name":"rule","inject":"x","events":["pre-tool"]},
	{"name":"rewrite","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"a\":2}}}'",
	 "events":["pre-tool"]},
	{"name":"posts","url":"http://127.0.0.1:1/","events":["pre-tool"],"on_failure":"continue"}]}`))
	require.NoError(t, err)
	var got []string
	r := newRunner(t, cfg, engine.Options{
		OnInput: func(hook, source string, input []byte) {
			got = append(got, hook+" "+source+" "+gjson.GetBytes(input, "args.a").Raw)
			require.True(t, bytes.HasSuffix(input, []byte("}\n")))
		},
		Functions: []model.Hook{function("func", dialect.OK())},
	})
	_, err = r.Fire(context.Background(), dialect.Call{Event: "pre-tool", Tool: "x", Args: `{"a":1}`})
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, []string{"rewrite f:3 1", "posts f:5 2"}, got)
}
