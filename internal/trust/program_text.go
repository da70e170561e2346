package trust

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lazyregexp"
)

// What a program text in an argument may use without running or loading anything else. Words that are not here are a
// doubt where they may run something: where they are called, or are an attribute of something.
const (
	pythonWords = " Counter ValueError abs any add all append argv basename bool bytes capitalize casefold chr code " +
		"command content copy count cwd datetime decode defaultdict dict dirname dump dumps encode endswith " +
		"enumerate environ error escape exception exists exit extend extension filter find findall finditer " +
		"flags float floor flush format frozenset fromisoformat fromkeys fullmatch get getcwd getenv group " +
		"groupdict groups hashlib hexdigest index insert int isalnum isalpha isdigit isdir isfile isinstance " +
		"isoformat issubset items join json keys len list ljust load loads log lower lstrip lines map match " +
		"max md5 min monotonic name now open ord os parent partition parts path pop popleft print purge range " +
		"read read_text readline readlines real realpath removeprefix removesuffix repr replace resolve " +
		"returncode reversed rfind rjust round rpartition rsplit rstrip search set setdefault sha256 sleep " +
		"sorted split splitext splitlines start startswith stat stderr stdin stdout stem str strftime strip " +
		"sub suffix sum sys test text time title today translate tuple type union update upper urlparse " +
		"utcnow values write writelines zip zfill Path relpath abspath normpath buffer isatty version_info " +
		"platform "
	pythonKeywords = " and as assert async await break class continue def del elif else except finally for from " +
		"global if import in is lambda nonlocal not or pass raise return try while with yield "
	// pythonModules are those of its library that run nothing.
	pythonModules = " collections datetime fnmatch functools hashlib itertools json math os pathlib re shlex " +
		"string sys textwrap time unicodedata "
	// pythonEvaluators are the builtins of Python that run a text.
	pythonEvaluators = " __builtins__ __import__ breakpoint compile eval exec getattr globals locals vars "

	nodeWords = " Array Boolean Buffer Date Error JSON Map Math Number Object Promise RegExp Set String abs " +
		"argv assign charAt charCodeAt concat console cwd data entries env error every exec " +
		"existsSync exit exitCode filter find findIndex flat flatMap floor for forEach from " +
		"fromEntries get getTime has if includes indexOf info isArray isInteger join keys lastIndexOf " +
		"length log map match matchAll max min now on once padStart parse parseFloat parseInt pop " +
		"process push readFileSync reduce repeat replace replaceAll resume reverse search set " +
		"setEncoding shift size slice some sort split splice startsWith endsWith stderr stdin stdout " +
		"stringify substring switch test then catch toISOString toLowerCase toString toUpperCase trim " +
		"trimEnd trimStart unshift values while warn write writeFileSync appendFileSync return typeof " +
		"function async await in of isTTY platform basename dirname extname normalize resolve " +
		"relative fs path command content file_path tool_input tool_name tool_response input name " +
		"args "
	// nodeEvaluators are what of JavaScript runs a text, or loads what only it knows.
	nodeEvaluators = " Function Worker constructor eval global globalThis import require "

	perlWords = " abs and chomp chop chr close cmp defined delete die each else elsif eq exists exit first for " +
		"foreach ge grep gt if index int join keys last lc lcfirst le length lt map my ne next no not " +
		"or ord our pop pos print printf push qw ref return reverse rindex say scalar shift sort splice " +
		"split sprintf STDERR STDIN STDOUT strict sub substr time tr uc ucfirst undef unless unshift " +
		"until use values warn warnings while x xor y m s BEGIN END utf8 g i gi n p sx e r l a ne pe q " +
		"qr "
	// harmlessModules are those of Node and Ruby that run nothing.
	harmlessModules = " assert buffer crypto date events fs fs/promises json os path pp process querystring readline " +
		"set stream string_decoder time timers url util yaml zlib "
	rubyWords = " abort and any all? any? begin case chomp do downcase each else elsif empty? end end_with? exit " +
		"false first gsub if in include? index join JSON json keys key? last length lines map match " +
		"match? nil not or parse print puts read require rescue select size split start_with? STDIN " +
		"STDERR stderr stdin strip sub then to_i to_s true unless upcase values warn when while "
)

// wordsOfText returns the words that a program text may use in a language, and those that run a text or load what only
// it knows.
func wordsOfText(name string) (known, evaluators string) {
	switch name {
	case "python":
		return pythonWords + pythonKeywords, pythonEvaluators
	case "node":
		return nodeWords, nodeEvaluators
	case "perl":
		return perlWords, " INC ENV "
	}
	return rubyWords, ""
}

// token is a word of a program text, a text in quotes, or a sign.
type token struct {
	text   string
	quoted bool
}

func (t token) isWord() bool { return !t.quoted && t.text != "" && isOfWord([]rune(t.text)[0]) }

// tokensOf splits a program text. Patterns between slashes are left out. why says what makes it unreadable: a comment,
// in which quotes are none, or a text in quotes that runs code.
func tokensOf(name, text string) (all []token, why string) {
	const operators = " and if in not or return split unless when while x "
	last := func() token {
		if len(all) == 0 {
			return token{text: "("}
		}
		return all[len(all)-1]
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '#' && name != "node", name == "node" && (strings.HasPrefix(text[i:], "//") ||
			strings.HasPrefix(text[i:], "/*")):
			return all, "a comment"
		case r == '`':
			return all, "`"
		case r == '\n':
			all, i = append(all, token{text: "\n"}), i+1
		case unicode.IsSpace(r):
			i += size
		case r == '"' || r == '\'':
			end := endOfQuotes(text, i)
			isJoined := i > 0 && last().isWord() && isOfWord(rune(text[i-1])) &&
				!among(" r b u R B rb br ", last().text)
			isTriple := strings.HasPrefix(text[i:], `"""`) || strings.HasPrefix(text[i:], "'''")
			if end < 0 || isJoined || isTriple {
				return all, "quotes of a kind that is not known"
			}
			inside := text[i+1 : end]
			if r == '"' && name != "python" && name != "node" && strings.ContainsAny(inside, "@#{") {
				return all, "quotes in which something may run"
			}
			all, i = append(all, token{inside, true}), end+1
		case isOfWord(r):
			end := i
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !isOfWord(r) {
					break
				}
				end += size
			}
			all, i = append(all, token{text: text[i:end]}), end
		case r == '/' && (among(operators, last().text) || !last().quoted && !last().isWord() &&
			last().text != ")" && last().text != "]"):
			end := endOfQuotes(text, i)
			if end < 0 || strings.Contains(text[i:end], "(?") {
				return all, "a pattern that is not known"
			}
			i = end + 1
		default:
			all, i = append(all, token{text: text[i : i+size]}), i+size
		}
	}
	return all, ""
}

func isOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// endOfQuotes returns where the quotes that open at a place close, -1 if nowhere.
func endOfQuotes(text string, open int) int {
	for i := open + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return -1
		case text[open]:
			return i
		}
	}
	return -1
}

// inline adds the files that a program text names in quotes.
func (c *commandLine) inline(name string, text word) {
	for _, quoted := range textInQuotes.Get().FindAllStringSubmatch(text.text, -1) {
		c.file(quoted[1] + quoted[2])
		if isNode(name) {
			c.node(quoted[1] + quoted[2])
		}
	}
}

var textInQuotes = lazyregexp.Regexp{Text: `"([^"\\\n]{1,256})"|'([^'\\\n]{1,256})'`}

// runsOfAwk returns what of an awk program may run a command or load a file, "" if nothing does.
func runsOfAwk(text string) string {
	return awkRuns.Get().FindString(strings.ReplaceAll(text, "||", ""))
}

var awkRuns = lazyregexp.Regexp{Text: `\bsystem\b|\bgetline\b|[@|]`}

// unclearText returns why a program text may run or load a file, "" if each word of it is known to do neither.
func unclearText(name, text string) string {
	tokens, found := tokensOf(name, text)
	if found == "" {
		found = unknownWord(name, tokens)
	}
	if found == "" {
		return ""
	}
	return "the program text of " + name + " has " + found
}

func unknownWord(name string, tokens []token) string {
	known, evaluators := wordsOfText(name)
	byName := name == "python" || name == "node" // where a name alone runs nothing
	at := func(i int) token {
		if i < 0 || i >= len(tokens) {
			return token{}
		}
		return tokens[i]
	}
	for i := 0; i < len(tokens); i++ {
		t, before, behind := tokens[i], at(i-1), at(i+1)
		switch {
		case !t.isWord() || unicode.IsDigit([]rune(t.text)[0]):
			// What is called may be computed: f["x"](), f()().
			if byName && !t.quoted && t.text == "(" && (before.text == "]" || before.text == ")" || before.quoted) {
				return before.text + "("
			}
		case name == "python" && (t.text == "import" || t.text == "from"):
			end := slices.IndexFunc(tokens[i:], func(t token) bool { return t.text == "\n" || t.text == ";" })
			if end < 0 {
				end = len(tokens) - i
			}
			if found := unknownImport(tokens[i : i+end]); found != "" {
				return found
			}
			i += end
		case name != "python" && (t.text == "require" || t.text == "import"):
			module := behind
			if name == "node" {
				module = at(i + 2)
			}
			if !module.quoted || name == "node" && (behind.text != "(" || at(i+3).text != ")") {
				return t.text
			}
			own := strings.HasPrefix(module.text, "./") || strings.HasPrefix(module.text, "../") // inline adds the file
			if !own && !among(harmlessModules, strings.TrimPrefix(module.text, "node:")) {
				return module.text
			}
		case among(evaluators, t.text), strings.HasPrefix(t.text, "__"):
			return t.text
		case t.text == "path" && before.text == "." && at(i-2).text == "sys":
			return "sys.path"
		case among(known, t.text), before.text == "def" || before.text == "function":
		case byName && before.text != "." && behind.text != "(":
		case byName && before.text != "." && defines(tokens, t.text):
		case !byName && (before.text == "$" || before.text == "@" || before.text == "%"): // a variable
		default:
			return t.text
		}
	}
	return ""
}

// defines reports whether a text defines a function of that name.
func defines(tokens []token, name string) bool {
	for i, t := range tokens[:max(len(tokens)-1, 0)] {
		if (t.text == "def" || t.text == "function") && !t.quoted && tokens[i+1].text == name {
			return true
		}
	}
	return false
}

// unknownImport returns a name in an import statement of Python that is not known to be harmless.
func unknownImport(tokens []token) string {
	isFrom := tokens[0].text == "from"
	known := pythonModules
	for i, t := range tokens[1:] {
		switch {
		case t.text == "import":
			known = pythonWords
		case t.text == "," || t.text == "(" || t.text == ")":
		case t.text == "as", tokens[i].text == "as": // an alias
		case t.text == "." && known == pythonModules:
		case tokens[i].text == "." && !isFrom && t.text == "path":
		case !among(known, t.text):
			return t.text
		}
	}
	return ""
}
