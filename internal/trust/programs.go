package trust

import (
	"slices"
	"strings"
)

// Programs by their use of arguments. A program in none of these lists is a doubt. So is, on purpose, each of which a
// file of the project can name code: by plugins (dprint, flake8, golangci-lint, ktlint, oxlint, zprint), hooks
// (pre-commit), a toolchain (cargo, rustfmt, scalafmt), a configuration in JavaScript (jsonlint), a text that it
// evaluates (pydocstyle), a formatter (golines), or modules that it takes first (lua, php).
const (
	// builtins (of shells) and readers treat their arguments as data, and run none of them: none has a configuration in
	// the project. For options that run a program, see unclearReader.
	builtins = ": [ [[ break cd continue echo exit export false jobs kill popd pwd return set shift times true type " +
		"ulimit umask unalias wait"
	readers = "afplay base64 basename cat cmp column comm cp curl cut date df diff dirname du egrep expand expr " +
		"fgrep file fmt fold grep gunzip gzip head hexdump hostname iconv id jq ln logger ls md5sum mktemp mv " +
		"nl notify-send od osascript paste ps readlink realpath rmdir say seq sha1sum sha256sum sha512sum " +
		"shasum shuf sleep sort stat sum tac tail tr truncate tty uname unexpand uniq uuidgen wc " +
		"which whoami xxd yes zcat"
	// writers write to the files in their arguments, and linters read them. They run none of them.
	writers = "mkdir rm tee touch"
	linters = noConfiguration + " " + onlyOptions + " " + onlyInstalled
	onFiles = linters + " " + writers
	// Without a configuration, or only with indents and the like of .editorconfig.
	noConfiguration = "elm-format gci gofmt gofumpt google-java-format ktfmt nixfmt pyflakes pyupgrade shfmt"
	// The configuration has switches, names of rules, patterns and paths of data, and no plugins: black to yapf are
	// Python without eval, exec or import of a name. The patterns of biome's plugins are GritQL, which runs nothing.
	onlyOptions = "autopep8 black codespell pycodestyle vulture yamllint yapf " +
		"biome clang-format hadolint ruff shellcheck stylua swift-format swiftformat swiftlint taplo typos"
	// Code comes from installed packages and toolchains alone: entry points for isort, releases with a checksum for
	// the go that goimports asks, plugins of an editor for tsc; pyright asks the python of PATH, isolated.
	onlyInstalled = "goimports isort pyright tsc"
	// interpreters run code of another language in an argument.
	interpreters = "awk bun deno gawk lua luajit mawk nawk node nodejs perl php python ruby ts-node tsx"
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

func isPython(name string) bool {
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy")
}

func isNode(name string) bool {
	return slices.Contains([]string{"node", "nodejs", "bun", "deno", "tsx", "ts-node"}, name)
}

// baseName returns the name of an interpreter without its version.
func baseName(name string) string { return strings.TrimRight(name, "0123456789.-") }
