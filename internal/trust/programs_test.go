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

	"github.com/hookrun/hookrun/internal/trust"
)

// hookOf is a hooks file with one hook.
func hookOf(t *testing.T, command any) string {
	text, err := json.Marshal(command)
	require.NoError(t, err)
	return `{"hooks": [{"name": "h", "command": ` + string(text) + `, "events": ["pre-tool"]}]}`
}

func differences(now, before *trust.Fingerprint) (texts []string) {
	for _, d := range now.Since(before) {
		texts = append(texts, d.String())
	}
	return texts
}

// The configuration of these programs, or a file beside them, can name code of the project.
func TestProgramsThatAFileMakesRunCode(t *testing.T) {
	dir := workspace(t, "sub/x", "g.sh", "h.php", "h.lua", "off", "p.jq")
	install(t, dir, strings.Fields("pre-commit flake8 golangci-lint oxlint dprint ktlint jsonlint pydocstyle rustfmt "+
		"cargo scalafmt golines zprint php lua osascript git find stat ls jq curl sort prettier eslint mypy pylint "+
		"gradle mvn tox nox lefthook husky stylelint rubocop pint phpcs luacheck ansible-lint sqlfluff buf")...)
	for _, command := range []string{
		"pre-commit run --all-files", "flake8 src", "golangci-lint run", "oxlint .", "dprint fmt", "ktlint -F",
		"jsonlint x.json", "pydocstyle x.py", "rustfmt x.rs", "cargo fmt", "scalafmt x.scala", "golines -w x.go",
		"zprint x.clj", "php h.php", "lua h.lua", "prettier --check .", "eslint .", "mypy src", "pylint src",
		"lefthook run x", "stylelint x.css", "rubocop", "sqlfluff lint", "buf lint",
		`f=$(jq -r .file); case $f in *.rs) rustfmt "$f";; esac`, "find . -name '*.py' -exec flake8 {} +",
		"git ls-files | xargs oxlint",
		"git commit -qm x", "git push", "git checkout main",
		`osascript -e 'display notification (do shell script "sh g.sh")'`,
		`osascript -e 'display notification "x" & (run script "g.sh")'`,
		"osascript -e 'display notification run script file \"g.sh\"'",
		"curl --engine ./x.so https://example.com", "curl --conf x", "jq -f \"$X\"", `jq -nrf "$(cat which)"`,
		"sort --compress-program=./g.sh off",
		"[ g.sh -nt off ] && exit 0; ./g.sh", "test g.sh -ot off && exit 0; ./g.sh", "[[ g.sh -nt off ]] || exit 0",
		"[ g.sh -ef off ] && exit 0", "[ -w g.sh ] || exit 0; ./g.sh", "[[ -N off ]] && exit 0; ./g.sh",
		"[ -u g.sh ] && exit 0", "[ -x new ] && exit 0; ./g.sh", "[[ -s new ]] && exit 0; ./g.sh",
		"[ -r new ] && exit 0; ./g.sh", "cd new && exit 0; ./g.sh", "mkdir x; cd x/y || ./g.sh",
		"[ -h l ] || exit 0; ./g.sh", "[[ -L l ]] || exit 0; ./g.sh", "which ./g.sh && exit 2",
		"find g.sh -perm -100 | grep -q . && ./g.sh",
		"[ -n \"$(find g.sh -newer off)\" ] && exit 0; ./g.sh", "find . -executable -name g.sh | grep -q . || exit 0",
		"stat -c %a g.sh | grep -q 7 || exit 0; ./g.sh", "ls -l g.sh | grep -q x || exit 0; ./g.sh",
	} {
		cfg, now := take(t, dir, hookOf(t, command))
		unresolved, _ := now.Unresolved(cfg)
		require.NotEmpty(t, unresolved, command)
	}
	for _, command := range []string{
		"gofmt -l .", "ruff check .", "black .", "isort x.py", "yamllint .", "shellcheck g.sh", "tsc --noEmit",
		"pyright", `f=$(jq -r .f); [ -L "$f" ] && exit 0; ./g.sh`,
		"typos", "biome check .", "mkdir -p logs", "rm -f x", "find . -name '*.py' -newer off -exec ruff format {} +",
		`osascript -e 'display notification "done" with title "Agent" sound name "Glass"'`,
		`osascript -e "display notification \"$(jq -r .message)\" with title \"Agent\""`,
		"git status --short", "git diff --name-only | head", "jq -f p.jq", "[ -f new ] && exit 0; ./g.sh",
		"[ -x g.sh ] && ./g.sh", "ls", "cd sub && cd .. && cd sub && ../g.sh", `f=$(jq -r .file); stat -c %s "$f"`,
		`[ -x "$HOME/nowhere" ] && exit 0; ./g.sh`,
	} {
		cfg, now := take(t, dir, hookOf(t, command))
		unresolved, _ := now.Unresolved(cfg)
		require.Empty(t, unresolved, command)
	}
}

// A new file that Python or Node takes before the one that was meant is a difference; no other new file is.
func TestFilesTakenFirst(t *testing.T) {
	const script = "import json, sys\nfrom tool import check  # x\ntry:\n    import yaml\nexcept ImportError: pass\n"
	python := func(options string) any { return strings.Fields("python3 " + options + " gates/h.py") }
	for _, tt := range []struct {
		command any
		file    string
		want    string // "": no difference
	}{
		{python(""), "gates/json.py", "gates/json.py"},
		{python(""), "gates/json/__init__.py", "gates/json/__init__.py"},
		{python(""), "gates/json/__init__.cpython-312-x86_64.so", "gates/json/__init__.cpython-312-x86_64.so"},
		{python(""), "gates/json.pyc", "gates/json.pyc"},
		{python(""), "gates/json.so", "gates/json.so"},
		{python(""), "gates/json.abi3.so", "gates/json.abi3.so"},
		{python(""), "gates/re.py", "gates/re.py"}, // json imports it
		{python(""), "gates/_json.py", "gates/_json.py"},
		{python(""), "gates/nt.py", "gates/nt.py"},                     // ntpath tries it
		{python(""), "gates/org/__init__.py", "gates/org/__init__.py"}, // copy tries it
		{python(""), "gates/yaml.py", "gates/yaml.py"},
		{python(""), "gates/tool/__init__.py", "gates/tool/__init__.py"},
		{python(""), "gates/tool.so", "gates/tool.so"},
		{python(""), "gates/requests.py", "gates/requests.py"}, // tool.py imports it
		{python("-u -B"), "gates/json.py", "gates/json.py"},
		{python("-s"), "gates/json.py", "gates/json.py"},
		{"python3 gates/h.py", "gates/json.py", "gates/json.py"},
		{"cd gates && python3 h.py", "gates/json.py", "gates/json.py"},
		{"timeout 5 python3 ./gates/h.py --strict", "gates/json.py", "gates/json.py"},
		{[]string{"gates/run.py"}, "gates/json.py", "gates/json.py"},
		{[]string{"python3", "link.py"}, "gates/json.py", "gates/json.py"},
		{[]string{"python3", "app"}, "app/json.py", "app/json.py"},
		{[]string{"python3", "-m", "mod"}, "json.py", "json.py"},
		{[]string{"python3", "-m", "pkg.mod"}, "yaml.py", "yaml.py"},
		{[]string{"python3", "-c", "import json, own"}, "own.py", "own.py"},
		{[]string{"python3", "-c", "import json, own"}, "json.py", "json.py"},
		{[]string{"node", "js/h.js"}, "js/package.json", "js/package.json (type and imports)"},
		{[]string{"node", "js/h.mjs"}, "js/package.json", "js/package.json (type and imports)"}, // of #names
		{[]string{"node", "js/deep/h.js"}, "js/package.json", "js/package.json (type and imports)"},
		{[]string{"node", "js/deep/h.ts"}, "js/deep/package.json", "js/deep/package.json (type and imports)"},

		{python("-I"), "gates/json.py", ""},
		{python("-P"), "gates/json.py", ""},
		{python(""), "gates/helper.py", ""},
		{python(""), "gates/test_h.py", ""},
		{python(""), "gates/json.txt", ""},
		{python(""), "gates/json.schema.json", ""},
		{python(""), "gates/json/data.txt", ""}, // without __init__ the standard module counts
		{python(""), "gates/__pycache__/tool.cpython-312.pyc", ""},
		{python(""), "json.py", ""},
		{[]string{"python3", "gates/h.py", "-m", "x"}, "json.py", ""},
		{[]string{"node", "js/h.js"}, "js/other.js", ""},
		{[]string{"node", "js/h.js"}, "js/deep/package.json", ""},
	} {
		dir := workspace(t, "app/__main__.py", "js/h.js", "js/h.mjs", "js/deep/h.js", "js/deep/h.ts")
		write := func(name, text string) {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o700)) //nolint:gosec // a script
		}
		write("gates/h.py", script)
		write("gates/run.py", "#!/usr/bin/env python3\n"+script)
		write("gates/tool.py", "import requests\n")
		write("mod.py", script)
		write("pkg/mod.py", script)
		write("package.json", `{"name": "x"}`)
		require.NoError(t, os.Symlink("gates/h.py", filepath.Join(dir, "link.py")))
		doc := hookOf(t, tt.command)
		cfg, before := take(t, dir, doc)
		_, again := take(t, dir, doc)
		require.Empty(t, again.Since(before), tt)
		h := &cfg.Hooks[0]
		require.Empty(t, before.ChangedBeforeRun(h), tt)
		write(tt.file, `{"type": "module"}`)
		_, now := take(t, dir, doc)
		got := strings.Join(differences(now, before), "\n")
		if tt.want == "" {
			require.Empty(t, got, tt)
			if tt.file != "gates/json/data.txt" { // a new folder may get an __init__.py while the hook starts
				require.Empty(t, before.ChangedBeforeRun(h), tt)
				require.Empty(t, before.ChangedDuringRun(h), tt)
			}
			continue
		}
		require.Contains(t, got, tt.want+" was not there before", tt)
		require.NotEmpty(t, before.ChangedBeforeRun(h), tt)
		require.NotEmpty(t, before.ChangedDuringRun(h), tt)
	}
}

// A package.json changes in daily work; what Node takes from it for a script does not.
func TestPackageOfAScript(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": "x", "dependencies": {"a": "1"}, "type": "commonjs"}`: "",
		`{"name": "x", "type": "module"}`:                               "was changed",
		`{"type": "commonjs", "imports": {"#a": "./b.js"}}`:             "was changed",
		"\ufeff" + `{"type": "commonjs"}`:                               "", // a byte order mark
		`{`:                                                             "was changed",
	} {
		dir := workspace(t, "js/h.js")
		doc := hookOf(t, "node js/h.js")
		path := filepath.Join(dir, "package.json")
		require.NoError(t, os.WriteFile(path, []byte(`{"type": "commonjs"}`), 0o600))
		_, before := take(t, dir, doc)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, now := take(t, dir, doc)
		got := strings.Join(differences(now, before), "\n")
		if want != "" {
			want = "package.json (type and imports) " + want
		}
		require.Equal(t, want, got, text)
	}
}

// What a line tests of a file is part of the record.
func TestTestedFiles(t *testing.T) {
	for _, tt := range []struct{ command, change, want string }{
		{"[ -x ./g.sh ] && exec ./g.sh; exit 0", "-x", "g.sh (not executable) was not there before"},
		{"test -x g.sh && ./g.sh; exit 0", "-x", "g.sh (not executable) was not there before"},
		{"if [ ! -x g.sh ]; then exit 0; fi; sh g.sh", "-x", "g.sh (not executable) was not there before"},
		{"[[ -x g.sh ]] || exit 0; sh g.sh", "-x", "g.sh (not executable) was not there before"},
		{"./g.sh || true", "-x", "g.sh (not executable) was not there before"},
		{"command -v ./g.sh && ./g.sh; exit 0", "-x", "g.sh (not executable) was not there before"},
		{"[ -x plain ] && exit 0; ./g.sh", "+x", "plain (not executable) is gone"},
		{"sh g.sh", "-x", ""},
		{"[ -x g.sh ] && ./g.sh", "775", ""},
		{"test -f off && exit 0; ./g.sh", "off", "off was not there before"},
		{"[[ -f off ]] && exit 0; ./g.sh", "off", "off was not there before"},
		{"[[ ! -s plain ]] && exit 0; ./g.sh", "empty", "plain was changed"},
		{"[ -s plain ] || exit 0; ./g.sh", "gone", "plain is gone"},
		{"[[ -r plain ]] || exit 0; ./g.sh", "gone", "plain is gone"},
		{"[ -d sub ] || exit 0; ./g.sh", "sub", "is not understood any more"},
	} {
		dir := workspace(t, "g.sh", "plain", "sub/x")
		plain, script := filepath.Join(dir, "plain"), filepath.Join(dir, "g.sh")
		require.NoError(t, os.Chmod(plain, 0o600))
		doc := hookOf(t, tt.command)
		cfg, before := take(t, dir, doc)
		unresolved, _ := before.Unresolved(cfg)
		require.Empty(t, unresolved, tt)
		change := map[string]func() error{
			"-x":    func() error { return os.Chmod(script, 0o600) },
			"775":   func() error { return os.Chmod(script, 0o775) }, //nolint:gosec // a script
			"+x":    func() error { return os.Chmod(plain, 0o700) },  //nolint:gosec // a script
			"off":   func() error { return os.WriteFile(filepath.Join(dir, "off"), nil, 0o600) },
			"empty": func() error { return os.WriteFile(plain, nil, 0o600) },
			"gone":  func() error { return os.Remove(plain) },
			"sub":   func() error { return os.RemoveAll(filepath.Join(dir, "sub")) },
		}[tt.change]
		require.NoError(t, change())
		_, now := take(t, dir, doc)
		got := strings.Join(differences(now, before), "\n")
		if tt.want == "" {
			require.Empty(t, got, tt)
			continue
		}
		require.Contains(t, got, tt.want, tt)
	}
}

// A version manager's shim reads in the project which program it runs.
func TestShims(t *testing.T) {
	dir := workspace(t, "bin/shims/jq")
	shims := t.TempDir() + "/shims"
	require.NoError(t, os.Mkdir(shims, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(shims, "jq"), nil, 0o700)) //nolint:gosec // a program
	doc := hookOf(t, "PATH="+shims+" jq -e .x")
	_, before := take(t, dir, doc)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tool-versions"), []byte("jq path:./bin"), 0o600))
	_, now := take(t, dir, doc)
	require.Contains(t, strings.Join(differences(now, before), "\n"), ".tool-versions was not there before")
}

func TestStandardModulesAreSorted(t *testing.T) {
	text, err := os.ReadFile("modules.txt")
	require.NoError(t, err)
	require.True(t, slices.IsSorted(strings.Fields(string(text)))) // for a binary search
	require.Subset(t, strings.Fields(string(text)), strings.Fields("json os re _json org zoneinfo __future__"))
}
