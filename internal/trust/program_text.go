package trust

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a program text in an argument may use without running or loading anything else. Words that are not here are a
// doubt where they may run something: where they are called, or are an attribute of something.
const (
	pythonWords = " Counter ValueError abs any add all append argv basename bool bytes capitalize casefold chr code " +
		"command content copy count cwd datetime decode defaultdict dict dirname dump dumps encode endswith enumerate " +
		"environ error escape exception exists exit extend extension filter find findall finditer flags float floor " +
		"flush format frozenset fromisoformat fromkeys fullmatch get getcwd getenv group groupdict groups " +
		"hashlib hexdigest index insert int isalnum isalpha isdigit isdir isfile isinstance isoformat issubset items " +
		"join json keys len list ljust load loads log lower lstrip lines map match max md5 min monotonic name now open " +
		"ord os parent partition parts path pop popleft print purge range read read_text readline readlines real " +
		"realpath removeprefix removesuffix repr replace resolve returncode reversed rfind rjust round rpartition " +
		"rsplit rstrip search set setdefault sha256 sleep sorted split splitext splitlines start startswith stat " +
		"stderr stdin stdout stem str strftime strip sub suffix sum sys test text time title today translate tuple " +
		"type union update upper urlparse utcnow values write writelines zip zfill Path relpath abspath normpath " +
		"buffer isatty version_info platform "
	pythonKeywords = " and as assert async await break class continue def del elif else except finally for from global " +
		"if import in is lambda nonlocal not or pass raise return try while with yield "
	// pythonEvaluators are the builtins of Python that run a text.
	pythonEvaluators = " __builtins__ __import__ breakpoint compile eval exec getattr globals locals vars "

	nodeWords = " Array Boolean Buffer Date Error JSON Map Math Number Object Promise RegExp Set String abs argv assign " +
		"charAt charCodeAt concat console cwd data entries env error every exec existsSync exit exitCode filter find " +
		"findIndex flat flatMap floor for forEach from fromEntries get getTime has if includes indexOf info isArray " +
		"isInteger join keys lastIndexOf length log map match matchAll max min now on once padStart parse parseFloat " +
		"parseInt pop process push readFileSync reduce repeat replace replaceAll resume reverse search " +
		"set setEncoding shift size slice some sort split splice startsWith endsWith stderr stdin stdout stringify " +
		"substring switch test then catch toISOString toLowerCase toString toUpperCase trim trimEnd trimStart " +
		"unshift values while warn write writeFileSync appendFileSync return typeof function async await in of " +
		"isTTY platform basename dirname extname normalize resolve relative fs path command content file_path " +
		"tool_input tool_name tool_response input name args "
	// nodeEvaluators are what of JavaScript runs a text, or loads what only it knows.
	nodeEvaluators = " Function Worker constructor eval globalThis import require "

	perlWords = " abs and chomp chop chr close cmp defined delete die each else elsif eq exists exit first for foreach ge " +
		"grep gt if index int join keys last lc lcfirst le length lt map my ne next no not or ord our pop pos print " +
		"printf push qw ref return reverse rindex say scalar shift sort splice split sprintf STDERR STDIN STDOUT " +
		"strict sub substr time tr uc ucfirst undef unless unshift until use values warn warnings while x xor y m s BEGIN " +
		"END utf8 g i gi n p sx e r l a ne pe q qr "
	rubyWords = " abort and any all? any? begin case chomp do downcase each else elsif empty? end end_with? exit false " +
		"first gsub if in include? index join JSON json keys key? last length lines map match match? nil not or parse " +
		"print puts read require rescue select size split start_with? STDIN STDERR stderr stdin strip sub then to_i " +
		"to_s true unless upcase values warn when while "
)

// textOf returns the words that a program text may use in a language, "" for awk, which has only few that do harm.
func textOf(name string) (wordList, evaluators string) {
	switch {
	case name == "python":
		return pythonWords + pythonKeywords, pythonEvaluators
	case isNode(name):
		return nodeWords, nodeEvaluators
	case name == "perl":
		return perlWords, ""
	case name == "ruby":
		return rubyWords, ""
	}
	return "", ""
}

// token is a word of a program text, a text in quotes, or a sign.
type token struct {
	text   string
	quoted bool
}

func (t token) isWord() bool { return !t.quoted && t.text != "" && isOfWord([]rune(t.text)[0]) }

// tokensOf splits a program text. Patterns between slashes are left out. whole is false for a text with quotes that do
// not close, or with those that run code.
func tokensOf(text string) (all []token, whole bool) {
	const operators = " and if in not or return split unless when while x "
	beginsPattern := func() bool {
		if len(all) == 0 {
			return true
		}
		last := all[len(all)-1]
		return among(operators, last.text) || !last.quoted && !last.isWord() && last.text != ")" && last.text != "]"
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case r == '"' || r == '\'':
			end := endOfQuotes(text, i)
			if end < 0 {
				return all, false
			}
			all = append(all, token{text[i+1 : end], true})
			i = end + 1
		case isOfWord(r):
			end := i
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !isOfWord(r) {
					break
				}
				end += size
			}
			all = append(all, token{text: text[i:end]})
			i = end
		case r == '`':
			return all, false
		case r == '/' && beginsPattern():
			end := endOfQuotes(text, i)
			if end < 0 || strings.Contains(text[i:end], "(?{") || strings.Contains(text[i:end], "(??{") {
				return all, false
			}
			i = end + 1
		default:
			all = append(all, token{text: text[i : i+size]})
			i += size
		}
	}
	return all, true
}

func isOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// endOfQuotes returns where the quotes that open at a place close, -1 if nowhere.
func endOfQuotes(text string, open int) int {
	for i := open + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[open]:
			return i
		}
	}
	return -1
}

// inline adds the files that a program text names in quotes or imports, and notes a doubt unless each word of it is
// known to run nothing else.
func (c *commandLine) inline(name string, text word) {
	if text.computed {
		c.doubt("the program text of %s is known only when it runs", name)
	}
	tokens, whole := tokensOf(text.text)
	for _, t := range tokens {
		if t.quoted {
			c.file(t.text)
			if isNode(name) {
				c.node(t.text)
			}
		}
	}
	found := ""
	switch {
	case !whole:
		c.doubt("the program text of %s cannot be read", name)
	case strings.HasSuffix(name, "awk"):
		found = runsOfAwk(tokens)
	default:
		found = c.unknownWord(name, tokens)
	}
	if found != "" {
		c.doubt("the program text of %s has %s", name, found)
	}
}

// runsOfAwk returns what of an awk program runs a command or loads a file, "" if nothing does.
func runsOfAwk(tokens []token) string {
	for i, t := range tokens {
		isOr := t.text == "|" && (i > 0 && tokens[i-1].text == "|" || i+1 < len(tokens) && tokens[i+1].text == "|")
		switch {
		case t.quoted:
		case t.text == "system", t.text == "getline", t.text == "@", t.text == "|" && !isOr:
			return t.text
		}
	}
	return ""
}

// unknownWord returns a word of a program text that may run something else, "" if there is none.
func (c *commandLine) unknownWord(name string, tokens []token) string {
	known, evaluators := textOf(name)
	at := func(i int) token {
		if i < 0 || i >= len(tokens) {
			return token{}
		}
		return tokens[i]
	}
	defined := definedIn(name, tokens)
	for i, t := range tokens {
		before, behind := at(i-1), at(i+1)
		switch {
		case !t.isWord() || unicode.IsDigit([]rune(t.text)[0]):
			// What is called may be computed: f["x"](), f()().
			if !t.quoted && t.text == "(" && (before.text == "]" || before.text == ")" || before.quoted) &&
				(name == "python" || isNode(name)) {
				return before.text + "("
			}
		case name == "python" && (t.text == "import" || t.text == "from"):
			c.imports(tokens[i+1:])
		case (t.text == "require" || t.text == "import") && (isNode(name) || name == "ruby"):
			if isNode(name) && behind.text != "(" || name == "ruby" && !behind.quoted ||
				isNode(name) && !(at(i+2).quoted && at(i+3).text == ")") {
				return t.text
			}
			if name == "ruby" {
				c.file(behind.text + ".rb")
			}
		case among(evaluators, t.text):
			return t.text
		case among(known, t.text), defined[t.text]:
		case name == "python" || isNode(name): // a name alone runs nothing
			ofOwn := before.text == "." && c.isOwnModule(at(i-2).text)
			runs := before.text == "." || behind.text == "(" || strings.HasPrefix(t.text, "__")
			if runs && !(name == "python" && (ofOwn || isImported(tokens, i))) {
				return t.text
			}
		case before.text == "$" || before.text == "@" || before.text == "%": // a variable
		default:
			return t.text
		}
	}
	return ""
}

// definedIn returns the functions and the variables that a text itself defines.
func definedIn(name string, tokens []token) map[string]bool {
	defined := map[string]bool{}
	for i, t := range tokens {
		switch {
		case t.quoted || i == 0:
		case tokens[i-1].text == "def" || tokens[i-1].text == "function" || tokens[i-1].text == "sub":
			defined[t.text] = true
		case name == "ruby" && (t.text == "=" || t.text == "|"):
			defined[tokens[i-1].text] = true
		}
	}
	return defined
}

// imports adds the modules that stand behind import or from.
func (c *commandLine) imports(tokens []token) {
	module, skip := "", false
	add := func() {
		if module != "" {
			c.module(module)
		}
		module = ""
	}
	for _, t := range tokens {
		switch {
		case t.quoted, t.text == ";", t.text == "import", t.text == "(":
			add()
			return
		case t.text == ",":
			add()
			skip = false
		case t.text == "as":
			skip = true
		case skip:
		default:
			if module != "" && module[len(module)-1] != '.' && t.text != "." {
				add() // a line ends no token: what follows is another statement
				return
			}
			module += t.text
		}
	}
	add()
}

// isOwnModule reports whether Python finds a module of that name in the workspace, where it is recorded.
func (c *commandLine) isOwnModule(name string) bool {
	for _, dir := range c.folders {
		if isFolder(c.in(dir, name)) || exists(c.in(dir, name+".py")) {
			return name != ""
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isImported reports whether the word at a place is part of the name of a module behind import or from.
func isImported(tokens []token, i int) bool {
	for i--; i >= 0; i-- {
		switch t := tokens[i]; {
		case t.quoted:
			return false
		case t.text == "import" || t.text == "from":
			return true
		case t.text != "." && t.text != "," && !t.isWord():
			return false
		}
	}
	return false
}
