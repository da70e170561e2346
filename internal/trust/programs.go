package trust

import (
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// A program is understood if the table of programs calls it plain or a linter. Others are a doubt, on purpose those for
// which a file of the project can name code: by plugins (dprint, flake8, golangci-lint, ktlint, oxlint, zprint), hooks
// (pre-commit), a toolchain (cargo, rustfmt, scalafmt), a configuration in JavaScript (jsonlint), a text to evaluate
// (pydocstyle), a formatter (golines), or modules that come first (lua, php).

func rowOf(name string) programs.Program {
	row, _ := programs.Find(name)
	return row
}

// isWriter reports whether a program does nothing with the files in its arguments but write or delete them.
func isWriter(row programs.Program) bool {
	return row.Is(programs.Plain) && row.Is(programs.Writes|programs.Makes|programs.Deletes) && !row.Is(programs.Whole)
}

// takesAnyFile reports whether a program runs nothing with whatever files it is given.
func takesAnyFile(name string) bool {
	row := rowOf(name)
	return row.Says("lints") || isWriter(row)
}

// isInterpreter reports whether a program runs code of another language in an argument.
func isInterpreter(name string) bool {
	row := rowOf(name)
	return row.Is(programs.Language) && !row.Is(programs.Plain)
}

const (
	// runners run a program of the workspace's node_modules, if that program exists.
	runners = "bunx npx pnpx"
	// versions are files by which a shim of a version manager finds the program that it runs.
	versions = ".tool-versions mise.toml .mise.toml .python-version .node-version .nvmrc .ruby-version .go-version"
)

// The endings that Python and Node add to the name of a file.
var (
	pythonEndings = []string{"/__main__.py", "/__main__.pyc"}
	nodeEndings   = []string{".js", ".json", ".node", ".mjs", ".cjs", ".ts", "/index.js", "/index.json", "/index.node"}
	moduleEndings = []string{".py", ".pyc", ".so", ".abi3.so", "/__init__.py", "/__init__.pyc", "/__init__.so"}
)

func isPython(name string) bool { return rowOf(name).Name == "python" }

func isNode(name string) bool { return shellline.InList("node bun deno ts-node", rowOf(name).Name) }
