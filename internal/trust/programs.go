package trust

import (
	"slices"
	"strings"
)

// Programs by what they do with their arguments. A program that is in none of these lists is a doubt.
const (
	// builtins of shells run nothing that their arguments name; nor do readers: the arguments of both are data.
	builtins = " : [ [[ break cd continue declare dirs echo exit export false hash help history jobs kill let local " +
		"popd pushd pwd readonly return set shift shopt test times true type typeset ulimit umask unalias " +
		"wait "
	readers = " afplay autopep8 b2sum base64 basename bat bc biome black cat chmod chown cksum " +
		"clang-format clang-tidy cmp codespell column comm cp csplit curl cut cwebp date " +
		"dd deno-fmt df diff dirname dprint du egrep elm-format expand expr fd fgrep file " +
		"flake8 flock fmt fold gawk-lint gci gh git gitleaks gofmt gofumpt goimports golines " +
		"google-java-format grep gunzip gzip hadolint head hexdump hostname iconv id install isort " +
		"jq jsonlint ktfmt ktlint less ln logger ls markdownlint-cli2 md5sum mktemp more mv " +
		"nixfmt nl notify-send od oxlint paste perltidy pnmtopng " +
		"ps pycodestyle pydocstyle pyflakes pyright pyupgrade qmd readlink realpath rg rmdir " +
		"ruff rustfmt say scalafmt sed seq sha1sum sha256sum sha512sum shasum shellcheck shfmt shuf " +
		"sleep sort split sqlite3 stat stylua sum swift-format swiftformat " +
		"swiftlint tac tail taplo tar terraform tflint tr trufflehog truncate tsc tty uname unexpand " +
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

// configured are programs with the files in which they find what else to run, beside those that they are given.
var configured = map[string]string{
	"eslint":        eslintFiles,
	"eslint_d":      eslintFiles,
	"flake8":        ".flake8 setup.cfg tox.ini",
	"golangci-lint": ".golangci.yml .golangci.yaml .golangci.toml .golangci.json .custom-gcl.yml",
	"htmlhint":      ".htmlhintrc",
	"markdownlint":  ".markdownlint.js .markdownlint.cjs .markdownlint.json .markdownlint.yaml .markdownlintrc",
	"mypy":          "mypy.ini .mypy.ini pyproject.toml setup.cfg",
	"php-cs-fixer":  ".php-cs-fixer.php .php-cs-fixer.dist.php",
	"pre-commit":    ".pre-commit-config.yaml",
	"prettier":      prettierFiles,
	"prettierd":     prettierFiles,
	"pylint":        ".pylintrc pylintrc pyproject.toml setup.cfg",
	"rubocop":       ".rubocop.yml",
	"sqlfluff":      ".sqlfluff pyproject.toml setup.cfg tox.ini",
	"standardrb":    ".standard.yml .rubocop.yml",
	"stylelint": "package.json .stylelintrc .stylelintrc.json .stylelintrc.yaml .stylelintrc.yml .stylelintrc.js " +
		".stylelintrc.cjs .stylelintrc.mjs stylelint.config.js stylelint.config.cjs stylelint.config.mjs",
}

const (
	eslintFiles = "package.json eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts " +
		".eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yaml .eslintrc.yml"
	prettierFiles = "package.json .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.json5 " +
		".prettierrc.toml .prettierrc.js .prettierrc.cjs .prettierrc.mjs .prettierrc.ts prettier.config.js " +
		"prettier.config.cjs prettier.config.mjs prettier.config.ts"
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
