//go:build unix

package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// wiredPre is what runs before a Bash call, in the order of the document.
var wiredPre = []string{"schema", "workspace", "disallowed", "bash-env", "bash-deps", "bash-composio",
	"bash-playwright", "bash-skill-hint", "ledger"}

// would are the hooks that would run.
func (r *guardRoom) would(flags ...string) (names []string) {
	r.Helper()
	done := binary.Run(r.T, r.dir, "", r.env, append([]string{binary.Path, "explain", "-o", "json"}, flags...)...)
	require.Equal(r, 0, done.Code, done.Stderr)
	var plan struct {
		Hooks []struct {
			Name, Command string
			WouldRun      bool `json:"would_run"`
		}
	}
	require.NoError(r, json.Unmarshal([]byte(done.Stdout), &plan), done.Stdout)
	for _, h := range plan.Hooks {
		if h.WouldRun {
			names = append(names, h.Name)
		}
	}
	return names
}

func TestGuardsAreWired(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	r := newGuardRoom(t)
	settings := filepath.Join(".hooks", "claude-settings.json")
	t.Run("U01 the events", func(t *testing.T) {
		t.Parallel()
		text, err := os.ReadFile(filepath.Join(r.dir, settings))
		require.NoError(t, err)
		var file struct{ Hooks map[string][]any }
		require.NoError(t, json.Unmarshal(text, &file))
		// AgentStop is Stop in Claude Code, which has an event of its own for a tool that failed.
		require.ElementsMatch(t, []string{"Stop", "SubagentStop", "PreToolUse", "PreCompact", "PostToolUse",
			"PostToolUseFailure", "UserPromptSubmit"}, slices.Collect(maps.Keys(file.Hooks)))
	})
	t.Run("all files pass the check", func(t *testing.T) {
		t.Parallel()
		for _, f := range []string{".hooks/tenex-hooks.json", ".hooks/tenex-rules.json", settings} {
			done := binary.Run(t, r.dir, "", r.env, binary.Path, "check", f)
			require.Equal(t, 0, done.Code, done.Stderr)
			require.Regexp(t, `^\S+: \d+ hooks, nothing wrong\n$`, done.Stdout)
		}
	})
	t.Run("U02 the order before a tool", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, wiredPre, r.would("pre-tool", "--tool", "Bash"))
		require.Equal(t, []string{"schema", "workspace", "disallowed", "task-skills", "ledger"},
			r.would("pre-tool", "--tool", "Task"))
		require.Equal(t, []string{"schema", "workspace", "disallowed", "ledger"},
			r.would("pre-tool", "--tool", "Write"))
		require.Equal(t, []string{"prompt-skills", "ledger-turn"}, r.would("pre-execute"))
	})
	t.Run("U03 the order after a tool", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{"ledger-completion", "validation-hints"}, r.would("post-tool", "--tool", "Bash"))
		require.Equal(t, []string{"ledger-completion", "validation-hints", "task-guidance"},
			r.would("post-tool", "--tool", "Task"))
	})
	t.Run("U02 U03 the same in Claude Code's settings", func(t *testing.T) {
		t.Parallel()
		var wired, settled [2][]string
		for _, h := range binary.HooksOf(t, filepath.Join(r.dir, ".hooks", "tenex-hooks.json")) {
			at := slices.Index([]string{"pre-tool", "post-tool"}, h["events"].([]any)[0].(string))
			if at >= 0 {
				wired[at] = append(wired[at], filepath.Base(h["command"].([]any)[2].(string)))
			}
		}
		text, err := os.ReadFile(filepath.Join(r.dir, settings))
		require.NoError(t, err)
		var file struct {
			Hooks map[string][]struct {
				Hooks []struct{ Args []string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &file))
		for i, event := range []string{"PreToolUse", "PostToolUse"} {
			for _, group := range file.Hooks[event] {
				for _, h := range group.Hooks {
					settled[i] = append(settled[i], filepath.Base(h.Args[1]))
				}
			}
		}
		require.Equal(t, wired, settled)
	})
	t.Run("U04 what a guard gets", func(t *testing.T) {
		t.Parallel()
		own := newGuardRoom(t, "schema")
		binary.WriteFile(t, own.dir, ".tenex-hooks.json",
			`{"hooks":[{"name":"keep","command":"cat >\"$HOOKRUN_EVENT\"","events":["pre-tool","post-tool"]}]}`)
		flags := []string{"--tool", "Write", "--args", `{"file_path":"a"}`, "--session-id", "s1", "--tool-use-id",
			"t1", "--transcript-path", "/t.jsonl"}
		require.Equal(t, 0, binary.Run(t, own.dir, "", own.env,
			append([]string{binary.Path, "pre-tool"}, flags...)...).Code)
		require.Equal(t, 0, binary.Run(t, own.dir, "", own.env,
			append([]string{binary.Path, "post-tool", "--result", "done"}, flags...)...).Code)
		for event, more := range map[string]binary.Object{"pre-tool": {"hook_event_name": "PreToolUse"},
			"post-tool": {"hook_event_name": "PostToolUse", "tool_response": "done"}} {
			text, err := os.ReadFile(filepath.Join(own.dir, event))
			require.NoError(t, err)
			var call binary.Object
			require.NoError(t, json.Unmarshal(text, &call))
			want := binary.Object{"tool_name": "Write", "tool_input": binary.Object{"file_path": "a"},
				"tool_use_id": "t1", "session_id": "s1", "transcript_path": "/t.jsonl"}
			maps.Copy(want, more)
			for key, value := range want {
				require.Equal(t, value, call[key], "%s %s", event, key)
			}
		}
		// The names that the row has for a result, and for a failure, which hookrun and Claude Code do not send.
		script := `
import sys
sys.path.insert(0, ".hooks")
from guards import failed, result
for key in ("tool_response", "tool_result", "tool_output", "result", "error"):
    assert result({key: "x"}) == "x", key
assert result({"tool_response": None, "tool_result": ""}) == "" and result({}) is None
for call in ({"is_error": True}, {"hook_event_name": "PostToolUseFailure"}, {"tool_response": {"is_error": True}}, {"tool_result": {"error": "x"}}):
    assert failed(call), call
for call in ({}, {"tool_response": "error"}, {"is_error": False, "tool_response": {"error": None}}, {"tool_response": ["error"]}):
    assert not failed(call), call
`
		require.Equal(t, binary.Result{}, binary.Run(t, own.dir, "", own.env, "python3", "-B", "-c", script))
	})
	t.Run("U05 no opinion", func(t *testing.T) {
		t.Parallel()
		for _, guard := range []string{"schema", "workspace", "disallowed"} {
			require.Equal(t, binary.Result{Stdout: "{}\n"},
				binary.Run(t, r.dir, r.claudeCall("Bash", binary.Object{"command": "ls"}), r.env, "python3", "-B",
					".hooks/"+guard+".py"))
		}
	})
	t.Run("U06 the form of a block", func(t *testing.T) {
		t.Parallel()
		done := binary.Run(t, r.dir, r.claudeCall("WebSearch", binary.Object{}), r.env, "python3", "-B",
			".hooks/disallowed.py")
		reason := "Tool 'WebSearch' is disallowed for Primary Agent. Delegate with the Task tool, to " +
			"research-specialist for instance."
		require.JSONEq(t, binary.JSON(t, binary.Object{"decision": "block", "reason": reason,
			"systemMessage": "WebSearch is not available for the Primary Agent. Delegate with the Task tool, to " +
				"research-specialist for instance.",
			"hookSpecificOutput": binary.Object{"hookEventName": "PreToolUse", "permissionDecision": "deny",
				"permissionDecisionReason": reason}}), done.Stdout)
		// Either marker alone is a block.
		own := newGuardRoom(t, "schema")
		for _, marker := range []string{`{"decision":"block","reason":"no"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"no"}}`} {
			binary.WriteFile(t, own.dir, ".tenex-hooks.json",
				binary.JSON(t, binary.Object{"hooks": []binary.Object{{"name": "one",
					"command": "echo '" + marker + "'", "events": []string{"pre-tool"}}}}))
			require.Equal(t, binary.Result{Code: 2, Stderr: "no\n"},
				binary.Run(t, own.dir, "", own.env, binary.Path, "pre-tool", "--tool", "x"), marker)
		}
		// At an event that does not know a deny there is none.
		require.Equal(t, binary.Result{Stdout: `{"decision": "block", "reason": "no"}` + "\n"},
			binary.Run(t, r.dir, `{"hook_event_name":"Stop"}`, r.env, "python3", "-B", "-c",
				"import sys; sys.path.insert(0, '.hooks'); from guards import *; serve(lambda call: block(call, "+
					"'no'))"))
	})
	t.Run("U07 the form of a rewrite", func(t *testing.T) {
		t.Parallel()
		done := binary.Run(t, r.dir, r.claudeCall("Edit", binary.Object{"path": "a", "n": 1}), r.env, "python3", "-B",
			".hooks/workspace.py")
		require.JSONEq(t,
			binary.JSON(t, binary.Object{"hookSpecificOutput": binary.Object{"hookEventName": "PreToolUse",
				"updatedInput": binary.Object{"path": filepath.Join(r.dir, "a"), "n": 1}}}), done.Stdout)
		through := binary.Run(t, r.dir, r.claudeCall("Edit", binary.Object{"path": "a", "n": 1}), r.env, binary.Path,
			"fire", "-c", settings)
		require.Equal(t, 0, through.Code, through.Stderr)
		var a guardAnswer
		require.NoError(t, json.Unmarshal([]byte(through.Stdout), &a), through.Stdout)
		require.JSONEq(t, binary.JSON(t, binary.Object{"path": filepath.Join(r.dir, "a"), "n": 1}),
			string(a.HookSpecificOutput.UpdatedInput))
		require.Empty(t, a.HookSpecificOutput.PermissionDecision, "a rewrite approves nothing")
	})
	t.Run("U08 a message is no block", func(t *testing.T) {
		t.Parallel()
		o := newGuardRoom(t, "bash_deps").pre("Bash", binary.Object{"command": "pip install x"})
		require.Equal(t, "continue", o.Decision)
		require.NotEmpty(t, o.SystemMessages)
		require.Equal(t, binary.Result{Stdout: `{"systemMessage": "careful"}` + "\n"},
			binary.Run(t, r.dir, `{}`, r.env, "python3", "-B", "-c",
				"import sys; sys.path.insert(0, '.hooks'); from guards import *; serve(lambda call: hint('careful'))"))
	})
	t.Run("U02 U09 the chain", func(t *testing.T) {
		t.Parallel()
		// Whoever comes last sees what the guards before it made of the call, and nothing of one that is blocked.
		own := newGuardRoom(t)
		hooks := append(binary.HooksOf(t, filepath.Join(own.dir, ".tenex-hooks.json")),
			binary.Object{"name": "event", "command": "cat >>events", "events": []string{"pre-tool"}})
		binary.WriteFile(t, own.dir, ".tenex-hooks.json", binary.JSON(t, binary.Object{"hooks": hooks}))
		server := own.serve()
		events := func() string {
			text, _ := os.ReadFile(filepath.Join(own.dir, "events"))
			return string(text)
		}
		for _, c := range []struct {
			tool string
			args binary.Object
			hook string
			ran  int
		}{
			{"Write", binary.Object{"file_path": "a"}, "schema", 1},
			{"Edit", binary.Object{"file_path": "../a"}, "workspace", 2},
			{"WebSearch", binary.Object{}, "disallowed", 3},
			{"Bash", binary.Object{"command": "python -c 'import composio'"}, "bash-composio", 6},
		} {
			o := server.Call("pre-tool", binary.Object{"tool": c.tool, "args": c.args})
			require.Equal(t, []any{"block", c.hook}, []any{o.Decision, o.Hook})
			require.Len(t, o.Ran(), c.ran, c.tool)
			require.Empty(t, events(), c.tool)
		}
		o := server.Call("pre-tool", binary.Object{"tool": "Bash",
			"args": binary.Object{"command": "ls", "timeout": 5}})
		require.Equal(t, "continue", o.Decision, o.Reason)
		require.Equal(t, append(slices.Clone(wiredPre), "event"), o.Ran())
		want := fmt.Sprintf("export CURRENT_SESSION_WORKSPACE=%s; export UA_ARTIFACTS_DIR=%s; ls", own.dir,
			filepath.Join(own.root, "artifacts"))
		require.JSONEq(t, binary.JSON(t, binary.Object{"command": want, "timeout": 5}), string(o.UpdatedInput))
		require.Contains(t, events(), binary.JSON(t, want))
	})
	t.Run("U10 a guard that fails", func(t *testing.T) {
		t.Parallel()
		own := newGuardRoom(t)
		own.change("schema", "tools", nil)
		binary.WriteFile(t, own.dir, ".hooks/guards.json", "{")
		for _, gate := range []string{"schema", "workspace", "disallowed", "bash_composio", "bash_playwright",
			"ledger"} {
			said := own.say(gate, own.claudeCall("Edit", binary.Object{"file_path": "a", "command": "ls"}))
			require.Equal(t, "deny", said[0].HookSpecificOutput.PermissionDecision, gate)
			require.NotEmpty(t, said[0].HookSpecificOutput.PermissionDecisionReason, gate)
		}
		require.Contains(t, own.say("schema", own.claudeCall("Edit", binary.Object{}))[0].Reason,
			"schema.py could not check this call: JSONDecodeError: ")
		o := own.pre("Edit", binary.Object{"file_path": "a"})
		require.Equal(t, []any{"block", "schema", "policy"}, []any{o.Decision, o.Hook, o.Cause})
		for _, hint := range []string{"bash_env", "bash_deps", "skill_hint"} {
			done := binary.Run(t, own.dir, own.claudeCall("Bash", binary.Object{"command": "pip install x; ls a.pdf"}),
				own.env, "python3", "-B", ".hooks/"+hint+".py")
			require.Equal(t, 0, done.Code, hint)
			require.NotContains(t, done.Stdout, "deny", hint)
			require.NotContains(t, done.Stdout, "block", hint)
		}
	})
	t.Run("U11 the parameters", func(t *testing.T) {
		t.Parallel()
		other := filepath.Join(r.root, "AGENT_RUN_WORKSPACES", "session_2")
		require.NoError(t, os.MkdirAll(other, 0o755))
		own := r.with("UA_RUN_ID=run-7", "UA_RUNTIME_DB_PATH="+filepath.Join(r.root, "own.db"),
			"CURRENT_SESSION_WORKSPACE="+other)
		own.T = t
		o := own.pre("Edit", binary.Object{"file_path": "a"})
		require.Equal(t, "continue", o.Decision, o.Reason)
		// active_workspace
		require.JSONEq(t, binary.JSON(t, binary.Object{"file_path": filepath.Join(other, "a")}), string(o.UpdatedInput))
		done := binary.Run(t, own.dir, "", own.env, "python3", "-c",
			"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('select run_id from "+
				"tool_calls').fetchall())", filepath.Join(r.root, "own.db"))
		require.Equal(t, binary.Result{Stdout: "[('run-7',)]\n"}, done) // run_id, tool_ledger, runtime_db_conn
		call := own.claudeCall("Bash", binary.Object{"command": "ls a.pdf"})
		require.Contains(t, binary.Run(t, own.dir, call, own.env, "python3", "-B", ".hooks/skill_hint.py").Stdout,
			"Skill Hint")
		// enable_skills
		require.Equal(t, binary.Result{Stdout: "{}\n"},
			binary.Run(t, own.dir, call, own.env, "python3", "-B", ".hooks/skill_hint.py", "--skills=false"))
	})
}

func TestGuardsAsRules(t *testing.T) {
	r := newGuardRoom(t)
	rules := []string{"-c", ".hooks/tenex-rules.json"}
	hooks := binary.HooksOf(t, filepath.Join(r.dir, ".hooks", "tenex-rules.json"))
	text, err := os.ReadFile(filepath.Join(r.dir, ".hooks", "guards.json"))
	require.NoError(t, err)
	var data struct {
		Disallowed struct{ Tools []string }
		Composio   []string `json:"bash_composio"`
		Deps       []string `json:"bash_deps"`
	}
	require.NoError(t, json.Unmarshal(text, &data))
	t.Run("U34 disallowed tools", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "delegate", hooks[0]["name"])
		require.Equal(t, strings.Join(data.Disallowed.Tools, "|"), hooks[0]["matcher"],
			"the rule and guards.json have one list")
		o := r.pre("WebSearch", binary.Object{}, rules...)
		require.Equal(t, []string{"block", "policy", "delegate"}, []string{o.Decision, o.Cause, o.Hook})
		require.Contains(t, o.Reason, "is disallowed for Primary Agent. Delegate with the Task tool")
		require.Equal(t, "block", r.pre("mcp__composio__COMPOSIO_REMOTE_WORKBENCH", binary.Object{}, rules...).Decision)
		other := binary.Run(t, r.dir, "", r.env,
			append([]string{binary.Path, "pre-tool", "--tool", "Websearch"}, rules...)...)
		require.Equal(t, 2, other.Code, "a loop's tool with nearly the name")
	})
	t.Run("U35 not for subagents", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "continue", r.pre("WebSearch", binary.Object{}, append(rules, "--agent-id", "a2")...).Decision)
	})
	t.Run("U48 the Composio SDK", func(t *testing.T) {
		t.Parallel()
		require.NotEmpty(t, data.Composio)
		for _, words := range data.Composio {
			for _, command := range []string{words, strings.ToUpper(words), strings.ReplaceAll(words, " ", "  ")} {
				command += " x"
				require.Equal(t, "no-composio-sdk", r.pre("Bash",
					binary.Object{"command": "python -c '" + command + "'"}, rules...).Hook, command)
			}
		}
		require.Equal(t, "continue", r.pre("Bash", binary.Object{"command": "echo composio"}, rules...).Decision)
		require.Equal(t, "no-composio-sdk", r.pre("shell",
			binary.Object{"command": []string{"python", "-c", "import composio"}}, rules...).Hook)
	})
	t.Run("U49 PDF of HTML only", func(t *testing.T) {
		t.Parallel()
		for command, want := range map[string]string{"playwright pdf a.md a.pdf": "block",
			"Playwright PDF 'a.docx'": "block", "playwright pdf a.html b.pdf": "continue",
			"playwright pdf a.md.html": "continue", "pandoc a.md a.pdf": "continue"} {
			require.Equal(t, want, r.pre("Bash", binary.Object{"command": command}, rules...).Decision, command)
		}
	})
	t.Run("U47 installations", func(t *testing.T) {
		t.Parallel()
		for _, words := range data.Deps {
			o := r.pre("Bash", binary.Object{"command": strings.ToUpper(words) + " x"}, rules...)
			require.Equal(t, "continue", o.Decision)
			require.Contains(t, strings.Join(o.Texts(), ""), "PEP 723", words)
		}
		require.Empty(t, r.pre("Bash", binary.Object{"command": "pip list"}, rules...).Texts())
	})
}

// TestGuardFiles: the README names every file, each program is short, and needs nothing but Python.
func TestGuardFiles(t *testing.T) {
	binary.Needs(t, "python3")
	readme, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "README.md"))
	require.NoError(t, err)
	wired, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "claude-settings.json"))
	require.NoError(t, err)
	files, err := os.ReadDir(binary.GuardFiles(t))
	require.NoError(t, err)
	imports := "import ast, sys; print(*sorted({n.split('.')[0] for f in sys.argv[1:] for t in " +
		"ast.walk(ast.parse(open(f).read(), feature_version=(3, 9))) " +
		"for n in ([a.name for a in t.names] if isinstance(t, ast.Import) else [t.module] if isinstance(t, " +
		"ast.ImportFrom) else [])} - set(sys.stdlib_module_names)))"
	argv := []string{"python3", "-c", imports}
	for _, f := range files {
		if f.Name() != "README.md" {
			require.Contains(t, string(readme), "`"+f.Name()+"`")
		}
		info, err := f.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o002, "everybody may write to %s", f.Name())
		text, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), f.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), "\r", f.Name())
		if filepath.Ext(f.Name()) != ".py" {
			require.Zero(t, info.Mode().Perm()&0o100, f.Name())
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		require.LessOrEqual(t, len(lines), 120, f.Name())
		program := strings.HasPrefix(lines[0], "#!")
		require.Equal(t, program, info.Mode().Perm()&0o100 != 0, "%s: a program is executable, a module is not",
			f.Name())
		if program {
			require.Equal(t, "#!/usr/bin/env python3", lines[0], f.Name())
			require.True(t, strings.HasPrefix(lines[1], "# ") && strings.HasPrefix(lines[2], "# Wire: {"), f.Name())
			require.Contains(t, string(wired)+"schema_nudge.py", f.Name(), "it is wired, or instead of another one")
		}
		argv = append(argv, f.Name())
	}
	done := binary.Run(t, binary.GuardFiles(t), "", nil, argv...)
	require.Equal(t, 0, done.Code, done.Stderr)
	for name := range strings.FieldsSeq(done.Stdout) {
		require.FileExists(t, filepath.Join(binary.GuardFiles(t), name+".py"))
	}
}

// TestGuardsReadme types what the README says, which runs the tests of guards.hooktest.json too.
func TestGuardsReadme(t *testing.T) {
	testall.Only(t, "a process for each of many guards")
	binary.Needs(t, "python3")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(binary.GuardFiles(t))))
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```console\n")
	require.True(t, found)
	console, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	var script, want strings.Builder
	for line := range strings.Lines(console) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			script.WriteString(command)
		} else {
			want.WriteString(line)
		}
	}
	path := "PATH=" + strings.Join([]string{filepath.Dir(binary.Path), binary.Python(t), os.Getenv("PATH")}, ":")
	done := binary.Run(t, dir, script.String(), []string{path}, "sh", "-c", "exec sh 2>&1")
	require.Equal(t, want.String(), done.Stdout)
}
