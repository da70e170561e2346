package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// entry is a hook for the project.
type entry struct {
	name    string
	command string // for sh
	files   string // the entry's "files", as JSON
	tests   bool   // run at the end of a turn; if false, after an edit of a file
}

// String returns the entry as JSON.
func (e entry) String() string {
	when := `"events": ["post-tool"], "matcher": "fs_write|fs_edit"`
	if e.tests {
		when = `"events": ["Stop"], "dialect": "claude", "timeout": "5m"`
	}
	return fmt.Sprintf("{\"name\": %q, \"enabled\": true, %s,\n   \"command\": %s,\n   \"files\": %s}", e.name, when,
		strictjson.AppendString(nil, e.command), e.files)
}

// entries returns hooks for the project: some format edited files, others run the tests at the end of a turn. The
// programs are found in the project's own files.
func entries(dir string) (found []entry) {
	has := func(names ...string) bool {
		for _, name := range names {
			if matches, err := filepath.Glob(filepath.Join(dir, name)); err == nil && len(matches) > 0 {
				return true
			}
		}
		return false
	}
	format := func(name, files, patterns, command string) {
		found = append(found, entry{name: "format-" + name, files: files,
			command: `"$HOOKRUN" get file | while read -r f; do case $f in ` + patterns + `) ` + command + ` -- "$f" >&2;; esac; done`})
	}
	tests := func(name, files, command string) {
		found = append(found, entry{name: "tests-" + name, files: files, tests: true,
			command: `out=$(` + command + ` 2>&1) || { printf '%s\n' "$out" | tail -n 40 >&2; exit 2; }`})
	}
	if has("go.mod") {
		format("go", `[]`, `*.go`, `gofmt -w`)
		if has("*_test.go", "*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go") {
			tests("go", `[]`, `go test ./...`)
		}
	}
	python := read(dir, "pyproject.toml") + read(dir, "setup.cfg") + read(dir, "requirements-dev.txt") +
		read(dir, ".pre-commit-config.yaml") + read(dir, "requirements.txt") + read(dir, "tox.ini")
	names := func(program string) bool {
		return regexp.MustCompile(`(?m)(^|[\s"'\[.,/])` + program + `\b`).MatchString(python)
	}
	switch {
	case names("ruff") || has("ruff.toml", ".ruff.toml"):
		format("python", `[]`, `*.py|*.pyi`, `ruff format -q`)
	case names("black"):
		format("python", `[]`, `*.py|*.pyi`, `black -q`)
	}
	if names("pytest") || has("pytest.ini", "conftest.py", "tests/conftest.py") {
		tests("python", `[]`, `python3 -m pytest -q`)
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
	switch {
	case needs("@biomejs/biome") || has("biome.json", "biome.jsonc"):
		format("node", `["package.json"]`, scripts, `npx --no-install biome format --write`)
	case needs("prettier") || node.Get("prettier").Exists() || has(".prettierrc*", "prettier.config.*"):
		format("node", `["package.json"]`, scripts, `npx --no-install prettier --log-level warn --write`)
	}
	if test := node.Get("scripts.test").String(); test != "" && !strings.Contains(test, "no test specified") {
		tests("node", `["package.json"]`, `npm test --silent`)
	}
	return found
}

// read returns the text of a file of the project, or "" if the file is missing or unreadable.
func read(dir, name string) string {
	text, _, err := regular.Read(filepath.Join(dir, name), 1<<20)
	if err != nil && !os.IsNotExist(err) {
		return ""
	}
	return string(text)
}
