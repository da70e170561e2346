//go:build unix

package trust_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/trust"
)

// cannotStart returns the findings about a hook of Claude Code's form, or of the project's if own is set. The PATH has
// the programs of the test only.
func cannotStart(t *testing.T, dir string, command any, own bool) (errors, warnings string) {
	t.Helper()
	text, err := json.Marshal(command)
	require.NoError(t, err)
	doc := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ` + string(text) + `}]}]}}`
	if own {
		doc = `{"hooks": [{"name": "g", "events": ["pre-tool"], "command": ` + string(text) + `}]}`
	}
	cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName), []byte(doc))
	require.NoError(t, err)
	o := trust.Options{Workspace: dir, Environ: func(h *hook.Hook) []string {
		env := []string{"PATH=" + programs(dir), "HOME=" + filepath.Join(dir, "home")}
		return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: dir}), env, "")
	}}
	found, doubts := trust.CannotStart(&cfg.Hooks[0], o)
	all := func(found []hook.Diagnostic) string {
		var texts []string
		for _, d := range found {
			require.Positive(t, d.Line)
			texts = append(texts, d.Text)
		}
		return strings.Join(texts, "\n")
	}
	return all(found), all(doubts)
}

// TestCannotStart has the lines of public reports, and others of their kind.
func TestCannotStart(t *testing.T) {
	dir := workspace(t, "here.sh", "here.py", "home/here.sh", "sub/here.sh")
	install(t, dir, "cat", "grep", "bash", "env", "timeout", "python3", "node", "nohup", "xargs", "npx", "uv", "time")
	for _, line := range []string{"A=1 [[", "\\[[", "[[", "() true", "[[ -x", "A=1 [[ -x"} { // no panic
		cannotStart(t, dir, line, false)
	}
	const lost = "lost: not found in PATH"
	for _, c := range []struct{ line, error, warning string }{
		// The first program, or the script of its interpreter.
		{"lost --x", lost, ""}, {"uvx guard", "uvx: not found in PATH", ""},
		{"python2 guard.py", "python2: not found", ""},
		{"deno run x.ts", "deno: not found in PATH", ""}, {"uv run guard.py", "guard.py: no such file", ""},
		{"uv run --with rich --script guard.py", "guard.py: no such file", ""},
		{"~/no.sh", "home/no.sh: no such file; the line has ~/no.sh", ""},
		{"$HOME/no.sh", "home/no.sh: no such file", ""},
		{`"$HOME/no.sh"`, "home/no.sh: no such file", ""}, {`"$HOME"/no.sh`, "home/no.sh: no such file", ""},
		{`C:\Users\me\guard.py`, `the line has C:\Users\me\guard.py, and a shell takes each \ out`, ""},
		{"bash ~/no.sh", "home/no.sh: no such file", ""}, {"python3 ~/no.py", "home/no.py: no such file", ""},
		{`node "$HOME/x.mjs"`, "home/x.mjs: no such file", ""},
		{"python3 ~/no.py || python ~/no.py", "home/no.py: no such file", ""},
		{"node --no-warnings ~/x.js", "x.js: no such file", ""},
		{`"${CLAUDE_PROJECT_DIR}/lib/x y.sh" a`, "/lib/x y.sh: no such file", ""},
		{"env lost", lost, ""}, {"timeout 5 lost", lost, ""}, {"exec lost", lost, ""},
		{"env A=1 timeout 5 lost", lost, ""},
		{"nohup lost &", lost, ""}, {`bash -c "lost x"`, lost, ""}, {"A=1 lost", lost, ""}, {"! lost", lost, ""},
		{"(lost)", lost, ""}, {"{ lost; }", lost, ""}, {"command lost", lost, ""}, {"sudo x", "sudo: not found", ""},
		{`cd "$CLAUDE_PROJECT_DIR" && lost`, lost, ""}, {"set -e; export A=1; lost", lost, ""},
		{"cd x || exit 0; lost", lost, ""}, {". ~/no.sh; lost", "no.sh: no such file", ""},
		{"cd sub && ./no.sh", "./no.sh: no such file", ""}, {"cd no && ./here.sh", "no: no such folder", ""},
		{"bash -o pipefail no.sh", "no.sh: no such file", ""},

		// A later command.
		{"source ~/no.sh; cat", "", "no.sh: no such file"},
		{"cat && lost", "", lost}, {"cat; lost", "", lost}, {"cat | lost", "", lost},
		{"if cat; then lost; fi", "", lost}, {"lost || true", "", lost},
		{"a=$(lost)", "", lost}, {"for f in a b; do lost $f; done", "", lost}, {"[ -f x ] && lost", "", lost},
		{"[ -f x ] || exit 0; lost", "", lost}, {"xargs lost", "", lost}, {"case $1 in a) lost;; esac", "", lost},

		// Programs and files that are there, builtins, functions and assignments.
		{"cat | grep -q x && exit 2 || exit 0", "", ""}, {"~/here.sh", "", ""}, {"bash here.sh", "", ""},
		{"A=1", "", ""},
		{"f() { echo x; }; f", "", ""}, {"cd sub && ./here.sh", "", ""}, {"bash -euo pipefail here.sh", "", ""},
		{"cat; cd made && ./x.sh", "", ""}, {"[ -d no ] && cd no", "", ""}, {"echo x", "", ""},
		{"uv run here.py", "", ""},
		{`printf '%s' x; read -r x; [ $x ] && exit 2`, "", ""}, {"npx prettier --check .", "", ""}, {"bash", "", ""},
		{`python3 "$CLAUDE_PROJECT_DIR"/here.py --strict`, "", ""}, {"python3 -m pytest -q", "", ""},
		{"node -e 1", "", ""},

		// A test, or another program in its place.
		{"command -v lost >/dev/null && lost x", "", ""}, {"which lost || exit 0; lost x", "", ""},
		{"[ -x ~/no.sh ] && ~/no.sh", "", ""}, {`if [ -f "$HOME/no.py" ]; then python3 "$HOME/no.py"; fi`, "", ""},
		{`G="$HOME/no.sh"; [ -x "$G" ] || exit 0; "$G"`, "", ""}, {"[[ -f ~/no.sh ]] && bash ~/no.sh", "", ""},
		{"lost --version >/dev/null 2>&1 || exit 0; lost", "", ""}, {"lost || python3 -c 1", "", ""},
		{"python3 -c 1 || lost", "", ""},
		{"test -f ~/no.sh && . ~/no.sh; cat", "", ""}, {"[ -x /opt/lost ] && PATH=/opt:$PATH; lost", "", ""},

		// What only the shell knows.
		{"$UNSET/x.sh", "", ""}, {"$(lost_tool)/x.sh", "", "lost_tool: not found"}, {"PATH=$PATH:/x; lost", "", ""},
		{"PATH=$PATH:/x lost", "", ""},
		{`export PATH="$HOME/bin:$PATH"; lost`, "", ""}, {`bash -lc "lost"`, "", ""}, {". ./here.sh; lost", "", ""},
		{`eval "$X"; lost`, "", ""}, {"cd $UNSET && ./no.sh", "", ""}, {"lost 'unclosed", "", ""},
		{"{{x}}/y.sh", "", ""},
		{"alias lost=cat; lost", "", ""}, {"for f in *.sh; do ./$f; done", "", ""}, {`python3 "$1"`, "", ""},
		{"uv run --directory ~/x guard.py", "", ""}, {"node https://x/y.js", "", ""}, {"uv pip install x.py", "", ""},
	} {
		errors, warnings := cannotStart(t, dir, c.line, false)
		if c.error == "" {
			require.Empty(t, errors, c.line)
		}
		if c.warning == "" {
			require.Empty(t, warnings, c.line)
		}
		require.Contains(t, errors, c.error, c.line)
		require.Contains(t, warnings, c.warning, c.line)
	}
	for _, name := range []string{"timeout", "uv"} {
		require.NoError(t, os.WriteFile(filepath.Join(programs(dir), name), []byte("#!/bin/sh\n"), 0o600))
	}
	errors, _ := cannotStart(t, dir, []string{"timeout", "5", "lost"}, true)
	require.Contains(t, errors, lost)
	errors, _ = cannotStart(t, dir, []string{"uv", "run", "guard.py"}, true)
	require.Contains(t, errors, "guard.py: no such file")
	errors, _ = cannotStart(t, dir, "lost", true)
	require.Equal(t, `hook "g": `+lost, errors)
}

// TestSplitVariable has lines with the path of the project, which has a blank.
func TestSplitVariable(t *testing.T) {
	dir := filepath.Join(workspace(t), "d sp")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "h"), 0o700))
	for _, name := range []string{"h/p.sh", "h/p.py"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program
	}
	install(t, dir, "python3", "bash", "cat")
	for _, line := range []string{
		"$CLAUDE_PROJECT_DIR/h/p.sh", "${CLAUDE_PROJECT_DIR}/h/p.sh x", "python3 $CLAUDE_PROJECT_DIR/h/p.py",
		"bash $CLAUDE_PROJECT_DIR/h/p.sh", "cd $CLAUDE_PROJECT_DIR && ./h/p.sh",
	} {
		errors, _ := cannotStart(t, dir, line, false)
		require.Contains(t, errors, "} has a blank here ("[min(1, 1-strings.Count(line, "{")):]+dir, line)
		require.Contains(t, errors, "at which the shell splits it: write it in double quotes, ", line)
	}
	for _, line := range []string{
		`"$CLAUDE_PROJECT_DIR/h/p.sh"`, `"$CLAUDE_PROJECT_DIR"/h/p.sh`, `cd "$CLAUDE_PROJECT_DIR" && ./h/p.sh`,
		"D=$CLAUDE_PROJECT_DIR; \"$D/h/p.sh\"", "cat $CLAUDE_PROJECT_DIR/h/p.sh",
	} {
		errors, warnings := cannotStart(t, dir, line, false)
		require.Empty(t, errors+warnings, line)
	}
}

// TestGuardWithoutItsProgram has gates that ask a program that is not there.
func TestGuardWithoutItsProgram(t *testing.T) {
	dir := workspace(t)
	install(t, dir, "cat", "grep", "bash")
	const goesOn = "jq: not found in PATH, and the hook may let calls pass without it; write || exit 2 behind the "
	for _, c := range []struct {
		script string
		own    bool
		warned bool
	}{
		{"cmd=$(jq -r .args.command); case $cmd in *force*) exit 2;; esac", true, true},
		{"x=$(cat)\ncmd=$(printf '%s' \"$x\" | jq -r .c)\nif grep -q x <<E; then exit 2; fi\n$cmd\nE", true, true},
		{"if jq -e .x; then exit 2; fi", false, true}, {"jq -r .c | grep -q x && exit 2; exit 0", false, true},
		{"cmd=$(jq -r .c || true); [ \"$cmd\" = x ] && exit 2", true, true},
		{"cmd=$(jq -r .c); [ -z \"$cmd\" ] && exit 0; [ \"$cmd\" = x ] && exit 2", true, true},
		{"set -e\ncmd=$(jq -r .c)\n[ \"$cmd\" = x ] && exit 2", false, true}, // 127 blocks nothing in Claude Code

		{"set -e\ncmd=$(jq -r .c)\n[ \"$cmd\" = x ] && exit 2", true, false},
		{"cmd=$(jq -r .c) || exit 2; case $cmd in *force*) exit 2;; esac", true, false},
		{"cmd=$(jq -r .c) || { echo no jq >&2; exit 2; }; [ \"$cmd\" = x ] && exit 2", true, false},
		{"command -v jq >/dev/null || exit 2\ncmd=$(jq -r .c); [ \"$cmd\" = x ] && exit 2", true, false},
		{"cmd=$(jq -r .c); [ -n \"$cmd\" ] || exit 2; [ \"$cmd\" = x ] && exit 2", true, false},
		{"cmd=$(jq -r .c); if [ -z \"$cmd\" ]; then exit 2; fi; [ \"$cmd\" = x ] && exit 2", true, false},
		{"cmd=$(jq -r .c); : \"${cmd:?no command}\"; [ \"$cmd\" = x ] && exit 2", true, false},
		{"cmd=$(jq -r .c); [ $? = 0 ] || exit 2; [ \"$cmd\" = x ] && exit 2", true, false},
		{"if ! jq -e .x; then exit 2; fi", true, false},
		{"case $(jq -r .c) in '') exit 2;; *x*) exit 2;; esac", true, false},
		{"jq -r .c >>log; exit 0", true, false}, // no gate
		{"cmd=$(cat); [ \"$cmd\" = x ] && exit 2", true, false},
	} {
		errors, inLine := cannotStart(t, dir, c.script, c.own)
		isFirst := strings.HasPrefix(c.script, "jq") && errors != "" // so the line cannot start at all
		require.Equal(t, c.warned, strings.Contains(inLine, goesOn) || c.warned && isFirst, "%s\n%s", c.script, inLine)
		for _, first := range []string{"#!/bin/sh", "#!/usr/bin/env bash", "#!/usr/bin/env -S bash -u"} {
			path := filepath.Join(dir, "guard.sh")
			text := first + "\n# The guard.\n" + c.script + "\n"
			require.NoError(t, os.WriteFile(path, []byte(text), 0o700)) //nolint:gosec // a program
			for _, command := range []any{"./guard.sh", "bash guard.sh", []string{"./guard.sh"}} {
				if _, isList := command.([]string); isList && !c.own {
					continue
				}
				_, warnings := cannotStart(t, dir, command, c.own)
				require.Equal(t, c.warned, strings.Contains(warnings, goesOn), "%s\n%s", text, warnings)
				if c.warned {
					require.Regexp(t, `guard\.sh:[3-5]: jq`, warnings)
				}
			}
		}
	}
	const python = "#!/usr/bin/python3\nx=$(jq); exit 2"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "guard.sh"), []byte(python), 0o600))
	_, warnings := cannotStart(t, dir, "./guard.sh", true)
	require.Empty(t, warnings)
}

// TestTestsOfBash has gates in sh with tests that only some sh have.
func TestTestsOfBash(t *testing.T) {
	dir := workspace(t)
	install(t, dir, "cat", "bash", "jq")
	for line, warning := range map[string]string{
		`c=$(cat); if [[ $c == *force* ]]; then exit 2; fi`: "[[ ]]: the sh of some systems does not have it",
		`c=$(cat); [ "$c" == force ] && exit 2`:             "== in [: the sh of some systems does not have it",
		`c=$(cat); if test "$c" == x; then exit 2; fi`:      "== in test: the sh of some systems does not have it",

		`c=$(cat); [ "$c" = force ] && exit 2`:                                        "",
		`c=$(cat); [[ $c ]] && echo x`:                                                "", // no gate
		`bash -c 'c=$(cat); [[ $c == x ]] && exit 2'`:                                 "",
		`[ -n "$BASH_VERSION" ] || exec bash "$0"; c=$(cat); [[ $c == x ]] && exit 2`: "",
		`c=$(jq -r '.a == "["') || exit 2; [ "$c" = true ] && exit 2`:                 "",
	} {
		_, warnings := cannotStart(t, dir, line, true)
		require.Equal(t, warning != "", strings.Contains(warnings, "some systems does not have"), line+warnings)
		require.Contains(t, warnings, warning, line)
		for first, isSh := range map[string]bool{"#!/bin/sh": true, "#!/bin/bash": false} {
			path := filepath.Join(dir, "guard.sh")
			require.NoError(t, os.WriteFile(path, []byte(first+"\n"+line+"\n"), 0o700)) //nolint:gosec // a program
			_, warnings = cannotStart(t, dir, []string{"./guard.sh"}, true)
			require.Equal(t, isSh && warning != "", strings.Contains(warnings, "guard.sh:2: "+warning), line+warnings)
		}
	}
}

// TestEchoOfTheCall has gates that pipe through echo.
func TestEchoOfTheCall(t *testing.T) {
	dir := workspace(t)
	install(t, dir, "cat", "grep", "bash", "jq", "git", "hookrun", "sed")
	for line, warned := range map[string]bool{
		`c=$(hookrun get command) || exit 2; echo "$c" | grep -q 'git push' && exit 2`: true,
		`echo "$CRUSH_TOOL_INPUT_COMMAND" | grep -q 'git push' && exit 2`:              true,
		`x=$(cat); echo "$x" | jq -r .c | grep -q x && exit 2`:                         true,
		`x=$(cat); c=$(echo "$x" | jq -r .c); [ "$c" = x ] && exit 2`:                  true,
		`read -r x; echo $x | grep -q x && exit 2`:                                     true,
		`echo "$(cat)" | grep -q x && exit 2`:                                          true,

		`x=$(cat); printf '%s\n' "$x" | jq -r .c | grep -q x && exit 2`:      false,
		`b=$(git branch --show-current); echo "$b" | grep -q main && exit 2`: false,
		`t=$(jq -r .tool_name); echo "$t" | grep -q Bash && exit 2`:          false,
		`x=$(cat); echo "$x" >>log; exit 2`:                                  false,
		`echo "$HOME" | grep -q root && exit 2`:                              false,
		`x=$(cat); echo "$x" | grep x >>log`:                                 false, // no gate
		`x=$(cat); bash -c 'x=$(cat); echo "$x" | grep -q x && exit 2'`:      false,
		`n=$(cat VERSION); echo "$n" | grep -q 1 && exit 2`:                  false,
		`x=$(cat); echo no | grep -q x && exit 2`:                            false,
	} {
		_, warnings := cannotStart(t, dir, line, true)
		require.Equal(t, warned, strings.Contains(warnings, "; write printf '%s\\n'"), "%s\n%s", line, warnings)
		for first, isSh := range map[string]bool{"#!/bin/sh": true, "#!/bin/bash": false} {
			path := filepath.Join(dir, "guard.sh")
			require.NoError(t, os.WriteFile(path, []byte(first+"\n"+line+"\n"), 0o700)) //nolint:gosec // a program
			_, warnings = cannotStart(t, dir, []string{"./guard.sh"}, true)
			require.Equal(t, warned && isSh, strings.Contains(warnings, `guard.sh:2: echo `), "%s\n%s", line, warnings)
		}
	}
}
