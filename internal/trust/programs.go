package trust

import (
	"slices"
	"strings"
)

// Programs by their use of arguments. A program in none of these lists is a doubt.
const (
	// builtins (of shells) and readers treat their arguments as data, and run none of them.
	builtins = ": [ [[ break cd continue echo exit export false jobs kill popd pwd return set shift times true type " +
		"ulimit umask unalias wait"
	readers = "afplay base64 basename cat cmp column comm cp curl cut date df diff dirname du egrep expand expr " +
		"fgrep file fmt fold grep gunzip gzip head hexdump hostname iconv id jq ln logger ls md5sum mktemp mv " +
		"nl notify-send od osascript paste ps readlink realpath rmdir say seq sha1sum sha256sum sha512sum " +
		"shasum shuf sleep sort stat sum tac tail tee touch tr truncate tty uname unexpand uniq uuidgen wc " +
		"which whoami xxd yes zcat"
	// linters read the files in their arguments, and run none of them.
	linters = "autopep8 biome black clang-format codespell dprint elm-format gci gofmt gofumpt goimports golines " +
		"google-java-format hadolint isort jsonlint ktfmt ktlint mkdir nixfmt oxlint pycodestyle pydocstyle " +
		"pyflakes pyright pyupgrade rm ruff rustfmt scalafmt shellcheck shfmt stylua swift-format swiftformat " +
		"swiftlint taplo tsc typos vulture yamllint yapf zprint"
	// writers write to the files in their arguments, and run none of them.
	writers = "mkdir rm tee touch"
	// interpreters run code of another language in an argument.
	interpreters = "awk bun deno gawk lua luajit mawk nawk node nodejs perl php python ruby ts-node tsx"
	// runners run a program of the workspace's node_modules, if that program exists.
	runners = "bunx npx pnpx"
)

// configurationOf returns the files that configure which programs a program runs, or "" for an unknown program.
func configurationOf(name string) string {
	switch name {
	case "flake8":
		return ".flake8 setup.cfg tox.ini"
	case "golangci-lint":
		return ".golangci.yml .golangci.yaml .golangci.toml .golangci.json .custom-gcl.yml"
	case "pre-commit":
		return ".pre-commit-config.yaml"
	}
	return ""
}

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
