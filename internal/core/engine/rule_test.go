//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// rule is an entry that says something without a process.
func rule(key, text string, more ...hook) hook {
	h := sh("", more...)
	delete(h, "command")
	h[key] = text
	return h
}

// A rule amounts to what a command amounts to that says the same.
func TestRuleIsAsACommand(t *testing.T) {
	b := newBench(t)
	for _, pair := range [][2]hook{
		{rule("block", "no {}\n"), sh(`printf '%s' '{"decision":"block","reason":"no {}\n"}'`)},
		{rule("inject", "remember"), sh(`echo remember`)},
		{rule("inject", `{"decision":"block"}`),
			sh(`printf '%s' '{"hookSpecificOutput":{"additionalContext":"{\"decision\":\"block\"}"}}'`)},
	} {
		for _, c := range []dialect.Call{b.pre(), b.post(),
			{Event: protocol.PreExecute, Workspace: b.Dir, Prompt: "p"}} {
			for _, others := range [][]hook{nil, {sh("echo first")}, {sh("exit 2")},
				{rule("inject", "one"), rule("block", "two")}} {
				outcome := func(h hook) string {
					hooks := append(append([]hook{}, others...), h, sh("echo last"))
					for i := range hooks { // so that names are the same in both
						copied := hook{"name": fmt.Sprint("h", i)}
						for k, v := range hooks[i] {
							if k != "name" {
								copied[k] = v
							}
						}
						hooks[i] = copied
					}
					o, err := b.runner(engine.Options{}, hooks...).Fire(context.Background(), c)
					require.NoError(t, err)
					o.Duration = 0
					for i := range o.Hooks {
						r := &o.Hooks[i]
						*r = protocol.Report{Name: r.Name, Source: r.Source, Status: r.Status, Cause: r.Cause}
					}
					line, err := form.JSON(o.Outcome)
					require.NoError(t, err)
					return string(line)
				}
				require.Equal(t, outcome(pair[1]), outcome(pair[0]))
			}
		}
	}
}

func TestRules(t *testing.T) {
	t.Run("report", func(t *testing.T) {
		b := newBench(t)
		o := b.fire(rule("block", "no", hook{"if": "shell(l*)"}))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, "no", o.Reason)
		require.Equal(t, protocol.CausePolicy, o.Cause)
		require.Equal(t, "h", o.Hook)
		require.Len(t, o.Hooks, 1)
		require.Nil(t, o.Hooks[0].ExitCode, "nothing ran")
		require.Zero(t, o.Hooks[0].Limit)
	})
	t.Run("what does not match is not in the outcome", func(t *testing.T) {
		b := newBench(t)
		o := b.fire(rule("block", "no", hook{"if": "shell(rm *)"}),
			rule("block", "no", hook{"when": []any{hook{"path": "args.command", "equals": "rm"}}}))
		require.Equal(t, protocol.Continue, o.Decision)
		require.Empty(t, o.Hooks)
	})
	t.Run("both must hold", func(t *testing.T) {
		b := newBench(t)
		narrow := func(rule, path string) hook {
			return hook{"if": rule, "when": []any{hook{"path": path, "exists": true}}}
		}
		require.Equal(t, protocol.Continue, b.fire(rule("block", "no", narrow("shell(ls)", "args.x"))).Decision)
		require.Equal(t, protocol.Continue, b.fire(rule("block", "no", narrow("shell(rm)", "args.command"))).Decision)
		require.Equal(t, protocol.Block, b.fire(rule("block", "no", narrow("shell(ls)", "args.command"))).Decision)
	})
	t.Run("a line that cannot be taken apart is blocked", func(t *testing.T) {
		b := newBench(t)
		c := b.pre()
		c.Args = `{"command":"$(echo rm) x"}`
		o, err := b.runner(engine.Options{}, rule("block", "no", hook{"if": "shell(rm *)"})).Fire(context.Background(),
			c)
		require.NoError(t, err)
		require.Equal(t, protocol.Block, o.Decision)
	})
	t.Run("a rule sees what a hook before it rewrote", func(t *testing.T) {
		b := newBench(t)
		rewrite := sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"rm x"}}}'`)
		o := b.fire(rewrite, rule("block", "no", hook{"if": "shell(rm *)"}))
		require.Equal(t, protocol.Block, o.Decision)
		o = b.fire(rule("block", "no", hook{"if": "shell(rm *)"}), rewrite)
		require.Equal(t, protocol.Continue, o.Decision)
	})
	t.Run("what a hook before it mended is not blocked for what it was", func(t *testing.T) {
		b := newBench(t)
		rewrite := sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"echo safe"}}}'`)
		for _, narrow := range []hook{{"if": "shell(ls)"},
			{"when": []any{hook{"path": "args.command", "equals": "ls"}}}} {
			o := b.fire(rewrite, rule("block", "no", narrow), rule("block", "safe", hook{"if": "shell(echo *)"}))
			require.Equal(t, "safe", o.Reason, narrow)
			require.Len(t, o.Hooks, 2)
		}
	})
	t.Run("a command that is narrowed is not started", func(t *testing.T) {
		b := newBench(t)
		b.fire(sh("echo >ran", hook{"when": []any{hook{"path": "args.command", "matches": "^rm"}}}),
			sh("echo >ran", hook{"if": "shell(rm *)"}))
		require.NoFileExists(t, b.Path("ran"))
		b.fire(sh("echo >ran", hook{"when": []any{hook{"path": "args.command", "matches": "^ls"}}, "if": "shell(ls)"}))
		require.FileExists(t, b.Path("ran"))
	})
	t.Run("a runner that stays", func(t *testing.T) {
		b := newBench(t)
		r := b.stays(engine.Options{}, b.config(rule("block", "no", hook{"if": "shell(ls)"})))
		for range 3 {
			require.Equal(t, "no", b.must(r, b.pre()).Reason)
		}
	})
}

// A call whose arguments somebody looked at before may be given to many Fires at once: each has a copy of it.
func TestCopiesOfACallAreApart(t *testing.T) {
	b := newBench(t)
	r := b.runner(engine.Options{}, rule("block", "no",
		hook{"when": []any{hook{"path": "args.command", "matches": "^l"}}}))
	c := b.pre()
	_, _, err := c.Input()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if o, err := r.Fire(context.Background(), c); err != nil || o.Reason != "no" {
				t.Errorf("%v %v", o, err)
			}
		})
	}
	all.Wait()
}

// A plan must know of every hook that Fire runs.
func TestPlanAndFireAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg, err := parts.All().Parse("f",
		[]byte(`{"hooks":[{"name":"a","block":"no","events":["post-tool"],"when":[{"path":"cwd","matches":"^/"},`+
			`{"path":"result","matches":"x"}]}]}`))
	require.NoError(t, err)
	r := newRunner(t, cfg, engine.Options{})
	c := dialect.Call{Event: protocol.PostTool, Tool: "shell", Workspace: ".", Result: "x"}
	require.False(t, newPlan(t, r, c).Empty())
	require.Equal(t, []string{"a"}, selected(newPlan(t, r, c)))
	c.Result = ""
	require.True(t, newPlan(t, r, c).Empty())
	require.True(t, newPlan(t, r, c).HasHooks(), "the result may still come")
	c.Event = protocol.PreTool
	require.False(t, newPlan(t, r, c).HasHooks())
}

// manyRules are a file of rules that all look at the call and do not match, but for the last.
func manyRules(tb testing.TB, n int) *hookfile.Config {
	hooks := make([]hook, n)
	for i := range hooks {
		h := hook{"name": fmt.Sprint("r", i), "block": "no", "events": []string{"pre-tool"}}
		switch i % 4 {
		case 0:
			h["if"] = fmt.Sprintf("shell(tool%d *)", i)
		case 1:
			h["when"] = []any{hook{"path": "args.command", "matches": fmt.Sprintf(`\btool%d\b`, i)}}
		case 2:
			h["when"] = []any{hook{"path": "args.command", "equals": fmt.Sprintf("tool%d", i)}}
		case 3:
			h["matcher"], h["when"] = "shell|fs_*", []any{hook{"path": fmt.Sprintf("args.key%d", i), "exists": true}}
		}
		hooks[i] = h
	}
	hooks[n-1] = hook{"name": "last", "block": "no", "events": []string{"pre-tool"}}
	var all *hookfile.Config // a file has at most 1 MiB
	for part := range (n + 4999) / 5000 {
		doc, err := json.Marshal(map[string]any{"hooks": hooks[part*5000 : min(n, part*5000+5000)]})
		require.NoError(tb, err)
		cfg, err := parts.All().Parse(fmt.Sprint("f", part), doc)
		require.NoError(tb, err)
		if all == nil {
			all = cfg
		} else {
			all.Add(cfg)
		}
	}
	return all
}

// BenchmarkRules is a call that a number of rules look at. The goals are 10 ms for 10,000 of them, and 5 µs for one.
func BenchmarkRules(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRunner(b, manyRules(b, n), engine.Options{})
			c := dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell",
				Args: `{"command":"git commit -m 'x' && make test","description":"` + strings.Repeat("words ", 20) +
					`"}`}
			for b.Loop() {
				if o, err := r.Fire(context.Background(), c); err != nil || o.Decision != protocol.Block {
					b.Fatal(o, err)
				}
			}
		})
	}
}

// What runs, and whether anything does, is known of a client's tool by the project's name, too.
func TestToolNamesOfClients(t *testing.T) {
	b := newBench(t)
	for _, matcher := range []string{"shell", "Bash", "fs_*"} {
		r := b.runner(engine.Options{}, sh("exit 2", hook{"matcher": matcher}))
		c, _, err := clients.All().ParseInput(
			`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
		require.NoError(t, err)
		c.Workspace = b.Dir
		runs := matcher != "fs_*"
		plan := newPlan(t, r, c)
		require.Equal(t, runs, !plan.Empty(), matcher)
		require.Equal(t, runs, plan.HasHooks(), matcher)
		require.Equal(t, runs, len(selected(plan)) == 1, matcher)
		o, err := r.Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, runs, o.Decision == protocol.Block, matcher)
	}
}

// An event for one kind of tool is that of such tools of every client, and of a loop's own.
func TestEventsForOneKindOfTool(t *testing.T) {
	b := newBench(t)
	const hooks = `{"version":1,"hooks":{
		"beforeShellExecution":[{"command":"grep -q beforeShellExecution && echo '{\"permission\":\"deny\"}'"}],
		"beforeMCPExecution":[{"command":"echo '{\"permission\":\"ask\"}'"}],
		"afterFileEdit":[{"command":"cat >after"}]}}`
	cfg, err := parts.All().Parse(filepath.Join(b.Dir, ".cursor/hooks.json"), []byte(hooks))
	require.NoError(t, err)
	r := newRunner(b, cfg, engine.Options{})
	defer r.Close()
	for tool, want := range map[string]protocol.Decision{
		"Bash": protocol.Block, "run_shell_command": protocol.Block, "shell": protocol.Block, "Shell": protocol.Block,
		"mcp__a__b": protocol.Ask, "Edit": protocol.Continue, "other": protocol.Continue,
	} {
		o, err := r.Fire(context.Background(), dialect.Call{Event: protocol.PreTool, Tool: tool, Workspace: b.Dir,
			Args: `{"command":"ls"}`})
		require.NoError(t, err)
		require.Equal(t, want, o.Decision, "%s: %+v", tool, o)
		require.Equal(t, protocol.PreTool, o.Event)
		require.Equal(t, want == protocol.Continue, len(o.Hooks) == 0, tool)
	}
	_, err = r.Fire(context.Background(), dialect.Call{Event: protocol.PostTool, Tool: "Edit", Workspace: b.Dir,
		Args: `{"file_path":"x","old_string":"a","new_string":"b"}`})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(b.Dir, "after"))
}

// What is odd about a call is said whether or not any hook runs at it, once.
func TestOddCallsAreWarnedOf(t *testing.T) {
	b := newBench(t)
	cfg, err := parts.All().Parse("f",
		[]byte(`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"matcher":"shell"},{"name":"b",`+
			`"command":"true","events":["pre-tool"],"matcher":"other"},{"name":"c","block":"no",`+
			`"events":["pre-tool"],"matcher":"ship"}]}`))
	require.NoError(t, err)
	r := newRunner(b, cfg, engine.Options{})
	defer r.Close()
	const equal = `arguments of tool "%s": the key "a" is there twice in one object; hooks were given the last`
	for tool, want := range map[string][]string{
		"free":  {fmt.Sprintf(equal, "free")},
		"other": {fmt.Sprintf(equal, "other")},
		"shell": {fmt.Sprintf(equal, "shell")},
		"SHELL": {fmt.Sprintf(equal, "SHELL")}, // nearly a client's
		"SHIP": {fmt.Sprintf(equal, "SHIP"),
			`hook "c": its matcher "ship" does not match the tool "SHIP", which differs only in case or blanks`},
	} {
		c := dialect.Call{Event: protocol.PreTool, Tool: tool, Workspace: b.Dir, Args: `{"a":1,"a":1}`}
		o, err := r.Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, want, o.Warnings, tool)
		plan := newPlan(t, r, c)
		require.Equal(t, tool != "other", plan.NeedsNoProcess(), "only the hook of other has to be run")
		require.Equal(t, want, plan.Warnings(), tool)
		if o, err = plan.Fire(context.Background()); plan.NeedsNoProcess() {
			require.NoError(t, err)
			require.Equal(t, want, o.Warnings, tool)
		}
	}
	o, err := newRunner(b, nil, engine.Options{}).Fire(context.Background(),
		dialect.Call{Event: protocol.PostTool, Tool: " x", Workspace: b.Dir})
	require.NoError(t, err)
	require.Len(t, o.Warnings, 1)
	require.Contains(t, o.Warnings[0], "has blanks around it")
}
