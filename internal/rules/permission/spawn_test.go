package permission

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// asHookSees returns a call with the names that a project's hook adds because of the input.
func asHookSees(tool, input string) Call {
	c := Call{Tool: tool, Kind: KindOf(tool), Input: input, Dir: "/ws", Root: "/ws", Home: "/h", Project: true}
	if _, ok := HasCommand(input); ok && c.Kind == Unknown {
		c.Aliases = append(c.Aliases, "shell")
	}
	if c.Kind != Folder && HasPatch(c.Kind, input, nil) {
		c.Aliases = append(c.Aliases, PatchTools...)
	}
	return c
}

// held reports whether a project's rule is for the call, as for hooks: a rule for files also meets an unknown tool.
func held(rule, tool, input string) (bool, string) {
	r, c := Parse(rule), asHookSees(tool, input)
	if c = c.WithCache(); r.MayTouch(c) && r.Tool() != "shell" {
		c.Aliases = append(c.Aliases, r.Tool())
	}
	return r.Match(c)
}

// TestCommandInParts holds a rule against calls that have a command in several arguments.
func TestCommandInParts(t *testing.T) {
	for want, inputs := range map[bool][]string{
		true: {
			`{"command":"git","args":["push","--force"]}`,
			`{"command":"git","args":"push --force"}`,
			`{"command":"git push","args":["--force"]}`,
			`{"command":"git push --force","args":["x"]}`,
			`{"command":"git","arguments":["push","--force"]}`,
			`{"command":"git","params":["push","--force"]}`,
			`{"command":"git","parameters":"push --force"}`,
			`{"command":"git","argv":["git","push","--force"]}`,
			`{"argv":["git","push","--force"]}`,
			`{"command":"git","args":{"0":"push","1":"--force"}}`,
			`{"command":"git","args":[["push"],"--force"]}`,
			`{"command":"git","flags":["--force"],"args":["push","--force"]}`,
			`{"command":"bash","args":["-c","git push --force"]}`,
			`{"command":"env","args":["A=1","git","push","--force"]}`,
			`{"cmd":["git","push","--force"]}`,
			`{"command":["bash","-lc","git push --force"]}`,
			`{"command":["git push --force"]}`,
			`{"command":["git","push --force"]}`,
			`{"command":["ls","&&","git","push","--force"]}`,
			`{"command":["ls","; git push --force"]}`,
			`{"command":["ls"],"args":["|","git","push","--force"]}`,
			`{"commands":[["git","push","--force"]]}`,
			`{"commands":["ls","git push --force"]}`,
			`{"commands":[{"command":"git","args":["push","--force"]}]}`,
			`{"command":"ls","shell_command":"git push --force"}`,
			`{"command":"ls","command_line":"git push --force"}`,
			`{"command":"ls","bash_command":"git push --force"}`,
			`{"command":"ls","script":"git push --force"}`,
			`{"command":"ls","post_command":"git push --force"}`,
			`{"command":"ls","setup_commands":["git push --force"]}`,
			`{"command":"push --force","shell":"git"}`,
			`{"command":"push --force","program":"git"}`,
			`{"program":"git","args":["push","--force"]}`,
			`{"executable":"git","args":["git","push","--force"]}`,
			`{"command":"ls","shell":"bash -c 'git push --force'"}`,
			`{"command":"git push $X","env":{"X":"--force"}}`,
			`{"command":"$X --force","env":[{"name":"X","value":"git push"}]}`,
			`{"command":"ls","env":{"BASH_FUNC_ls%%":"() { git push --force; }"}}`,
			`{"command":"ls","env":["BASH_FUNC_ls%%=() { git push --force; }"]}`,
			`{"command":"ls","environment":"BASH_FUNC_ls%%=() { git push --force; }"}`,
			`{"command":"git log","env":{"GIT_PAGER":"git push --force"}}`,
			`{"command":"git log","env":[{"name":"GIT_PAGER","value":"git push --force"}]}`,
			`{"command":"git","args":["log"],"env":["GIT_PAGER=git push --force"]}`,
			`{"command":"ls","env":{"PROMPT_COMMAND":"git push --force"}}`,
			`{"command":"bash x","env":{"BASH_ENV":"$(git push --force)"}}`,
			`{"command":"git","args":"[\"push\",\"--force\"]"}`, `{"command":"[\"git\",\"push\",\"--force\"]"}`,
			`{"command":["git",["push","--force"]]}`, `{"command":[null,"git","push","--force",7]}`,
			`{"command":"git","args":["push","--force",7]}`, `{"command":"git\n","args":["push","--force"]}`,
			`{"command":"git","extra_args":["push","--force"]}`, `{"command":"git","argumentList":["push","--force"]}`,
			`{"command":"git","cmdOpts":"push --force"}`, `{"command":"git","argv":["push","--force"]}`,
			`{"command_parts":["git","push","--force"]}`, `{"cmd_string":"git push --force"}`,
			`{"run":"git push --force"}`,
			`{"execPath":"git","args":["push","--force"]}`, `{"file":"git","args":["push","--force"]}`,
			`{"shell":"bash","args":["-c","git push --force"]}`,
			`{"interpreter":"sh","flags":["-c","git push --force"]}`,
			`{"shellPath":"/bin/bash","shellArgs":["-c","git push --force"]}`,
			`{"args":["git","push","--force"],"shell":false}`,
			`{"args":[["git","push","--force"]],"kwargs":{"check":true}}`, `{"args":"git push --force","shell":true}`,
			`{"commands":["git","push","--force"]}`, `{"bash":"git push --force"}`,
			`{"command":"bash","stdin":"git push --force"}`, `{"command":["sh","-s"],"stdin":"git push --force\n"}`,
			`{"command":"python3","stdin_text":"run(['git','push','--force'])"}`,
			`{"command":"git log","extra_env":{"GIT_PAGER":"git push --force"}}`,
			`{"command":"git push $X","variables":{"X":"--force"}}`,
		},
		false: {
			`{"command":"git","args":["push"]}`, `{"command":"git","args":["push","origin","main"],"cwd":"/ws"}`,
			`{"command":"bash","args":["-c","ls && echo 'git push --force'"]}`,
			`{"command":"bash","args":["-lc","make test"],"env":[]}`,
			`{"command":"python3","args":["-m","pytest","-q"]}`, `{"command":"xargs","args":["echo"]}`,
			`{"command":"npm","args":["run","build"],"env":[{"name":"CI","value":"1"}]}`,
			`{"command":["git","commit","-m","fix (core): a & b; \"c\" $x"]}`, `{"command":["grep","-E","a|b","x"]}`,
			`{"command":["find",".","-name","*.go","-exec","wc","{}",";"]}`, `{"command":"ls","args":[]}`,
			`{"command":["bash","-lc","ls && make"]}`, `{"command":"ls","shell":"/bin/zsh"}`,
			`{"command":"ls","shell":"bash -lc"}`, `{"command":"ls","shell":true}`, `{"command":"ls","shell":null}`,
			`{"command":"ls","description":"before git push --force"}`, `{"command":"ls","title":"git push --force"}`,
			`{"command":"ls","explanation":"not git push --force","timeout":5,"is_background":false}`,
			`{"command":"make","env":{"NODE_ENV":"test","PATH":"/x:/y","HOME":"/h"}}`,
			`{"command":"make","env":"production"}`, `{"command":"make","environment":{"A":1,"B":null,"C":true}}`,
			`{"cmd":"git push","prefix_rule":["git","push","--force"]}`, `{"command":"ls","options":{"timeout":5}}`,
			`{"command":"git","args":["log","-n",5,null,true]}`, `{"command":"sleep","args":[5]}`,
			`{"command":"cat > x","stdin":"git push --force"}`, `{"command":"make","stdin":"y\n"}`,
			`{"command":"ls","riskLevelReason":"no git push --force"}`, `{"command":"sed","args":["-n","1p;$p","x"]}`,
			`{"command":"grep","args":["-E","^a|$b","x"]}`, `{"command":"awk","args":["{print $1; print $2}","x"]}`,
			`{"command":"make","language":"en","filename":"git"}`, `{"commands":["ls","git status"]}`,
			`{"command":"C:\\Program Files (x86)\\Git\\git.exe","args":["status"]}`,
		},
	} {
		for _, input := range inputs {
			for _, tool := range []string{"shell", "mcp__t__execute", "terminal/create", "run"} {
				got, why := held("shell(git push --force*)", tool, input)
				assert.Equal(t, want, got, "%s %s: %s", tool, input, why)
			}
		}
	}
	for _, input := range []string{ // of an unknown tool
		`{"input":{"command":"git push --force"}}`, `{"name":"bash","arguments":{"command":"git push --force"}}`,
		`{"name":"bash","arguments":"{\"command\":\"git push --force\"}"}`,
		`{"toolCall":{"kind":"execute","rawInput":{"command":"git","args":["push","--force"]}}}`,
		`{"calls":[{"name":"x","input":{"commands":["git push --force"]}}]}`, `[{"command":"git push --force"}]`,
		`{"cells":[{"code":"git push --force","language":"sh"}]}`, `{"steps":[{"run":"git push --force"}]}`,
		`{'command': 'git push --force'}`, `{"pid":1,"input":"git push --force"}`,
		`{"session_id":"a","keys":["git push --force","Enter"]}`,
		`{"id":"a","content":"git push --force","press_enter":true}`,
		`{"terminal_id":1,"input_text":"git push --force"}`,
		`{"session_id":1,"input":"git push --force\n"}`,
	} {
		got, why := held("shell(git push --force*)", "invoke", input)
		assert.True(t, got, "%s: %s", input, why)
	}
	for _, input := range []string{
		`{"path":".mcp.json","content":{"servers":{"x":{"command":"git","args":["push","--force"]}}}}`,
		`{"command":"create_cube","params":{"size":2}}`, `{"command":"editor.format","args":[{"a":1}]}`,
		`{"pid":1,"input":"print(\"it's\")\n"}`, `{"pid":1,"input":"for i in range(3):\n    print(i)\n"}`,
		`{"pid":1,"input":"!pip list"}`, `{"session_id":"a","input":"it's (x)"}`,
		`{"session_id":"a","text":"git push --force"}`,
		`{"database":"a","command":{"ping":1}}`, `{"run":"abc"}`, `{"arguments":{"code":"if (x) { y(); }"}}`,
		`{"children":[{"code":{"language":"bash","text":"git push --force"}}]}`,
		`{"file":"x.py","content":"git push --force"}`,
		`{"code":"if (x) { y(); }","language":"js"}`, `{ not JSON`,
		`{"name":"x","args":["push","--force"]}`, `{"skill":"deploy","args":"git push --force"}`,
	} {
		got, why := held("shell(git push --force*)", "invoke", input)
		assert.False(t, got, "%s: %s", input, why)
	}
}

// TestPatchesAnywhere holds rules for paths against patches in lists, under unknown keys, and in other forms.
func TestPatchesAnywhere(t *testing.T) {
	const p = `*** Begin Patch\n*** Update File: src/a.txt\n@@\n-x\n+y\n*** End Patch`
	const diff = `--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-x\n+y\n`
	for want, calls := range map[bool][][2]string{
		true: {
			{"shell", `{"command":["apply_patch","` + p + `"]}`},
			{"shell", `{"command":["bash","-lc","apply_patch <<'E'\n` + p + `\nE"]}`},
			{"shell", `{"command":"apply_patch","args":["` + p + `"]}`},
			{"shell", `{"command":{"x":"` + p + `"}}`},
			{"shell", `{"command":[{"x":"y"}]}`},
			{"apply_patch", `{"command":["apply_patch","` + p + `"]}`},
			{"apply_patch", `{"diff":"` + p + `"}`},
			{"apply_patch", `{"x":"` + p + `"}`},
			{"apply_patch", `{"x":["` + p + `"]}`},
			{"tool", `{"x":{"y":"` + p + `"}}`},
			{"run", `{"command":["apply_patch","` + p + `"]}`},
			{"fs_edit", `{"path":"ok","diff":"` + diff + `"}`},
			{"fs_edit", `{"path":"ok","patch":"` + diff + `"}`},
			{"fs_edit", `{"path":"ok","edits":["` + diff + `"]}`},
			{"fs_edit", `{"path":"ok","diff":"diff --git a/ok b/src/a.txt\nrename from ok\nrename to src/a.txt\n"}`},
			{"fs_edit", `{"path":"ok","diff":"copy from ok\ncopy to src/a.txt\n"}`},
			{"fs_edit", `{"path":"ok","diff":"--- \"a/src/a.txt\"\n+++ /dev/null\t2020\n"}`},
			{"fs_edit", `{"path":"ok","diff":"*** src/a.txt\t2020\n--- src/a.txt\t2021\n"}`},
			{"mcp__t__edit", `{"path":"ok","diff":"` + diff + `"}`},
		},
		false: {
			{"fs_edit", `{"path":"fix.patch","content":"` + p + `"}`},
			{"fs_edit", `{"path":"fix.patch","content":"` + diff + `"}`},
			{"fs_edit", `{"path":"fix.patch","data":"` + diff + `"}`},
			{"fs_edit", `{"path":"x.md","old_string":"a","new_string":"` + diff + `"}`},
			{"fs_edit", `{"path":"x.md","code_edit":"` + p + `"}`},
			{"fs_edit", `{"path":"x.md","diff":"--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n--- src/a.txt\n+x\n"}`},
			{"fs_edit", `{"path":"x.md","diff":"@@\n rename to src/a.txt\n"}`},
			{"shell", `{"command":["ls","-l"]}`},
			{"shell", `{"command":"[ -f x ] && ls | awk '{print $1}'"}`},
			{"shell", `{"command":"ls","env":{"A":"b"}}`},
		},
	} {
		for _, call := range calls {
			got, why := held("fs_edit(src/**)", call[0], call[1])
			assert.Equal(t, want, got, "%s %s: %s", call[0], call[1], why)
		}
	}
}

// TestPathsThatToolsDecode holds a rule against globs where others have paths, and against spellings of a path.
func TestPathsThatToolsDecode(t *testing.T) {
	for want, inputs := range map[bool][]string{
		true: {
			`{"paths":[".e*"]}`, `{"path":".e*"}`, `{"files":["src/a",".[e]nv"]}`, `{"paths":".en?"}`,
			`{"path":".env:1-20"}`, `{"file_path":".{env,x}"}`,
			`{"path":".env#L1"}`, `{"path":".env?raw"}`, `{"path":"%2eenv"}`, `{"path":"@.env"}`,
			`{"path":".env::$DATA"}`,
			`{"path":".env."}`, `{"path":"HEAD:.env"}`, `{"path":".env\u200b"}`, `{"path":"x%2f..%2f.env"}`,
		},
		false: {
			`{"path":"app/[id]/page.tsx"}`, `{"paths":["app/[id]/page.tsx","app/[...slug]/b.ts"]}`,
			`{"paths":["src/*.go"]}`,
			`{"path":"@/components/x.ts"}`, `{"path":"@scope/pkg/a.ts"}`, `{"path":"a.go:10"}`, `{"path":"100%.md"}`,
			`{"path":"c#/x.cs"}`, `{"path":"C:/x/y.go"}`, `{"path":"a..b"}`, `{"path":"."}`,
		},
	} {
		for _, input := range inputs {
			for _, tool := range []string{"fs_read", "read_many"} {
				got, why := held("fs_read(.env)", tool, input)
				assert.Equal(t, want, got, "%s %s: %s", tool, input, why)
			}
		}
	}
	got, why := held("fs_grep(.env)", "fs_grep", `{"pattern":"KEY","paths":[".e*"]}`)
	assert.True(t, got, why)
	got, why = held("fs_grep(secrets/**)", "fs_grep", `{"pattern":"KEY","paths":["secrets","*.md"]}`)
	assert.True(t, got, why)
}
