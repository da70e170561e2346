package shellline

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtinKind is what bash, dash or zsh may do with the arguments of a builtin. A later kind needs stricter checks of
// the arguments.
type builtinKind uint8

const (
	noBuiltin  builtinKind = iota
	inert                  // the builtin takes its arguments as text
	arithmetic             // zsh evaluates the arguments as arithmetic
	evaluating             // bash does too, or takes them as names of variables, which may have a subscript
	unclear                // the builtin may run its arguments in a way unknown here
)

func kindOfBuiltin(name string) builtinKind {
	switch name {
	case ":", "true", "false", "echo", "cd", "chdir", "pwd", "pushd", "popd", "dirs", "type", "which", "whence",
		"where", "times", "umask", "bg", "fg", "disown", "unalias", "rehash", "log", "command", "builtin", "exec",
		"eval", "trap", "source", ".":
		return inert // the builtins here that run a command have readers of their own
	case "printf", "test", "[", "return", "exit", "logout", "bye", "break", "continue", "shift", "kill", "ulimit",
		"repeat", "sleep", "set", "shopt", "setopt", "unsetopt", "hash", "alias":
		return arithmetic
	case "read", "let", "getopts", "wait", "mapfile", "readarray", "declare", "typeset", "local", "export", "readonly",
		"unset", "float", "integer", "private":
		return evaluating
	case "autoload", "add-zsh-hook", "bind", "bindkey", "caller", "compadd", "compcall", "compctl", "compdef",
		"compgen", "complete", "compopt", "disable", "echotc", "echoti", "emulate", "enable", "fc", "functions",
		"getln", "history", "jobs", "limit", "print", "pushln", "r", "sched", "strftime",
		"suspend", "sysread", "sysopen", "sysseek", "syswrite", "ttyctl", "unfunction", "unhash", "unlimit", "vared",
		"zcompile", "zcurses", "zformat", "zle", "zmodload", "zparseopts", "zprof", "zpty", "zregexparse", "zselect",
		"zsocket", "zstat", "zstyle", "zsystem", "ztcp", "zed", "zmv", "zcalc", "zf_rm":
		return unclear
	}
	return noBuiltin
}

// IsBuiltin reports whether bash, dash or zsh may have a builtin of that name.
func IsBuiltin(name string) bool { return kindOfBuiltin(name) != noBuiltin }

// evaluationReason returns why a line is opaque: the shell may evaluate the first word that passes the check.
func evaluationReason(by string, words []Word, check func(Word) bool) string {
	i := max(0, slices.IndexFunc(words, check))
	return brief(words[i].Text) + ", which " + by + " may evaluate"
}

// optionsReason returns why a line is opaque: options of a shell or a builtin.
func optionsReason(by string, args []Word) string {
	return "an option that changes what words mean, in " + brief(by+" "+JoinWords(args))
}

// brief shortens and quotes a text for a message.
func brief(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

// addBuiltin adds the code that a builtin may evaluate or run. Arguments are clear only in a form known to be harmless.
func (l *launches) addBuiltin(name string, args []Word) {
	kind := kindOfBuiltin(name)
	if kind <= inert {
		return
	}
	if kind == evaluating {
		l.addDeclared(args)
	}
	l.addRead(name, args)
	switch name {
	case "alias":
		return
	case "set", "shopt", "setopt", "unsetopt":
		if !setsPlainly(name, args) {
			l.fail(optionsReason(name, args))
		}
		if slices.ContainsFunc(args, hasCode) {
			l.fail(evaluationReason(name, args, hasCode))
		}
		return
	case "hash": // may bind a name to another program
		if slices.ContainsFunc(args, IsComputed) {
			l.opaque.add(mayTake(name, args...))
		}
		if len(args) > 0 && args[0].Text != "-r" {
			l.wholeLine = true
		}
	}
	switch kind = kindOfCall(kind, name, args); {
	case kind <= inert:
	case kind == unclear && isPlainCall(name, args):
	case slices.ContainsFunc(args, hasCode):
		l.fail(evaluationReason(name, args, hasCode))
	case kind == evaluating && slices.ContainsFunc(args, isUnknownName):
		isCallback := slices.ContainsFunc(args, func(w Word) bool { return strings.HasPrefix(w.Text, "-C") })
		l.opaque.add(Opaque{evaluationReason(name, args, isUnknownName), isCallback})
	case kind == evaluating && slices.ContainsFunc(args, isElement):
		l.fail(evaluationReason(name, args, isElement))
	case kind == unclear:
		l.fail("what " + name + " does with its arguments")
	case slices.ContainsFunc(args, func(w Word) bool { return w.Computed && !isOwnNumber(w.Text) || isName(w) }):
		l.zshArithmetic = true
	}
}

// kindOfCall returns the kind of a builtin with these arguments, which may be lower or higher than that of the builtin.
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
			return arithmetic
		}
	}
	return kind
}

// addRead notes that a builtin gives variables values that are not in the line. If the shell evaluates such a variable
// or keeps its own state there, the line is opaque.
func (l *launches) addRead(name string, args []Word) {
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
	l.unknownValues = true
	for _, w := range args {
		text := strings.TrimLeft(w.Text, "-")
		if text != w.Text && len(text) > 0 { // -vPS4
			text = text[1:]
		}
		for _, variable := range []string{w.Text, text} { // addBuiltin checks elements of arrays
			if kindOfVariable(variable) != plainVariable || isTable(variable) {
				l.fail(evaluationReason(name, []Word{w}, IsComputed))
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

// addDeclared adds the commands that values in the arguments of declare, export and the like may run.
func (l *launches) addDeclared(args []Word) {
	for _, w := range args {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok {
			continue
		}
		element, _, hasIndex := strings.Cut(strings.TrimPrefix(name, "-"), "[")
		switch {
		case strings.HasPrefix(value, "("): // bash reads the value again, as an array
			l.fail("an array in quotes")
		case hasIndex && syntax.ValidName(element):
			l.opaque.add(Opaque{"an element of " + element, isTable(element)})
		case isElement(Word{Text: value}): // a reference or arithmetic
			l.fail("a value with a subscript")
		}
		l.addValue(strings.TrimSuffix(name, "+"), Word{Text: value, Computed: w.Computed, Code: w.Code})
	}
}

func (l *launches) fail(reason string) { l.opaque.add(unread(reason)) }

// isTextFormat reports whether a format of printf has only text conversions: %d is arithmetic in zsh, -v sets a
// variable.
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

func hasCode(w Word) bool { return w.Code }

func isFlag(w Word) bool { return len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') }

func isArithmeticTest(w Word) bool {
	return InList("-eq -ne -lt -le -gt -ge -v -R -t", w.Text) || unsure(w)
}

// isUnknownName reports whether the shell computes the name in a word. The name may be an element of an array.
func isUnknownName(w Word) bool { return w.Computed && !strings.Contains(w.Prefix, "=") }

// isOwnNumber reports whether a word is an expansion that always gives a number.
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

// isPlainCall reports whether a call of an unclear builtin runs nothing.
func isPlainCall(name string, args []Word) bool {
	plain := ""
	switch name {
	case "zstyle", "bindkey", "zle", "compdef", "add-zsh-hook", "autoload", "print":
		return setsEditor(name, args)
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
	case "zmodload":
		plain = "zsh/datetime zsh/zprof"
	}
	isPlain := func(w Word) bool { return !w.Computed && InList(plain, w.Text) }
	if name == "compgen" { // prints lists of names with the given beginning
		plain = name
		isPlain = func(w Word) bool {
			return !w.Computed && !w.Code && (!isFlag(w) || strings.Trim(w.Text[1:], "abcdefgjksuv") == "")
		}
	}
	return plain != "" && !slices.ContainsFunc(args, func(w Word) bool { return !isPlain(w) }) &&
		(name != "fc" || len(args) > 0)
}

// setsPlainly reports whether set, shopt, setopt or unsetopt sets only options that do not change words.
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
		case unsure(args[0]):
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

// plainLetters reports whether none of these one-letter options changes words in bash, dash or zsh.
func plainLetters(letters string) bool {
	return strings.Trim(letters, "abBceCdDEfhilmnoprstTuvx0123456789") == ""
}

// optionsAreKnown reports whether all words name options of bash or zsh that do not change words. nullglob may remove a
// word; reader.word handles that.
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
	return InList("allexport braceexpand casematch caseglob cdspell checkjobs checkwinsize clobber cmdhist "+
		"dirspell dotglob emacs errexit errtrace exec expandaliases extglob failglob functrace glob globskipdots "+
		"globstar hashall histappend hup ignoreeof inheriterrexit interactivecomments lastpipe localoptions "+
		"localtraps log match monitor nocaseglob nocasematch notify nullglob physical pipefail posix privileged "+
		"progcomp shwordsplit sourcepath unset verbose vi xtrace "+
		"alwaystoend appendhistory autocd autolist automenu autoparamkeys autoparamslash autopushd "+
		"autoremoveslash autoresume beep bgnice checkrunningjobs combiningchars completeinword correct correctall "+
		"extendedhistory flowcontrol globcomplete hashlistall histbeep histexpiredupsfirst histfcntllock "+
		"histfindnodups histignorealldups histignoredups histignorespace histnostore histreduceblanks "+
		"histsavebycopy histsavenodups histverify incappendhistory incappendhistorytime listambiguous "+
		"listbeep listpacked listrowsfirst listtypes longlistjobs menucomplete nohup numericglobsort "+
		"printexitvalue promptcr promptpercent promptsp promptsubst pushdignoredups pushdminus pushdsilent "+
		"pushdtohome rmstarsilent rmstarwait sharehistory transientrprompt", name)
}
