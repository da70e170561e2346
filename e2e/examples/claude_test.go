//go:build unix

package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// claudeExamples is the folder of the examples around one guard for Claude Code.
func claudeExamples(t *testing.T) string {
	return filepath.Join(binary.Repository(t), "scripts", "examples", "claude")
}

// guarded makes a project of some of those examples. They are wired as the README beside them says, given as from → to.
func guarded(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		from, to, _ := strings.Cut(f, " → ")
		text, err := os.ReadFile(filepath.Join(claudeExamples(t), from))
		require.NoError(t, err)
		binary.WriteFile(t, dir, to, string(text))
	}
	return dir
}

const theGuard = "protect-files.py → .claude/hooks/protect-files.py"

// asClient runs a command as Claude Code does: by sh -c, with the hook input on stdin and the binary under test in
// PATH. The home directory is not the tester's, whose own settings would count.
func asClient(t *testing.T, dir, command string, input map[string]any) binary.Result {
	t.Helper()
	full := map[string]any{"session_id": "s1", "transcript_path": "/t.jsonl", "cwd": dir, "permission_mode": "default"}
	for key, value := range input {
		full[key] = value
	}
	env := []string{"CLAUDE_PROJECT_DIR=" + dir, "HOME=/nonexistent",
		"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH")}
	return binary.Run(t, dir, binary.JSON(t, full)+"\n", env, "sh", "-c", command)
}

// answered is asClient for a command that answers in JSON, which must be all that it prints.
func answered(t *testing.T, dir, command string, input map[string]any) (a binary.Answer) {
	t.Helper()
	done := asClient(t, dir, command, input)
	require.Equal(t, 0, done.Code, done.Stderr)
	require.NoError(t, json.Unmarshal([]byte(done.Stdout), &a), done.Stdout)
	return a
}

func preTool(tool string, args map[string]any) map[string]any {
	return map[string]any{"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args, "tool_use_id": "t1"}
}

func TestClaudeExampleGuard(t *testing.T) {
	binary.Needs(t, "python3")
	settings := guarded(t, theGuard, "settings.json → .claude/settings.json")
	list := guarded(t, theGuard, "tenex-hooks.json → .tenex-hooks.json")

	for i, test := range []struct {
		name, tool string
		args       map[string]any
		why        string // of the deny; "" lets pass
	}{
		{"write .env", "Write", map[string]any{"file_path": ".env", "content": "x"}, ".env contains secrets"},
		{"write .env of an environment", "Edit", map[string]any{"file_path": "/p/web/.env.production"},
			".env.production contains secrets"},
		{"write into .git", "Write", map[string]any{"file_path": "/p/.git/hooks/pre-commit"}, "belongs to git"},
		{"write a lock file", "MultiEdit", map[string]any{"file_path": "web/package-lock.json"},
			"written by the package manager"},
		{"write a notebook named as a lock", "NotebookEdit", map[string]any{"notebook_path": "poetry.lock"},
			"written by the package manager"},
		{"read .env", "Read", map[string]any{"file_path": ".env"}, ".env contains secrets"},
		{"read .env elsewhere", "Read", map[string]any{"file_path": "/elsewhere/.env"}, "contains secrets"},
		{"cat .env", "Bash", map[string]any{"command": "ls; cat .env"}, "Do not touch .env in the shell."},
		{"redirect from .env", "Bash", map[string]any{"command": "wc -l <src/.env"}, "Do not touch src/.env"},
		{"no path", "Write", map[string]any{}, "could not be checked"},
		{"a path that is no text", "Write", map[string]any{"file_path": 7}, "could not be checked"},

		{"write a source file", "Write", map[string]any{"file_path": "main.py"}, ""},
		{"write a sample", "Write", map[string]any{"file_path": ".env.example"}, ""},
		{"write .gitignore", "Edit", map[string]any{"file_path": ".gitignore"}, ""},
		{"read a lock file", "Read", map[string]any{"file_path": "go.sum"}, ""},
		{"read in .git", "Read", map[string]any{"file_path": ".git/HEAD"}, ""},
		{"git push", "Bash", map[string]any{"command": "git push"}, ""},
		{"another tool", "Glob", map[string]any{"pattern": ".env"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if i%5 != 0 {
				testall.Only(t, "most rows are alike")
			}
			t.Parallel()
			input, args := preTool(test.tool, test.args), binary.JSON(t, test.args)
			want := "block"
			if test.why == "" {
				want = "continue"
			}
			for way, r := range map[string]binary.Outcome{
				"settings.json by pre-tool": binary.Ask(t, settings, args, "pre-tool", "-c",
					".claude/settings.json", "--tool", test.tool, "--args", "-"),
				"tenex-hooks.json by pre-tool": binary.Ask(t, list, args, "pre-tool", "--tool", test.tool, "--args",
					"-"),
			} {
				require.Equal(t, want, r.Decision, "%s: %s", way, r.Reason)
				require.Contains(t, r.Reason, test.why, way)
				require.Empty(t, r.Warnings, way)
				require.Empty(t, r.Inject, way)
			}
			for way, a := range map[string]binary.Answer{
				"settings.json by fire":    answered(t, settings, "hookrun fire -c .claude/settings.json", input),
				"tenex-hooks.json by fire": answered(t, list, "hookrun fire", input),
			} {
				require.Equal(t, want == "block", a.Specific.Permission == "deny", way)
				require.Contains(t, a.Specific.Why, test.why, way)
			}
		})
	}

	t.Run("blocks where it is missing", func(t *testing.T) {
		t.Parallel()
		args := `{"file_path":"main.py"}`
		for _, dir := range []string{guarded(t, "settings.json → .tenex-hooks.json"),
			guarded(t, "tenex-hooks.json → .tenex-hooks.json")} {
			r := binary.Ask(t, dir, args, "pre-tool", "--tool", "Write", "--args", "-")
			require.Equal(t, "block", r.Decision)
			require.Contains(t, r.Reason, "protect-files.py")
		}
	})
	t.Run("blocks without python3", func(t *testing.T) {
		t.Parallel()
		for dir, config := range map[string]string{settings: ".claude/settings.json", list: ".tenex-hooks.json"} {
			done := binary.Run(t, dir, `{"file_path":"main.py"}`, []string{"PATH=/nonexistent"}, binary.Path,
				"pre-tool", "-c", config, "--tool", "Write", "--args", "-")
			require.Equal(t, 2, done.Code, config)
			require.Contains(t, done.Stderr, "python3: not found in PATH", config)
		}
	})
	t.Run("is started only where it has something to look at", func(t *testing.T) {
		t.Parallel()
		for path, runs := range map[string]int{"main.py": 0, "/elsewhere/go.mod": 0, ".env": 1, "web/.env.local": 1,
			"/elsewhere/.env": 1, ".ENV": 1} {
			r := binary.Ask(t, settings, binary.JSON(t, map[string]string{"file_path": path}), "pre-tool", "-c",
				".claude/settings.json", "--tool", "Read", "--args", "-")
			require.Len(t, r.Hooks, runs, path)
		}
	})
}

// TestClaudeExampleOneHook takes the command from the settings and does with it what the client does.
func TestClaudeExampleOneHook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(claudeExamples(t), "one-hook-settings.json"))
	require.NoError(t, err)
	var settings struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct{ Type, Command string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &settings))
	commands := map[string]string{}
	for event, groups := range settings.Hooks {
		require.Len(t, groups, 1, event)
		require.Nil(t, groups[0].Matcher, event)
		require.Len(t, groups[0].Hooks, 1, event)
		require.Equal(t, "command", groups[0].Hooks[0].Type, event)
		commands[event] = groups[0].Hooks[0].Command
	}
	require.Len(t, commands, 4)
	command := commands["PreToolUse"]
	for event := range commands {
		require.Equal(t, command, commands[event])
	}

	dir := t.TempDir()
	binary.WriteFile(t, dir, "answer.sh", "#!/bin/sh\nprintf '{\"hookSpecificOutput\":%s}' \"$1\"\n")
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [
		{"name": "no-push", "command": "echo no pushing from here >&2; exit 1", "events": ["pre-tool"], "matcher": "Bash"},
		{"name": "remind", "command": "echo mind the tests", "events": ["pre-tool", "post-tool"], "matcher": "Edit"},
		{"name": "ok", "command": ["./answer.sh", "{\"permissionDecision\":\"allow\",\"permissionDecisionReason\":\"known to be fine\"}"], "events": ["pre-tool"], "matcher": "Read"},
		{"name": "quiet", "command": ["./answer.sh", "{\"updatedInput\":{\"command\":\"make -s\"}}"], "events": ["pre-tool"], "matcher": "Make"},
		{"name": "hide", "command": ["./answer.sh", "{\"updatedToolOutput\":\"[hidden]\"}"], "events": ["post-tool"], "matcher": "Grep"},
		{"name": "failed", "command": "\"$HOOKRUN\" get error", "events": ["post-tool"], "matcher": "Write"},
		{"name": "rules", "command": "echo be brief", "events": ["pre-execute"]}
	]}`)
	pass := func(t *testing.T, event string, input map[string]any) string {
		t.Helper()
		input["hook_event_name"] = event
		done := asClient(t, dir, commands[event], input)
		require.Equal(t, 0, done.Code, done.Stderr)
		return done.Stdout
	}
	for _, test := range []struct {
		name, event string
		input       map[string]any
		want        string
	}{
		{"block", "PreToolUse", preTool("Bash", map[string]any{"command": "git push"}),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"no pushing from here"}}`},
		{"context", "PreToolUse", preTool("Edit", map[string]any{"file_path": "a.go"}),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind the tests"}}`},
		{"allow", "PreToolUse", preTool("Read", map[string]any{"file_path": "a.go"}),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
				`"permissionDecisionReason":"known to be fine"}}`},
		{"rewrite", "PreToolUse", preTool("Make", map[string]any{"command": "make"}),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"make -s"}}}`},
		{"nothing to say", "PreToolUse", preTool("LS", map[string]any{"path": "."}), `{}`},
		{"context after the tool", "PostToolUse",
			map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": "a.go"},
				"tool_response": map[string]any{"success": true}},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind the tests"}}`},
		{"rewrite of the result", "PostToolUse",
			map[string]any{"tool_name": "Grep", "tool_input": map[string]any{"pattern": "x"},
				"tool_response": "secret"},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"[hidden]"}}`},
		{"context after a failure", "PostToolUseFailure",
			map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "a.go"},
				"error": "disk full", "is_interrupt": false},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"disk full"}}`},
		{"context of a message", "UserPromptSubmit", map[string]any{"prompt": "hello"},
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"be brief"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want+"\n", pass(t, test.event, test.input))
		})
	}
	t.Run("the session is elsewhere", func(t *testing.T) {
		t.Parallel()
		input := preTool("Bash", map[string]any{"command": "git push"})
		input["cwd"] = t.TempDir()
		require.Contains(t, pass(t, "PreToolUse", input), "no pushing from here")
	})
	t.Run("a broken hooks file", func(t *testing.T) {
		t.Parallel()
		broken := t.TempDir()
		binary.WriteFile(t, broken, ".tenex-hooks.json", `{"hooks": [{"name": "guard"}]}`)
		for event, command := range commands {
			done := asClient(t, broken, command, map[string]any{"hook_event_name": event, "tool_name": "Bash",
				"tool_input": map[string]any{}, "prompt": "hello"})
			require.Equal(t, 2, done.Code, event)
			require.Empty(t, done.Stdout, event)
			require.Equal(t, filepath.Join(broken, ".tenex-hooks.json")+
				`:1:12: hook "guard" has no "command", no "events"`+
				"\nhookrun fire: a person must fix this; until then every call is blocked, and so are the agent's "+
				"own edits\n", done.Stderr, event)
		}
	})
	t.Run("no hooks file", func(t *testing.T) {
		t.Parallel()
		done := asClient(t, t.TempDir(), command, preTool("Bash", map[string]any{"command": "ls"}))
		require.Equal(t, binary.Result{Stdout: "{}\n"}, done)
	})
	t.Run("no hookrun", func(t *testing.T) {
		t.Parallel()
		done := binary.Run(t, dir, "{}", []string{"PATH=/nonexistent"}, "/bin/sh", "-c", command)
		require.Equal(t, 2, done.Code, "the client takes 127 for a pass")
		require.Empty(t, done.Stdout)
	})
}

// TestClaudeExampleReadme types what the README says, and compares what comes.
func TestClaudeExampleReadme(t *testing.T) {
	binary.Needs(t, "python3")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(claudeExamples(t))))
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	var script, want strings.Builder
	console := false
	for line := range strings.Lines(string(text)) {
		command, typed := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			console = line == "```console\n"
		case console && typed:
			script.WriteString(command)
		case console:
			want.WriteString(line)
		}
	}
	path := "PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH")
	done := binary.Run(t, dir, script.String(), []string{path}, "sh", "-c", "exec sh 2>&1")
	require.Equal(t, want.String(), done.Stdout)
}

// TestClaudeExamplesAreThere: the README names every file, and what is no script has no place for one.
func TestClaudeExamplesAreThere(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(claudeExamples(t), "README.md"))
	require.NoError(t, err)
	files, err := os.ReadDir(claudeExamples(t))
	require.NoError(t, err)
	for _, f := range files {
		if f.Name() == "README.md" {
			continue
		}
		require.Contains(t, string(readme), "| `"+f.Name()+"` |")
		info, err := f.Info()
		require.NoError(t, err)
		require.Equal(t, filepath.Ext(f.Name()) == ".py", info.Mode().Perm()&0o100 != 0, f.Name())
		require.Zero(t, info.Mode().Perm()&0o002, "everybody may write to %s", f.Name())
	}
	guard, err := os.ReadFile(filepath.Join(claudeExamples(t), "protect-files.py"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(guard), "\n"), 60)
	require.NotContains(t, string(guard), "hookrun", "it is a guard for the client, and knows no other")
}

// circulating is a project with the hooks that people show each other, in their words or close to them, wired as they
// wire them. None of them knows of hookrun.
func circulating(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".claude/hooks/validate_bash.py", `#!/usr/bin/env python3
"""Suggests better commands before Bash runs."""
import json
import re
import sys

RULES = [
    (r"^grep\b(?!.*\|)", "Use 'rg' (ripgrep) instead of 'grep': it is faster and knows .gitignore"),
    (r"^find\s+\S+\s+-name\b", "Use 'rg --files -g pattern' instead of 'find -name'"),
]

def issues(command):
    return [message for pattern, message in RULES if re.search(pattern, command)]

try:
    data = json.load(sys.stdin)
except json.JSONDecodeError as e:
    print(f"Error: Invalid JSON input: {e}", file=sys.stderr)
    sys.exit(1)

if data.get("tool_name", "") != "Bash" or not data.get("tool_input", {}).get("command"):
    sys.exit(1)

found = issues(data["tool_input"]["command"])
if found:
    for message in found:
        print(f"• {message}", file=sys.stderr)
    sys.exit(2)
`)
	binary.WriteFile(t, dir, ".claude/hooks/format.sh", `#!/bin/bash
# Formats what was written.
path=$(jq -r '.tool_input.file_path // .tool_response.filePath // empty')
[[ "$path" =~ \.(ts|tsx|js)$ ]] || exit 0
prettier --write "$path" >/dev/null || { echo "prettier failed on $path" >&2; exit 2; }
`)
	binary.WriteFile(t, dir, ".claude/hooks/context.py", `#!/usr/bin/env python3
import datetime, json, re, sys
data = json.load(sys.stdin)
prompt = data.get("prompt", "")
if re.search(r"(?i)\b(password|secret|api[_ ]?key)\s*[:=]", prompt):
    print(json.dumps({"decision": "block", "reason": "Your message holds a secret. Please send it again without."}))
    sys.exit(0)
if prompt.startswith("json "):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Branch: main"}}))
    sys.exit(0)
print("Project: shop, year %d" % datetime.date.today().year)
sys.exit(0)
`)
	binary.WriteFile(t, dir, ".claude/hooks/finish.sh", `#!/usr/bin/env bash
input=$(cat)
if [ "$(echo "$input" | jq -r '.stop_hook_active')" = "true" ]; then
  exit 0
fi
if ! out=$(make -s test 2>&1); then
  jq -n --arg out "$out" '{decision: "block", reason: ("Tests fail:\n" + $out)}'
fi
`)
	binary.WriteFile(t, dir, "bin/prettier",
		"#!/bin/sh\ncase $2 in *broken*) exit 2 ;; esac\necho formatted >>\"$2\"\n")
	binary.WriteFile(t, dir, "Makefile", "test:\n\t@test ! -e red || { echo 1 failure; exit 1; }\n")
	binary.WriteFile(t, dir, ".claude/settings.json", `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {"allow": ["Bash(make:*)"], "deny": ["Read(./.env)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/validate_bash.py"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "jq -r '\"\\(.tool_input.command) - \\(.tool_input.description // \"No description\")\"' >> \"$CLAUDE_PROJECT_DIR/commands.log\""}]}
    ],
    "PostToolUse": [
      {"matcher": "Edit|MultiEdit|Write", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/format.sh", "timeout": 30}]}
    ],
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/context.py"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/finish.sh"}]}],
    "Notification": [{"matcher": "", "hooks": [{"type": "command", "command": "printf '\\a'"}]}]
  }
}`)
	return dir
}

func TestClaudeHooksThatCirculate(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	for _, program := range []string{"python3", "jq", "bash", "make"} {
		binary.Needs(t, program)
	}
	dir := circulating(t)
	fire := "PATH=$PWD/bin:$PATH hookrun fire --claude"
	t.Run("the validator suggests rg", func(t *testing.T) {
		for command, want := range map[string]string{
			"grep -r TODO .":        "• Use 'rg' (ripgrep) instead of 'grep': it is faster and knows .gitignore\n",
			"find . -name '*.go'":   "• Use 'rg --files -g pattern' instead of 'find -name'\n",
			"rg TODO":               "",
			"grep TODO a.txt | wc":  "",
			"git log --grep=urgent": "",
		} {
			a := answered(t, dir, fire, preTool("Bash", map[string]any{"command": command, "description": "look"}))
			require.Equal(t, want, a.Specific.Why, command)
			require.Equal(t, want != "", a.Specific.Permission == "deny", command)

			r := binary.Ask(t, dir, binary.JSON(t, map[string]string{"command": command}), "pre-tool", "-c",
				".claude/settings.json", "--tool", "Bash", "--args", "-")
			require.Equal(t, want != "", r.Decision == "block", command)
			require.Equal(t, want, r.Reason, command)
		}
		log, err := os.ReadFile(filepath.Join(dir, "commands.log"))
		require.NoError(t, err)
		require.Equal(t, 10, strings.Count(string(log), "\n"), "the logger beside it runs for every call")
		require.Contains(t, string(log), "grep -r TODO . - look\n")
		require.Contains(t, string(log), "rg TODO - No description\n")
	})
	t.Run("the validator fails on a call without a command", func(t *testing.T) {
		done := asClient(t, dir, fire, preTool("Bash", map[string]any{}))
		require.Equal(t, 0, done.Code)
		require.JSONEq(t,
			`{"systemMessage":"hookrun: hook 'python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/validate_bash.py' gave `+
				`no answer (exit), so it did not check this: it exited with 1, nothing on stderr"}`, done.Stdout,
			"exit 1 lets pass, and the user is told")
		require.Contains(t, done.Stderr, "exited with 1; continuing")
	})
	t.Run("the formatter formats", func(t *testing.T) {
		binary.WriteFile(t, dir, "src/a.ts", "x\n")
		path := filepath.Join(dir, "src", "a.ts")
		written := func(path string) map[string]any {
			return map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Write",
				"tool_input":    map[string]any{"file_path": path},
				"tool_response": map[string]any{"filePath": path, "success": true}}
		}
		require.Equal(t, binary.Result{Stdout: "{}\n"}, asClient(t, dir, fire, written(path)))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "x\nformatted\n", string(text))
		require.Equal(t, binary.Result{Stdout: "{}\n"},
			asClient(t, dir, fire, written(filepath.Join(dir, "README.md"))))

		a := answered(t, dir, fire, written("broken.js"))
		require.Equal(t, "block", a.Decision)
		require.Equal(t, "prettier failed on broken.js\n", a.Reason)
	})
	t.Run("the context of a message", func(t *testing.T) {
		said := func(prompt string) binary.Answer {
			return answered(t, dir, fire, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": prompt})
		}
		require.Regexp(t, `^Project: shop, year \d{4}$`, said("hello").Specific.Context)
		require.Equal(t, "Branch: main", said("json hello").Specific.Context)
		a := said("my password: hunter2")
		require.Equal(t, "block", a.Decision)
		require.Equal(t, "Your message holds a secret. Please send it again without.", a.Reason)
		require.Empty(t, a.Specific.Context)

		r := binary.Ask(t, dir, "", "pre-execute", "-c", ".claude/settings.json", "--prompt", "json hello")
		require.Equal(t, []string{"Branch: main"}, r.Texts())
	})
	t.Run("the end of a turn waits for the tests", func(t *testing.T) {
		stop := func(active bool) binary.Answer {
			return answered(t, dir, fire, map[string]any{"hook_event_name": "Stop", "stop_hook_active": active})
		}
		require.Equal(t, binary.Answer{}, stop(false))
		binary.WriteFile(t, dir, "red", "")
		a := stop(false)
		require.Equal(t, "block", a.Decision)
		require.Contains(t, a.Reason, "Tests fail:\n1 failure")
		require.Equal(t, binary.Answer{}, stop(true))
	})
	t.Run("a notification", func(t *testing.T) {
		done := asClient(t, dir, fire, map[string]any{"hook_event_name": "Notification", "message": "waiting",
			"notification_type": "idle_prompt"})
		require.Equal(t, binary.Result{Stdout: "{}\n"}, done)
	})
	t.Run("what hookrun check says of them", func(t *testing.T) {
		done := binary.Run(t, dir, "", nil, binary.Path, "check", "-C", ".", ".claude/settings.json")
		require.Equal(t, binary.Result{Stdout: ".claude/settings.json: 6 hooks, nothing wrong\n"}, done)
	})
}
