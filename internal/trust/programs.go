package trust

import (
	"slices"
	"strings"
)

// Programs by what they do with their arguments. A program that is in none of these lists is understood if its words
// are known and name no folder of the workspace.
const (
	// builtins of shells run nothing that their arguments name; nor do readers: the arguments of both are data.
	builtins = " : [ [[ break cd continue declare dirs echo exit export false hash help history jobs kill let local " +
		"popd pushd pwd readonly return set shift shopt test times true type typeset ulimit umask unalias " +
		"wait "
	readers = " Rscript afplay autopep8 b2sum base64 basename bat bc biome black buf cargo cat chmod chown cksum " +
		"clang-format clang-tidy clippy-driver cmp codespell column comm cp csplit curl cut cwebp dart date " +
		"dd deno-fmt df diff dirname dprint du egrep elm-format eslint eslint_d expand expr fd fgrep file " +
		"flake8 flock fmt fold gawk-lint gci gh git gitleaks gofmt gofumpt goimports golangci-lint golines " +
		"google-java-format grep gunzip gzip hadolint head hexdump hostname htmlhint iconv id install isort " +
		"jq jsonlint ktfmt ktlint less ln logger ls markdownlint markdownlint-cli2 md5sum mktemp more mv mypy " +
		"nixfmt nl notify-send od osascript oxlint paste perltidy php-cs-fixer pnmtopng pre-commit prettier " +
		"prettierd ps pycodestyle pydocstyle pyflakes pylint pyright pyupgrade qmd readlink realpath rg rmdir " +
		"rubocop ruff rustfmt say scalafmt sed seq sha1sum sha256sum sha512sum shasum shellcheck shfmt shuf " +
		"sleep sort split sqlfluff sqlite3 standardrb stat stylelint stylua sum swift-format swiftformat " +
		"swiftlint tac tail taplo tar terraform tflint tofu tr trufflehog truncate tsc tty uname unexpand " +
		"uniq unzip uuidgen vulture wc which whoami xmllint xxd xz yamllint yapf yes yq zcat zip zprint zstd "
	// setters are builtins that set variables.
	setters = " getopts mapfile printf read readarray unset "
	// writers write to the files that they are given, and run none of them.
	writers = " mkdir rm tee touch "
	// codes run code in another language that stands in an argument.
	codes = " awk bun deno gawk lua luajit mawk nawk node nodejs perl php python ruby ts-node tsx "
	// runners run a program of the workspace's node_modules, if there is one.
	runners = " bunx npx pnpx "
	// managers run scripts of package.json.
	managers = " bun npm pnpm yarn "
)

func among(list, name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(list, " "+name+" ")
}

// interpreter endings: what python and node add to the name of a file.
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
