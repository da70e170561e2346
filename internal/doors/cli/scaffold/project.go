package scaffold

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// entry is a hook for the project.
type entry struct {
	name    string
	command string // for sh
	tests   bool   // run at the end of a turn; if false, after an edit of a file
}

// String returns the entry as JSON. Its "files" are none, and its command finds its program when it runs: daily work
// changes what formatters and tests read, and installs programs, and trust would hold calls after such a change.
func (e entry) String() string {
	when := `"events": ["post-tool"], "matcher": "fs_write|fs_edit"`
	if e.tests {
		when = `"events": ["Stop"], "dialect": "claude", "timeout": "5m"`
	}
	return fmt.Sprintf("{\"name\": %q, \"enabled\": true, %s,\n   \"command\": %s,\n   \"files\": []}", e.name, when,
		strictjson.AppendString(nil, e.command))
}

// entries returns hooks for the project: some format edited files, others run the tests at the end of a turn. The
// programs are found in the project's own files.
func entries(dir string) (found []entry) {
	project := os.DirFS(dir)
	has := func(names ...string) bool {
		for _, name := range names {
			if matches, err := fs.Glob(project, name); err == nil && len(matches) > 0 {
				return true
			}
		}
		return false
	}
	format := func(name, patterns, program, options string) {
		found = append(found, entry{name: "format-" + name,
			command: `"$HOOKRUN" get file | { s=0; p=; while IFS= read -r f; do [ -f "$f" ] || continue; case $f in ` +
				patterns + `) p=${p:-` + program + `}; [ -x "$p" ] || exit 0; "$p" ` + options +
				` -- "$f" >&2 || s=1;; esac; done; exit $s; }`})
	}
	tests := func(name, program, needs, arguments string) {
		found = append(found, entry{name: "tests-" + name, tests: true,
			command: `p=$(command -v ` + program + `) || exit 0; ` + needs + `out=$("$p" ` + arguments +
				` 2>&1) || { printf '%s\n' "${out:-the tests failed}" | tail -n 40 >&2; exit 2; }`})
	}
	if has("go.mod") {
		format("go", `*.go`, `$(command -v gofmt)`, `-w`)
		if has("*_test.go", "*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go") {
			tests("go", `go`, ``, `test ./...`)
		}
	}
	switch {
	case pythonNames(dir, "ruff") || has("ruff.toml", ".ruff.toml"):
		format("python", `*.py|*.pyi`, `$(command -v ruff)`, `format -q`)
	case pythonNames(dir, "black"):
		format("python", `*.py|*.pyi`, `$(command -v black)`, `-q`)
	}
	if pythonNames(dir, "pytest") || has("pytest.ini", "conftest.py", "tests/conftest.py") {
		const command = `-m pytest -q 2>&1 || [ $? -eq 5 ]` // 5: there is no test
		tests("python", `python3`, `"$p" -c 'import pytest' 2>/dev/null || exit 0; `, command)
	}
	node := gjson.Parse(read(dir, "package.json"))
	needs := func(name string) bool {
		for _, key := range []string{"devDependencies", "dependencies"} {
			if node.Get(key).Get(gjson.Escape(name)).Exists() {
				return true
			}
		}
		return false
	}
	const scripts = `*.js|*.jsx|*.mjs|*.cjs|*.ts|*.tsx|*.mts|*.cts|*.css`
	ofNode := func(program, options string) {
		format("node", scripts, `$("$(command -v npm)" root 2>/dev/null)/.bin/`+program, options)
	}
	switch {
	case needs("@biomejs/biome") || has("biome.json", "biome.jsonc"):
		ofNode("biome", `format --write`)
	case needs("prettier") || node.Get("prettier").Exists() || has(".prettierrc*", "prettier.config.*"):
		ofNode("prettier", `--log-level warn --write`)
	}
	if test := node.Get("scripts.test").String(); test != "" && !strings.Contains(test, "no test specified") {
		tests("node", `npm`, ``, `test --silent`)
	}
	return found
}

// pythonNames reports whether the files of a Python project name a program: as a tool in pyproject.toml, in a list of
// requirements, or as a hook of pre-commit. Comments and prose do not count.
func pythonNames(dir, program string) bool {
	in := func(name, pattern string) bool {
		text := regexp.MustCompile(`(?m)(^|\s)#.*$`).ReplaceAllString(read(dir, name), "")
		return regexp.MustCompile(pattern).MatchString(text)
	}
	const version = `(\[[a-z,]*\])?\s*([=<>~!@;"'].*)?$`
	requirement := `(?m)^\s*` + program + version
	quoted := `["']` + program + `(\[[a-z,]*\])?\s*([=<>~!@;][^"']*)?["']`
	return in("pyproject.toml", `(?m)^\s*\[tool\.`+program+`[\].]|`+quoted+`|^\s*`+program+`\s*=`) ||
		in("requirements.txt", requirement) || in("requirements-dev.txt", requirement) ||
		in("setup.cfg", requirement) || in("tox.ini", requirement) ||
		in(".pre-commit-config.yaml", `(?m)^\s*-?\s*id:\s*`+program+`(-format|-check)?\s*$`)
}

// read returns the text of a file of the project, or "" if the file is missing or unreadable.
func read(dir, name string) string {
	text, _, err := regular.Read(filepath.Join(dir, name), 1<<20)
	if err != nil {
		return ""
	}
	return string(text)
}
