//go:build unix

package trust_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
)

// Each command names a script in another way: it is found, or nobody can tell and there is a doubt.
func TestUnderstoodOrDoubt(t *testing.T) {
	type list = []string
	for _, tt := range []struct {
		command any
		file    string // that must be found
		doubt   string // "": there is none
	}{
		{list{"bash", "-ceu", "./guard.sh --strict"}, "guard.sh", ""},
		{`sh -ce "./guard.sh --strict"`, "guard.sh", ""},
		{list{"bash", "-c", "--", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"busybox", "sh", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"rbash", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"mksh", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"yash", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"fish", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"ionice", "-c", "3", "bash", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"chrt", "-r", "3", "bash", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"flock", "lock", "bash", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{list{"flock", "lock", "-c", "./guard.sh --strict"}, "guard.sh", ""},
		{"cd -P gates && ./a.sh", "gates/a.sh", ""},
		{"cd -- gates && ./a.sh", "gates/a.sh", ""},
		{"command cd gates && ./a.sh", "gates/a.sh", ""},
		{"cd gates && cd sub && ./x.sh", "gates/sub/x.sh", ""},
		{"env -C gates ./a.sh", "gates/a.sh", "an option of env that is not known"},
		{"env -Cgates ./a.sh", "gates/a.sh", "an option of env that is not known"},
		{"env --chdir=gates ./a.sh", "gates/a.sh", "an option of env that is not known"},
		{"PATH=gates:$PATH a.sh", "", "PATH has a folder of the workspace"},
		{"PATH=gates:$PATH; . a.sh", "gates/a.sh", "PATH has a folder of the workspace"},
		{"for g in gates/a.sh gates/b.sh; do sh $g; done", "gates/b.sh", ""},
		{"for g in gates/*.sh; do sh \"$g\"; done", "gates/b.sh", ""},
		{"env BASH_ENV=gates/a.sh bash -c :", "gates/a.sh", ""},
		{"BASH_ENV=gates/a.sh bash -c :", "gates/a.sh", ""},
		{"sh <>gates/a.sh", "gates/a.sh", ""},
		{"sh < gates/a.sh", "gates/a.sh", ""},
		{"${G:-./guard.sh} --strict", "guard.sh", ""},
		{list{"python3", "-mtool"}, "tool.py", `what python runs with "-mtool"`},
		{list{"python3", "-Im", "tool"}, "", `what python runs with "-Im"`},
		{list{"python3", "-c", "import json, tool; tool.main()"}, "", `what python runs with "-c"`},
		{"python3 - <<'END'\nimport tool\nEND", "", "python reads its program from its stdin"},
		{list{"awk", "-fguard.awk"}, "guard.awk", "an option of awk that is not known"},
		{list{"make", "-sfgate.mk", "check"}, "gate.mk", `what files "make" runs`},
		{"make lint", "Makefile", `what files "make" runs`},
		{"node .", "main.js", ""},
		{"node app", "app/index.js", ""},
		{`node -e 'require("./app")'`, "app/index.js", `what node runs with "-e"`},
		{"bash <<'END'\n./guard.sh\nEND", "guard.sh", ""},
		{"f() { ./guard.sh; }; f", "guard.sh", "a construct of a shell that is not known"},
		{"npx eslint src", "node_modules/.bin/eslint", `what files "npx" runs`},
		{"uv run gates/x.py", "gates/x.py", ""},
		{`x=$(jq -r .tool_input.file_path); ./guard.sh "$x"`, "guard.sh", ""},

		{"sh gates/$1.sh", "", "is known only when it runs"},
		{`eval "$X"`, "", "what eval runs"},
		{`"$(dirname "$0")"/a.sh`, "", "is known only when it runs"},
		{"D=$(cat where); \"$D/a.sh\"", "", `"\"$D/a.sh\"" is known only when it runs`},
		{"if true; then D=gates; else D=other; fi; $D/a.sh", "", "is known only when it runs"},
		{"for g in $(ls gates); do sh gates/$g; done", "", "ls is given the folder"},
		{"cd \"$X\" && ./a.sh", "", "is known only when it runs"},
		{"curl -s https://example.com/x | sh", "", "sh reads its commands from its stdin"},
		{`PATH="$X:$PATH" a.sh`, "", "the value of PATH is known only when it runs"},
		{`BASH_ENV="$X" bash -c :`, "", "the value of BASH_ENV"},
		{`./gates/$HOOKRUN_TOOL.sh`, "", "is known only when it runs"},
		{`. "$X"`, "", "is known only when it runs"},
		{`read HOME < which; "$HOME/a.sh"`, "", "is known only when it runs"},
		{"printf -v HOME gates; $HOME/a.sh", "", "is known only when it runs"},
		{"IFS=/; D=gates; $D/a.sh", "", "is known only when it runs"},
		{"cat gates/a.sh | . /dev/stdin", "", "is no path of a file"},
		{"cat gates/x.py | python3 /dev/stdin", "", "python reads its program from its stdin"},
		{"exec 3< which; sh <&3", "", "sh reads its commands from its stdin"},
		{". <(cat which)", "", "is known only when it runs"},
		{"PATH+=:gates; a.sh", "", "PATH has a folder of the workspace"},
		{"NODE_PATH=gates node x.js", "", "NODE_PATH names a folder"},
		{"xargs sh < which", "", `xargs runs "sh" on files`},
		{"CDPATH=gates; cd sub && ./x.sh", "gates/sub/x.sh", "CDPATH names a folder"},
		{"alias g=./guard.sh; g", "guard.sh", `hookrun does not know what files "alias" runs`},
		{"trap ./guard.sh EXIT", "guard.sh", ""},
		{"hash -p gates/a.sh foo; foo", "gates/a.sh", `what files "hash" runs`},
		{"env -i PATH=gates a.sh", "gates/a.sh", "an option of env that is not known"},
		{"npm run lint", "", `hookrun does not know what files "npm" runs`},
		{"enable -f gates/x.so y", "", `what files "enable" runs`},
		{"mapfile -C './guard.sh --strict' -c 1 a < which", "guard.sh", `what files "mapfile" runs`},
		{"../001-programs/go run ./gates", "", `what files "go" runs`},
		{"sh gates/{\"a\",b}.sh", "", "it has braces"},
		{"[[ -d skip ]] && exit 0; ./guard.sh", "guard.sh", "a folder may come to be"},
		{"[ -f skip ] && exit 0; ./guard.sh", "guard.sh", ""},
		{"nowhere check", "", ""}, // not in PATH: once it is, that is a change
		{"mytool check", "", `hookrun does not know what files "mytool" runs`},
		{"go run ./gates", "", `hookrun does not know what files "go" runs`},
		{"cargo run -p gate", "", `hookrun does not know what files "cargo" runs`},
		{"cargo fmt --check", "", `hookrun does not know what files "cargo" runs`},
		{`python3 "$1"`, "", "is known only when python runs"},
		{list{"python3", "-I", "-c", "import os; os.system('sh gates/a.sh')"}, "", `what python runs with "-c"`},
		{list{"node", "-e", "require('child_process').execSync('sh gates/a.sh')"}, "", `what node runs with "-e"`},
		{list{"node", "--no-warnings", "main.js"}, "main.js", ""},
		{"NODE_OPTIONS=$X node main.js", "", "the value of NODE_OPTIONS"},
		{"NODE_OPTIONS=--require=./main.js node app/index.js", "main.js", ""},
		{"PERL5LIB=$X perl x.pl", "", "the value of PERL5LIB"},
		{list{"awk", "/AKIA/ {exit 2}"}, "", ""},
		{list{"awk", "/a|b/ { print $1 || $2 }"}, "", "awk has |"},
		{list{"awk", "{ print | \"sh\" }"}, "", "awk has |"},
		{list{"awk", "{ \"sh\" | getline x }"}, "", "awk has |"},
		{list{"gawk", "{ f = \"system\"; @f(\"x\") }"}, "", "gawk has system"},
		{list{"perl", "-ne", "exit 2 if /rm -rf/"}, "", `what perl runs with "-ne"`},
		{list{"ruby", "-e", "%x(sh gates/a.sh)"}, "", `what ruby runs with "-e"`},
		{list{"php", "-r", "include 'x.php';"}, "", `hookrun does not know what files "php" runs`},
		{"osascript -e 'do shell script \"gates/a.sh\"'", "", "the script of osascript"},
		{"npx eslint .", "node_modules/.bin/eslint", `hookrun does not know what files "npx" runs`},
		{"if then ./guard.sh", "guard.sh", "the line cannot be read: a syntax error"},

		{"grep -q AKIA && exit 2 || exit 0", "", ""},
		{`jq -e '.tool_input.command | test("rm -rf") | not' > /dev/null || exit 2`, "", ""},
		{"jq -r .tool_input.file_path | xargs -r gofmt -w", "", ""},
		{`f=$(jq -r .tool_input.file_path); case $f in *.go) gofmt -w "$f";; esac`, "", ""},
		{"\"$CLAUDE_PROJECT_DIR\"/guard.sh", "", "is known only when it runs"}, // not in an entry of this form
		{"ruff check .", "", ""},
		{"osascript -e 'display notification \"done\"'", "", ""},
	} {
		command, err := json.Marshal(tt.command)
		require.NoError(t, err)
		t.Run(string(command), func(t *testing.T) {
			dir := workspace(t, "guard.sh", "gates/a.sh", "gates/b.sh", "gates/sub/x.sh", "guard.awk",
				"gate.mk", "tool.py", "app/index.js", "Makefile", "src/x", "gates/x.py", "main.js",
				"node_modules/.bin/eslint", "x.pl")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"main": "main"}`), 0o600))
			install(t, dir, "mytool", "go", "cargo", "npm", "npx", "make", "php")
			doc := `{"hooks": [{"name": "h", "command": ` + string(command) + `, "events": ["pre-tool"]}]}`
			cfg, now := take(t, dir, doc)
			if tt.file != "" {
				require.Contains(t, now.Named(&cfg.Hooks[0]), tt.file)
			}
			unresolved, _ := now.Unresolved(cfg)
			if tt.doubt == "" {
				require.Empty(t, unresolved)
				return
			}
			require.Len(t, unresolved, 1)
			require.Contains(t, unresolved[0].Error(), tt.doubt)
			require.Contains(t, unresolved[0].Error(), ".tenex-hooks.json:1:37: hook \"h\": ")
		})
	}
}

// TestWaysAroundTrust holds commands of which a file could be changed in silence: none is understood.
func TestWaysAroundTrust(t *testing.T) {
	text, err := os.ReadFile("testdata/around.jsonl")
	require.NoError(t, err)
	dir := workspace(t, "gates/a.sh", "gates/b.sh", "gates/b.py", "gates/g.py", "gates/sub/x.sh", "lib/a.sh", "list")
	install(t, dir, strings.Fields("awk bash bun cargo cat cp curl dash deno diff docker env find gawk git go grep "+
		"head jq less lua ls make mapfile mawk node npm npx perl php podman python3 rg rsync ruby sed sh sort split "+
		"sqlite3 ssh "+
		"tar terraform timeout uv xargs zsh poetry pipenv hatch conda bundle direnv dotenvx mise nix pytest pylint "+
		"prettier markdownlint-cli2 fd bat pre-commit chroot")...)
	for command := range strings.Lines(string(text)) {
		doc := `{"hooks": [{"name": "h", "command": ` + strings.TrimSpace(command) + `, "events": ["pre-tool"]}]}`
		cfg, now := take(t, dir, doc)
		unresolved, _ := now.Unresolved(cfg)
		require.NotEmpty(t, unresolved, command)
	}
}

// A file that an interpreter would take instead of the one that was allowed is a difference.
func TestFilesThatComeFirst(t *testing.T) {
	for _, tt := range []struct{ command, file string }{
		{`["python3", "-m", "tool"]`, "tool/__init__.py"},
		{`["python3", "-m", "tool"]`, "tool/__main__.py"},
		{`["python3", "-m", "tool"]`, "tool.cpython-312-x86_64-linux-gnu.so"},
		{`["python3", "-m", "pkg.tool"]`, "pkg/__init__.py"},
		{`["python3", "-m", "black"]`, "black.py"},
		{`["node", "app"]`, "app.js"},
		{`["node", "app"]`, "app/package.json"},
		{`["node", "."]`, "package.json"},
		{`"make check"`, "GNUmakefile"},
		{`"npx eslint ."`, "node_modules/.bin/eslint"},
		{`"for g in gates/*.sh; do sh $g; done"`, "gates/0.sh"},
	} {
		dir := workspace(t, "tool.py", "pkg/tool.py", "app/index.js", "index.js", "Makefile", "gates/a.sh")
		doc := `{"hooks": [{"name": "h", "command": ` + tt.command + `, "events": ["pre-tool"]}]}`
		_, before := take(t, dir, doc)
		path := filepath.Join(dir, tt.file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
		_, now := take(t, dir, doc)
		differences := now.Since(before)
		require.NotEmpty(t, differences, tt)
		require.Equal(t, tt.file+" was not there before", differences[0].String(), tt)
	}
}

func TestMainOfPackage(t *testing.T) {
	dir := workspace(t, "app/main.js")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app/package.json"), []byte(`{"main": "main.js"}`), 0o600))
	cfg, now := take(t, dir, `{"hooks": [{"name": "h", "command": ["node", "app"], "events": ["pre-tool"]}]}`)
	require.ElementsMatch(t, []string{"app/main.js", "app/package.json"}, now.Named(&cfg.Hooks[0]))
}

// The globs of an entry are hashed by names and contents.
func TestFilesOfEntry(t *testing.T) {
	const doc = `{"hooks": [{"name": "h", "command": "sh gates/$1.sh", "events": ["pre-tool"],
		"files": ["gates/**", "*.mk"]}]}`
	dir := workspace(t, "gates/a.sh", "gates/sub/b.sh", "gates/.git/x", "gate.mk", "other.sh")
	cfg, before := take(t, dir, doc)
	require.Equal(t, []string{"gate.mk", "gates/a.sh", "gates/sub/b.sh"}, before.Named(&cfg.Hooks[0]))
	unresolved, _ := before.Unresolved(cfg)
	require.Empty(t, unresolved)
	for name, want := range map[string]string{
		"gates/sub/new.sh": "was not there before", "gates/a.sh": "was changed", "new.mk": "was not there before",
		"gates/.hidden": "was not there before", "other.sh": "", "sub/x.mk": "",
	} {
		dir := workspace(t, "gates/a.sh", "gates/sub/b.sh", "gate.mk", "other.sh", "sub/y")
		_, before := take(t, dir, doc)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("new"), 0o600))
		_, now := take(t, dir, doc)
		var got []string
		for _, d := range now.Since(before) {
			got = append(got, d.String())
		}
		if want != "" {
			want = name + " " + want
		}
		require.Equal(t, want, strings.Join(got, ", "))
	}
}

// A link to a folder would take the glob out of the workspace.
func TestGlobThroughALink(t *testing.T) {
	for _, glob := range []string{"gates/**", "gates/**/*.sh", "gates/*/*.sh"} {
		dir := workspace(t, "gates/a.sh", "other/b.sh")
		require.NoError(t, os.Symlink("../other", filepath.Join(dir, "gates/sub")))
		doc := `{"hooks": [{"name": "h", "command": "true", "events": ["pre-tool"], "files": ["` + glob + `"]}]}`
		cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName), []byte(doc))
		require.NoError(t, err)
		_, err = trust.Take(cfg, options(dir))
		require.ErrorContains(t, err, filepath.Join(dir, "gates/sub")+" is a link to a folder", glob)
	}
}

// What was understood when the hooks were allowed must be understood at each call.
func TestDoubtLater(t *testing.T) {
	dir := workspace(t, "guard.sh", "skip/x")
	const doc = `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "command", "command": "[ -d skip ] || ./guard.sh"}]}]}}`
	_, before := take(t, dir, doc)
	require.Empty(t, before.Doubts)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "skip")))
	_, now := take(t, dir, doc)
	differences := now.Since(before)
	require.Len(t, differences, 1)
	require.Contains(t, differences[0].String(), "is not understood any more: a test that \"skip\" is there")
}

// FuzzCommand: no line of a hook ends a call.
func FuzzCommand(f *testing.F) {
	for _, line := range slices.Concat(daily, []string{
		"cat <<E\nE", "() true", "for a in 1 2; do for b in 3 4; do $a $b; done; done", "x=(1 2); ${x[0]}",
		"a() { b; }; a", "case x in (y) z;; esac", "[[ -d x ]] && sh <y", "select a in b; do c; done",
	}) {
		f.Add(line)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, line string) {
		command, err := json.Marshal(line)
		require.NoError(t, err)
		doc := `{"hooks": [{"name": "h", "command": ` + string(command) + `, "events": ["pre-tool"]}]}`
		cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName), []byte(doc))
		if err != nil {
			return
		}
		_, err = trust.Take(cfg, options(dir))
		require.NoError(t, err)
	})
}

func TestGlobsThatNameNothing(t *testing.T) {
	dir := workspace(t, "gates/a.sh")
	const doc = `{"hooks": [{"name": "h", "command": "true", "events": ["pre-tool"], "files": ["gate/**"]}]}`
	cfg, now := take(t, dir, doc)
	unresolved, _ := now.Unresolved(cfg)
	require.Len(t, unresolved, 1)
	require.Contains(t, unresolved[0].Text, `hook "h": its glob "gate/**" in "files" names no file; fix the glob`)
	cfg, now = take(t, dir, strings.Replace(doc, `["gate/**"]`, `[]`, 1))
	unresolved, _ = now.Unresolved(cfg)
	require.Empty(t, unresolved)
}

// Entries of a client's own file cannot have "files".
func TestUnresolvedOfClients(t *testing.T) {
	cfg, now := take(t, workspace(t), `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "command", "command": "sh gates/$1.sh"},
		{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh"}]}]}}`)
	entries, ofClients := now.Unresolved(cfg)
	require.Empty(t, entries)
	require.Len(t, ofClients, 1)
	require.Contains(t, ofClients[0].Error(), "is not in the list of hookrun allow is not noticed")
}
