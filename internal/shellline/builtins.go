package shellline

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtinKind says what bash, dash or zsh may do with the arguments of a builtin. The kinds are in the order of what
// has to be true of the arguments.
type builtinKind uint8

const (
	noBuiltin  builtinKind = iota
	inert                  // it takes its arguments as text
	counting               // zsh evaluates its arguments as arithmetic
	evaluating             // bash too, or it takes them as names of variables, which may have a subscript
	odd                    // it may run its arguments in a way that is not known here
)

func kindOfBuiltin(name string) builtinKind {
	switch name {
	case ":", "true", "false", "echo", "cd", "chdir", "pwd", "pushd", "popd", "dirs", "type", "which", "whence",
		"where", "times", "umask", "bg", "fg", "disown", "unalias", "rehash", "log", "command", "builtin", "exec",
		"eval", "trap", "source", ".":
		return inert // those that run a command have readers of their own
	case "printf", "test", "[", "return", "exit", "logout", "bye", "break", "continue", "shift", "kill", "ulimit",
		"repeat", "sleep", "set", "shopt", "setopt", "unsetopt", "hash", "alias":
		return counting
	case "read", "let", "getopts", "wait", "mapfile", "readarray", "declare", "typeset", "local", "export", "readonly",
		"unset", "float", "integer", "private":
		return evaluating
	case "autoload", "add-zsh-hook", "bind", "bindkey", "caller", "compadd", "compcall", "compctl", "compdef",
		"compgen", "complete", "compopt", "disable", "echotc", "echoti", "emulate", "enable", "fc", "functions",
		"getln", "history", "jobs", "limit", "print", "pushln", "r", "sched", "strftime",
		"suspend", "sysread", "sysopen", "sysseek", "syswrite", "ttyctl", "unfunction", "unhash", "unlimit", "vared",
		"zcompile", "zcurses", "zformat", "zle", "zmodload", "zparseopts", "zprof", "zpty", "zregexparse", "zselect",
		"zsocket", "zstat", "zstyle", "zsystem", "ztcp", "zed", "zmv", "zcalc", "zf_rm":
		return odd
	}
	return noBuiltin
}

// IsBuiltin reports whether bash, dash or zsh may have a builtin of that name.
func IsBuiltin(name string) bool { return kindOfBuiltin(name) != noBuiltin }

// mayEvaluate says why a line is opaque: the first of the words for which the check holds.
func mayEvaluate(by string, words []Word, check func(Word) bool) string {
	i := max(0, slices.IndexFunc(words, check))
	if len(words) == 0 {
		return "what " + by + " evaluates"
	}
	return brief(words[i].Text) + ", which " + by + " may evaluate"
}

// changesWords says why a line is opaque: options of a shell or a builtin.
func changesWords(by string, args []Word) string {
	return "an option that changes what words mean, in " + brief(by+" "+Joined(args))
}

// brief returns a text for a message.
func brief(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

// ofBuiltins adds what a builtin may evaluate or run. Only arguments in a form that is known to be harmless are clear.
func (l *launches) ofBuiltins(name string, args []Word) {
	kind := kindOfBuiltin(name)
	if kind <= inert {
		return
	}
	if kind == evaluating {
		l.declares(args)
	}
	l.sets(name, args)
	switch name {
	case "alias":
		return
	case "set", "shopt", "setopt", "unsetopt":
		if !setsPlainly(name, args) {
			l.fail(changesWords(name, args))
		}
		if slices.ContainsFunc(args, hasCode) {
			l.fail(mayEvaluate(name, args, hasCode))
		}
		return
	case "hash": // may give another name to a program
		if slices.ContainsFunc(args, IsComputed) {
			l.fail(computed(name))
		}
		if len(args) > 0 && args[0].Text != "-r" {
			l.whole = true
		}
	}
	switch kind = kindOfCall(kind, name, args); {
	case kind <= inert:
	case kind == odd && isPlainOdd(name, args):
	case slices.ContainsFunc(args, hasCode):
		l.fail(mayEvaluate(name, args, hasCode))
	case kind == evaluating && slices.ContainsFunc(args, isUnknownName):
		l.fail(mayEvaluate(name, args, isUnknownName))
	case kind == evaluating && slices.ContainsFunc(args, isElement):
		l.fail(mayEvaluate(name, args, isElement))
	case kind == odd:
		l.fail("what " + name + " does with its arguments")
	case kind >= counting && slices.ContainsFunc(args, func(w Word) bool { return isUnknownNumber(w) || isName(w) }):
		l.counts = true
	}
}

// kindOfCall returns the kind of a builtin with its arguments, which may make it harmless, or worse.
func kindOfCall(kind builtinKind, name string, args []Word) builtinKind {
	switch name {
	case "printf":
		if len(args) > 0 && !args[0].Computed && isTextFormat(args[0].Text) {
			return inert
		}
		if len(args) > 0 && strings.HasPrefix(args[0].Text, "-v") {
			return evaluating
		}
	case "test", "[":
		if !slices.ContainsFunc(args, isArithmeticTest) {
			return inert
		}
		if slices.ContainsFunc(args, func(w Word) bool { return w.Text == "-v" || w.Text == "-R" }) {
			return evaluating
		}
	case "wait":
		if !slices.ContainsFunc(args, func(w Word) bool { return isFlag(w) && !w.Computed }) {
			return counting
		}
	}
	return kind
}

// sets notes that a builtin gives variables what the line does not say. A variable that a shell evaluates, or a table
// of its own, is opaque.
func (l *launches) sets(name string, args []Word) {
	switch name {
	case "read", "mapfile", "readarray", "getopts", "getln", "vared", "select", "strftime", "zstat", "sysread",
		"zformat", "zparseopts":
	case "print", "printf", "wait": // an option names the variable
		names := func(w Word) bool { return strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "vpAR") }
		if !slices.ContainsFunc(args, names) {
			return
		}
	default:
		return
	}
	l.reads = true
	for _, w := range args {
		text := strings.TrimLeft(w.Text, "-")
		if text != w.Text && len(text) > 0 { // -vPS4
			text = text[1:]
		}
		for _, variable := range []string{w.Text, text} { // an element is a matter of ofBuiltins
			if kindOfVariable(variable) != plainVariable || isTable(variable) {
				l.fail(mayEvaluate(name, []Word{w}, IsComputed))
			}
		}
	}
}

// isElement reports whether a word may name an element of an array.
func isElement(w Word) bool { return isName(w) && strings.Contains(w.Text, "[") }

// isName reports whether a word may name a variable, or an element of one.
func isName(w Word) bool {
	element, _, _ := strings.Cut(w.Text, "[")
	return !w.Computed && syntax.ValidName(element)
}

// declares adds what the values in the arguments of declare, export and the like may have run.
func (l *launches) declares(args []Word) {
	for _, w := range args {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok {
			continue
		}
		element, _, isElement := strings.Cut(strings.TrimPrefix(name, "-"), "[")
		switch {
		case strings.HasPrefix(value, "("): // bash reads it as an array, once more
			l.fail("an array in quotes")
		case isElement && syntax.ValidName(element):
			l.fail("an element of " + element)
		case isName(Word{Text: value}) && strings.Contains(value, "["): // a reference, or arithmetic
			l.fail("a value with a subscript")
		}
		l.assigned(strings.TrimSuffix(name, "+"), Word{Text: value, Computed: w.Computed, code: w.code})
	}
}

func (l *launches) fail(reason string) {
	if l.opaque == "" {
		l.opaque = reason
	}
}

// isTextFormat reports whether a format of printf has only texts: %d is arithmetic in zsh, and -v names a variable.
func isTextFormat(format string) bool {
	if strings.HasPrefix(format, "-") && format != "--" {
		return false
	}
	for {
		_, behind, ok := strings.Cut(format, "%")
		if !ok {
			return true
		}
		conversion := strings.TrimLeft(behind, "-+ #0123456789.")
		if conversion == "" || !strings.ContainsAny(conversion[:1], "%bqsQ") {
			return false
		}
		format = conversion[1:]
	}
}

func hasCode(w Word) bool { return w.code }

func isFlag(w Word) bool { return len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') }

func isArithmeticTest(w Word) bool {
	switch w.Text {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "-t":
		return true
	}
	return w.unsure()
}

// isUnknownName reports whether only the shell knows the name in a word, which may be an element of an array.
func isUnknownName(w Word) bool { return w.Computed && !strings.Contains(w.Prefix, "=") }

// isUnknownNumber reports whether only the shell knows a word, which is then no number that the shell itself has.
func isUnknownNumber(w Word) bool { return w.Computed && !isOwnNumber(w.Text) }

// isOwnNumber reports whether a word is an expansion that is a number always.
func isOwnNumber(text string) bool {
	text = strings.Trim(text, `"`)
	switch text {
	case "$?", "$#", "$$", "$!", "${?}", "${#}":
		return true
	}
	if length, ok := strings.CutPrefix(text, "${#"); ok {
		return strings.IndexByte(length, '}') == len(length)-1
	}
	counted, ok := strings.CutPrefix(text, "$((")
	depth := 2
	for i := 0; i < len(counted) && ok; i++ {
		switch counted[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		ok = depth > 0 || i == len(counted)-1
	}
	return ok && depth == 0
}

// isPlainOdd reports whether an odd builtin is used in a form that runs nothing.
func isPlainOdd(name string, args []Word) bool {
	plain := ""
	switch name {
	case "jobs":
		plain = "-l -n -p -r -s %% %+ %- %1 %2"
	case "history":
		plain = "-a -c -n -r -w 5 10 20 30 50 100"
	case "fc":
		plain = "-l -ln"
	case "emulate":
		plain = "-L -R sh bash ksh zsh"
	case "caller", "suspend", "enable", "bind", "complete":
		plain = "0 1 -p"
	case "autoload":
		plain = "-U -Uz -z -X colors compinit bashcompinit"
	case "zmodload":
		plain = "zsh/datetime zsh/zprof"
	}
	isPlain := func(w Word) bool { return !w.Computed && Among(plain, w.Text) }
	if name == "compgen" { // lists of names that begin with a text
		plain = name
		isPlain = func(w Word) bool {
			return !w.Computed && !w.code && (!isFlag(w) || strings.Trim(w.Text[1:], "abcdefgjksuv") == "")
		}
	}
	return plain != "" && !slices.ContainsFunc(args, func(w Word) bool { return !isPlain(w) }) &&
		(name != "fc" || len(args) > 0)
}

// setsPlainly reports whether set and the like set only options that leave words alone.
func setsPlainly(name string, args []Word) bool {
	switch name {
	case "shopt":
		for len(args) > 0 && isFlag(args[0]) && strings.Trim(args[0].Text[1:], "supqo") == "" {
			args = args[1:]
		}
		return optionsAreKnown(args)
	case "setopt", "unsetopt":
		return optionsAreKnown(args)
	}
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "--", text == "-":
			return true
		case args[0].unsure():
			return false
		case !isFlag(args[0]):
			return true
		case !plainLetters(text[1:]), strings.Contains(text[:len(text)-1], "o"): // zsh takes the rest for the option
			return false
		}
		args = args[1:]
		takes := min(strings.Count(text, "o"), len(args))
		if !optionsAreKnown(args[:takes]) {
			return false
		}
		args = args[takes:]
	}
	return true
}

// plainLetters reports whether the one-letter options of a shell leave words alone in bash, dash and zsh.
func plainLetters(letters string) bool {
	return strings.Trim(letters, "abBceCdDEfhilmnoprstTuvx0123456789") == ""
}

// optionsAreKnown reports whether all words name options of bash or zsh that leave words alone. With nullglob a word
// may vanish, which the reader of the line knows.
func optionsAreKnown(args []Word) bool {
	return !slices.ContainsFunc(args, func(w Word) bool {
		if w.Computed {
			return true
		}
		name := strings.ToLower(strings.ReplaceAll(w.Text, "_", ""))
		return !isPlainOption(name) && !isPlainOption(strings.TrimPrefix(name, "no"))
	})
}

func isPlainOption(name string) bool {
	switch name {
	case "allexport", "braceexpand", "casematch", "caseglob", "cdspell", "checkjobs", "checkwinsize", "clobber",
		"cmdhist", "dirspell", "dotglob", "emacs", "errexit", "errtrace", "exec", "expandaliases", "extglob",
		"failglob", "functrace", "glob", "globskipdots", "globstar", "hashall", "histappend", "hup", "ignoreeof",
		"inheriterrexit", "interactivecomments", "lastpipe", "localoptions", "localtraps", "log", "match", "monitor",
		"nocaseglob", "nocasematch", "notify", "nullglob", "physical", "pipefail", "posix", "privileged", "progcomp",
		"shwordsplit", "sourcepath", "unset", "verbose", "vi", "xtrace":
		return true
	}
	return false
}
