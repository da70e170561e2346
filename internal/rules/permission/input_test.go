package permission

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandOfTheCall holds a rule for the shell against inputs of shell tools, whatever key has the command.
func TestCommandOfTheCall(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for input, why := range map[string]string{
		`{"command":"git push --force"}`:                    `matches the command "git push --force"`,
		`{"cmd":"git push --force"}`:                        `matches the command "git push --force"`,
		`{"Command":"git push --force"}`:                    `matches the command "git push --force"`,
		`{"command":"ls","CMD":"git push --force"}`:         `matches the command "git push --force"`,
		`{"code":"git push --force"}`:                       `matches the command "git push --force"`,
		`{"session_id":1,"chars":"git push --force\n"}`:     `matches the command "git push --force"`,
		`{"shellId":"s","input":"git push --force{enter}"}`: `matches the command "git push --force"`,
		`{"input":"ls{enter}git push --force\r"}`:           `matches the command "git push --force"`,
		`{"input":"gitx{backspace} push --force"}`:          notThrough + "keys that edit it)" + soItRuns,
		`{"chars":"!!\n"}`:                                  notThrough + "what the shell recalls)" + soItRuns,
		`{"chars":"echo a; !git\n"}`:                        notThrough + "what the shell recalls)" + soItRuns,
		`{"chars":"^x^y\n"}`:                                notThrough + "what the shell recalls)" + soItRuns,
		`{"chars":"[ ! -f x ] && echo $! \"hi!\"\n"}`:       "",
		`{"command":"echo hi!there"}`:                       "",
		`{"command":"ls"}`:                                  "",
		`{"cmd":"ls"}`:                                      "",
		`{"chars":""}`:                                      "",
		`{"input":"y{enter}"}`:                              "",

		`"git push --force"`:                     `matches the command "git push --force"`,
		`"ls"`:                                   "",
		`"{\"command\":\"git push --force"`:      noCommand + soItRuns,
		`{"input":{"command":"ls"}}`:             "",
		`{"command":["git","push","--force"]}`:   `matches the command "git push --force"`,
		`{"command":"ls","cmd":{"x":"y"}}`:       noCommand + soItRuns,
		`{"command":null}`:                       noCommand + soItRuns,
		`{}`:                                     noCommand + soItRuns,
		`["git","push","--force"]`:               `matches the command "git push --force"`,
		`["ls","-la"]`:                           "",
		`"[\"git\",\"push\",\"--force\"]"`:       `matches the command "git push --force"`,
		`{"a":{"b":{"argv":["ls"]}}}`:            "",
		`{"args":["ls","-la"]}`:                  "",
		`{"args":"{\"command\":\"ls\"}"}`:        "",
		`{"command":{"program":"ls","args":[]}}`: "",
		`{"a":{"command":"ls"},"env":{"X":"y"}}`: noCommand + soItRuns,
		`{"words":["ls","-la"]}`:                 noCommand + soItRuns,
		`{"line":"git push --force"}`:            noCommand + soItRuns,
		`{"commands":[{"cell":"git push -f"}]}`:  noCommand + soItRuns,
		`{"command":7}`:                          noCommand + soItRuns,
		`{"script":false,"path":"/etc/passwd"}`:  noCommand + soItRuns,
	} {
		call := Call{Tool: "shell", Kind: Shell, Input: input, Dir: "/ws", Home: "/h", Project: true}
		got, because := rule.Match(call)
		require.Equal(t, why != "", got, "%s: %s", input, because)
		if why != "" {
			require.Equal(t, why, because, input)
		}
		if strings.HasPrefix(why, noCommand) {
			require.Contains(t, rule.Doubt(call), "hookrun cannot read the command of this call: ", input)
		}
	}
}

// TestProgramOfAnUnknownTool holds a rule for the shell against programs in the arguments of a tool that nobody knows.
func TestProgramOfAnUnknownTool(t *testing.T) {
	rule := Parse("shell(git push --force*)")
	for input, want := range map[string]bool{
		`{"code":"git push --force"}`:                               true,
		`{"code":"import os\nos.system('git push --force')"}`:       true,
		`{"code":"await run(\"git\", [\"push\", \"--force\"])"}`:    true,
		`{"script":"if x; then git push --force; fi"}`:              true,
		`{"code":"async (page) => { await page.click('x') }"}`:      false,
		`{"code":"print('push')"}`:                                  false,
		`{"code":"x = ['--force', 'push', 'git']"}`:                 true, // in any order
		`{"code":"print('digit pushed --forced')"}`:                 false,
		`{"script":"document.title"}`:                               false,
		`{"command":"x => y("}`:                                     false,
		`{"command":"x => git push('--force'"}`:                     true, // no program
		`{"code":"async (page) => 1","command":"git push --force"}`: true,
	} {
		call := Call{Tool: "mcp__x__run", Aliases: []string{"shell"}, Input: input, Dir: "/ws", Home: "/h",
			Project: true}
		got, why := rule.Match(call)
		require.Equal(t, want, got, "%s: %s", input, why)
	}
}

func TestCommandOf(t *testing.T) {
	for args, want := range map[string]string{
		`{"command":"ls"}`:                            "ls",
		`{"cmd":"ls","timeout":5}`:                    "ls",
		`{"Script":"a\nb"}`:                           "a\nb",
		`{"command":"a","cmd":"b"}`:                   "a\nb",
		`{"command":["bash","-lc","rm -rf /"]}`:       "bash -lc 'rm -rf /'",
		`{"command":"git","args":["push","--force"]}`: "git push --force",
		`{"command":"ls","cmd":7}`:                    "ls",
		`{"command":"ls","env":{"A":"b c"}}`:          "A='b c'; ls",
		`{"command":"a\nb","commands":["a","b"]}`:     "a\nb\na\nb",
		`{"input":"ls{enter}"}`:                       "ls\n",
		`{"command":["sleep",7]}`:                     "sleep 7",
		`{"command":"sleep","args":[7]}`:              "sleep 7",
		`{"command":"bash","stdin":"ls"}`:             "bash <<< ls",
		`{"command":""}`:                              "",
		`{"command":"ls","cmd":null}`:                 "ls",
		`"ls"`:                                        "ls",
		`["ls"]`:                                      "ls",
		`{"input":{"command":"ls"}}`:                  "ls",
	} {
		got, ok := CommandOf(args)
		require.True(t, ok, args)
		require.Equal(t, want, got, args)
	}
	for _, args := range []string{``, `null`, `{}`, `{"input":{"command":7}}`, `{"command":7}`,
		`{"command":["ls",{}]}`, `{"command":[]}`, `{"command":null}`, `{"command":"ls"`,
		`{"line":"ls"}`} {
		_, ok := CommandOf(args)
		require.False(t, ok, args)
	}
}

const addLock = `*** Begin Patch\n*** Add File: a.lock\n+x\n*** End Patch\n`

// TestPatches holds rules for paths against patches in every form that a client sends.
func TestPatches(t *testing.T) {
	for _, test := range []struct {
		name, tool string
		kind       Kind
		input      string // with a patch that adds a.lock
	}{
		{"the key of Codex", "apply_patch", File, `{"command":"` + addLock + `"}`},
		{"of Cline", "apply_patch", File, `{"input":"` + addLock + `"}`},
		{"of OpenCode", "apply_patch", File, `{"patchText":"` + addLock + `"}`},
		{"a text, as Copilot has it", "Edit", File, `"` + addLock + `"`},
		{"JSON in a text, as Droid has it", "ApplyPatch", File,
			`{"input":"{\"input\":\"` + strings.ReplaceAll(addLock, `\n`, `\\n`) + `\"}"}`},
		{"an unknown tool", "patcher", Unknown, `{"patch":"` + addLock + `"}`},
		{"escapes", "apply_patch", File, `{"input":"` + strings.ReplaceAll(addLock, "*", `\u002a`) + `"}`},
		{"a line of the shell", "Bash", Shell, `{"command":"apply_patch <<'EOF'\n` + addLock + `EOF\n"}`},
		{"in a folder", "Bash", Shell, `{"command":"cd sub && apply_patch <<'EOF'\n` + addLock + `EOF\n"}`},
		{"a line in a line", "Bash", Shell, `{"command":"bash -lc 'apply_patch <<EOF\n` + addLock + `EOF\n'"}`},
		{"an argument", "Bash", Shell, `{"command":"apply_patch '` + addLock + `'"}`},
		{"a line as the patch", "apply_patch", File,
			`{"command":"cd sub && apply_patch <<'EOF'\n` + addLock + `EOF\n"}`},
		{"a line of an unknown tool", "run",
			Unknown, `{"command":"cd sub && apply_patch <<'EOF'\n` + addLock + `EOF\n"}`},
		{"a folder beside the line", "Bash",
			Shell, `{"command":"apply_patch <<'EOF'\n` + addLock + `EOF\n","workdir":"sub"}`},
		{"another spelling", "Bash", Shell, `{"cmd":"/usr/bin/applypatch <<'EOF'\n` + addLock + `EOF\n"}`},
	} {
		require.True(t, HasPatch(test.kind, test.input, nil), test.name)
		call := Call{Tool: test.tool, Aliases: PatchTools, Kind: test.kind, Input: test.input, Dir: "/ws", Home: "/h",
			Project: true}
		for rule, want := range map[string]bool{
			"fs_write(**/*.lock)": true, "fs_edit(**/*.lock)": true, "Edit(a.lock)": true,
			"fs_edit(**/*.go)": false, "fs_write(/b.lock)": false,
			"fs_write(/sub/a.lock)": strings.Contains(test.input, "cd sub") || strings.Contains(test.input, `"sub"`),
		} {
			got, why := Parse(rule).Match(call)
			require.Equal(t, want, got, "%s: %s: %s", test.name, rule, why)
			require.False(t, strings.HasSuffix(why, soItRuns), "%s: %s: %s", test.name, rule, why)
		}
	}
	for _, line := range []string{`cd $X && apply_patch <<'EOF'\n`, `make; cd sub; apply_patch <<'EOF'\n`} {
		got, why := Parse("fs_edit(/other)").Match(Call{Tool: "apply_patch", Kind: File, Aliases: PatchTools,
			Dir: "/ws", Project: true, Input: `{"command":"` + line + addLock + `EOF\n"}`})
		require.True(t, got, line)
		require.True(t, strings.HasSuffix(why, soItRuns), "%s: %s", line, why)
	}
	for line, path := range map[string]bool{ // whether a rule for any path meets the line
		`apply_patch < a.patch`:                                           true,
		`apply_patch \"$(cat a.patch)\"`:                                  true,
		`cat a.patch | apply_patch`:                                       true,
		`cd $X && apply_patch <<'EOF'\n` + addLock + `EOF\n`:              true,
		`make; cd sub; apply_patch <<'EOF'\n` + addLock + `EOF\n`:         true,
		`apply_patch <<EOF\n*** Add File: $X.lock\n+x\nEOF\n`:             true,
		`grep -r apply_patch src`:                                         false,
		`cat > notes.md <<'EOF'\napply_patch takes\n` + addLock + `EOF\n`: false,
		`git apply_patch`:                                                 false,
		`ls`:                                                              false,
	} {
		input := `{"command":"` + line + `"}`
		require.Equal(t, path, HasPatch(Shell, input, nil), line)
		if path {
			call := Call{Tool: "Bash", Aliases: PatchTools, Kind: Shell, Input: input, Dir: "/ws", Project: true}
			got, why := Parse("fs_write(/other)").Match(call)
			require.True(t, got, line)
			require.True(t, strings.HasSuffix(why, soItRuns), "%s: %s", line, why)
		}
	}
}
