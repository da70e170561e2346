//go:build unix

package examples

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

func TestMassGenConfigs(t *testing.T) {
	t.Parallel()
	example := func(t *testing.T, name string) *massgenRows {
		text, err := os.ReadFile(filepath.Join("testdata", "massgen", "rows", name))
		require.NoError(t, err)
		return massgenProject(t, string(text))
	}
	explained := func(p *massgenRows, event, tool, agent string) (runs []string) {
		args := []string{"explain", event, "--tool", tool, "-o", "json"}
		if agent != "" {
			args = append(args, "--agent-id", agent)
		}
		done := p.run(args...)
		require.Equal(p, 0, done.Code, done.Stderr)
		var e struct {
			Hooks []struct {
				Name, Dialect string
				WouldRun      bool `json:"would_run"`
			}
		}
		require.NoError(p, json.Unmarshal([]byte(done.Stdout), &e))
		for _, h := range e.Hooks {
			require.Equal(p, "massgen", h.Dialect)
			if h.WouldRun {
				runs = append(runs, h.Name)
			}
		}
		return runs
	}
	t.Run("M43 M44 M45 the guide's scopes", func(t *testing.T) {
		p := example(t, "guide_scopes.yaml")
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools"}, explained(p, "pre-tool", "Write", ""))
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools", "python_massgen.hooks.validate_writes"},
			explained(p, "pre-tool", "Write", "agent1"))
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools"}, explained(p, "pre-tool", "Read", "agent1"))
		require.Equal(t, []string{"python_massgen.hooks.log_outputs"}, explained(p, "post-tool", "Write", "agent1"))
		require.Empty(t, explained(p, "post-tool", "Write", "agent2"))
		done := p.check()
		require.Equal(t, 0, done.Code, done.Stderr)
		p.file("massgen/hooks.py",
			"from massgen.mcp_tools.hooks import HookResult\ndef audit_all_tools(event): open('audit', "+
				"'a').write(event.tool_name)\ndef validate_writes(event): return HookResult.deny('not there')\n")
		binary.Needs(t, "python3")
		require.Equal(t, "not there", p.pre("--agent-id", "agent1").Reason)
		require.Equal(t, "continue", p.pre().Decision)
		require.Equal(t, "WriteWrite", p.read("audit"))
	})
	t.Run("M33 the guide's fail_closed", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "guide_fail_closed.yaml")
		p.file("massgen/hooks.py", "def security_check(event): raise OSError('no database')\n")
		require.Contains(t, p.pre().Reason, "OSError: no database")
		require.Empty(t, p.asked("pre-tool", "--tool", "Read").Hooks)
	})
	t.Run("M47 the list of the document on injection", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "injection.yaml")
		p.file("my_module.py",
			"async def my_hook_function(event): return {'inject': {'content': event.tool_output + '!'}}\n")
		require.Equal(t, "out!", p.post().Inject[0].Content)
		require.Empty(t, p.pre().Hooks)
		require.Empty(t, p.asked("post-tool", "--tool", "Read").Hooks)
	})
	t.Run("M34 M43 the design", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "design.yaml")
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools", "command_custom_write_hook.py"},
			explained(p, "pre-tool", "Write", "agent1"))
		require.Equal(t, []string{"command_agent1_logging.py"}, explained(p, "post-tool", "Write", "agent1"))
		done := p.check()
		require.Equal(t, 1, done.Code)
		require.Contains(t, done.Stderr,
			"hooks.yaml:15:22: hook \"command_custom_write_hook.py\": custom_write_hook.py: ")
		p.file("massgen/hooks.py", "def audit_all_tools(event): pass\n")
		p.file("custom_write_hook.py", "print('{\"decision\":\"deny\",\"reason\":\"custom\"}')\n")
		require.Equal(t, "custom", p.pre("--agent-id", "agent1").Reason)
	})
	t.Run("configs without hooks", func(t *testing.T) {
		for _, name := range []string{"guide_debug_delay.yaml", "guide_debug_config.yaml"} {
			o := example(t, name).pre("--agent-id", "agent_a")
			require.Empty(t, o.Hooks)
			require.Empty(t, o.Warnings)
		}
	})
	t.Run("a whole config", func(t *testing.T) {
		p := example(t, "whole.yaml")
		done := p.check()
		require.Contains(t, done.Stderr, `hooks.yaml:4:12: hook "command_guard.sh": guard.sh: `)
		require.NotContains(t, done.Stderr, "unknown")
		require.Equal(t, []string{"command_guard.sh", "python_checks.paths"},
			explained(p, "pre-tool", "mcp__filesystem__write_file", "writer"))
		require.Equal(t, []string{"python_checks.reviewer"},
			explained(p, "pre-tool", "mcp__filesystem__write_file", "reviewer"))
	})
	t.Run("M46 a stray override", func(t *testing.T) {
		o := massgenProject(t, "hooks: {override: true, PreToolUse: ["+saying("{}")+"]}\n").pre()
		require.Equal(t, []string{"ok"}, o.statuses())
		require.Empty(t, o.Warnings)
	})
	t.Run("M48 names", func(t *testing.T) {
		o := massgenProject(t, beforeTool("{handler: nope.f}", "{type: command, handler: nope}")).asked("pre-tool",
			"--tool", "Write", "--on-failure", "continue")
		require.Equal(t, []string{"python_nope.f", "command_nope"}, []string{o.Hooks[0].Name, o.Hooks[1].Name})
	})
	t.Run("M49 a hook without a handler runs nothing", func(t *testing.T) {
		p := massgenProject(t, "hooks:\n  PreToolUse:\n  - "+entry("touch ran")+"\n  - matcher: Write\n")
		for _, done := range []binary.Result{p.run("pre-tool", "--tool", "Write"), p.check()} {
			require.Equal(t, 1, done.Code)
			require.Contains(t, done.Stderr,
				`hooks.yaml:4:5: hooks.PreToolUse[1] has no "handler", so it would run nothing`)
		}
		require.False(t, binary.Exists(p.dir, "ran"))
	})
	t.Run("M50 an unknown event", func(t *testing.T) {
		o := massgenProject(t, "hooks:\n  PreTolUse: []\n").pre()
		require.Len(t, o.Warnings, 1)
		require.Contains(t, o.Warnings[0],
			`:2:3: hooks.PreTolUse is no event that is known, so its hooks never run; did you mean "PreToolUse"?`)
	})
	t.Run("M51 faults", func(t *testing.T) {
		p := massgenProject(t, "hooks:\n  PreToolUse:\n  - handler: m.f\n    timeout: 30s\n    fail_closed: yes\n")
		done := p.check("-o", "json")
		require.Equal(t, 1, done.Code)
		var checked struct {
			OK    bool
			Files []struct {
				Errors []struct {
					Line, Column int
					Message      string
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(done.Stdout), &checked))
		require.False(t, checked.OK)
		require.Len(t, checked.Files, 1)
		require.Len(t, checked.Files[0].Errors, 2)
		require.Equal(t, `hooks.PreToolUse[0].timeout must be a number of seconds, not "30s"`,
			checked.Files[0].Errors[0].Message)
		require.Equal(t, []int{4, 14}, []int{checked.Files[0].Errors[0].Line, checked.Files[0].Errors[0].Column})
		require.Equal(t, `hooks.PreToolUse[0].fail_closed must be true or false, not "yes"`,
			checked.Files[0].Errors[1].Message)
	})
}

func TestMassGenFlow(t *testing.T) {
	config := globally(
		yamlEvent("PreToolUse",
			entry(`case "$(cat)" in *secret*) echo '{"decision":"deny","reason":"no secrets"}';; *rename*) echo `+
				`'{"updated_input":{"p":"renamed"}}';; *) echo '{}';; esac`)),
		yamlEvent("PostToolUse", entry(`echo post >>log; echo '{"inject":{"content":"after"}}'`)))
	t.Run("M64 around a tool", func(t *testing.T) {
		for _, test := range []struct {
			name, args, got, result string
			fails, ran, isError     bool
			post                    bool
		}{
			{name: "a tool that succeeds", args: `{"p":"x"}`, got: `{"p":"x"}`, result: "done\n\nafter", ran: true,
				post: true},
			{name: "new arguments", args: `{"p":"rename"}`, got: `{"p":"renamed"}`, result: "done\n\nafter", ran: true,
				post: true},
			{name: "a tool that fails", args: `{"p":"x"}`, got: `{"p":"x"}`, result: "it failed", ran: true,
				fails: true, isError: true},
			{name: "a call that is denied", args: `{"p":"secret"}`, result: "no secrets"},
		} {
			t.Run(test.name, func(t *testing.T) {
				p := massgenProject(t, config)
				named := projecthooks.LoadOptions{Files: []string{filepath.Join(p.dir, "hooks.yaml")}}
				cfg, err := projecthooks.Load(p.dir, named)
				require.NoError(t, err)
				r, err := runner.New(cfg, runner.Options{})
				require.NoError(t, err)
				defer r.Close()
				got := ""
				result, err := r.Tool(context.Background(),
					protocol.Call{Workspace: p.dir, Tool: "Write", Args: test.args},
					func(_ context.Context, args string) runner.Output {
						if got = args; test.fails {
							return runner.Output{Err: errors.New("it failed")}
						}
						return runner.Output{Text: "done"}
					})
				require.NoError(t, err)
				require.Equal(t, test.got, got)
				require.Equal(t, test.result, result.Text)
				require.Equal(t, test.ran, result.Ran)
				require.Equal(t, test.isError, result.Output.Err != nil)
				require.Equal(t, test.post, binary.Exists(p.dir, "log"),
					"post hooks are for tools that ran and did not fail")
			})
		}
	})
	t.Run("M64 the commands", func(t *testing.T) {
		p := massgenProject(t, config)
		done := p.run("pre-tool", "--tool", "Write", "--args", `{"p":"secret"}`)
		require.Equal(t, binary.Result{Code: 2, Stderr: "no secrets\n"}, done)
		require.Empty(t, p.asked("post-tool", "--tool", "Write", "--result", "bad", "--failed").Hooks)
		require.False(t, binary.Exists(p.dir, "log"))
		require.Equal(t, "after", p.post().Inject[0].Content)
		done = p.run("pre-tool", "--tool", "Write", "--args", `{"p":"rename"}`)
		require.Equal(t, 2, done.Code, "text output cannot carry new arguments")
		require.Contains(t, done.Stderr, "changed the tool's input, and text output cannot carry that")
	})
}
