package shellline

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// MaxWrappers limits the number of nested wrappers around a command.
const MaxWrappers = 32

// maxNested limits the bytes of all commands of a line, at all depths.
const maxNested = 4 * MaxLine

// launch is a command or a line that a wrapper runs.
type launch struct {
	words []Word // of a command; nil for a line
	more  bool   // further arguments follow that are known only at run time
	line  string // a shell line, if words is nil
	from  []Word // the computed words that the line is made of
	by    string // the wrapper
	away  bool   // runs in a container, on another machine or in another environment

	parameters []Word // of the line, from $0 on; nil: those of the line around it
}

// launches is all knowledge about the commands that a command runs.
type launches struct {
	list        []launch
	opaque      Opaque
	hints       []Hint
	wholeLine   bool // a command may be anywhere in the line, so the whole line is a hint
	weak        bool // the only reason for wholeLine is a program that could run a text, and no argument mentions one
	shell       bool // a shell reads commands from stdin
	open        bool // further arguments may hold a command
	assignments []Assignment

	risks
}

// risks are facts that are harmless alone. Together they mean that any command may run.
type risks struct {
	// code: a value has a quoted expansion. arithmetic: the shell evaluates variables that the line sets to numbers or
	// does not set. zshArithmetic: zsh evaluates values known only to the shell.
	code, arithmetic, zshArithmetic bool

	// writes: the line writes to a file. script: the line runs a file, perhaps the same one.
	writes, script bool

	// unknownValues: the line gives variables values that are not in the line. textCode: a text in the line has a
	// quoted expansion, which may become such a value.
	unknownValues, textCode bool

	// dollarQuotes: a word has $'…', which dash reads otherwise. runsText: a text of the line runs as a line.
	dollarQuotes, runsText bool
}

func (s *risks) add(more risks) {
	s.code, s.arithmetic = s.code || more.code, s.arithmetic || more.arithmetic
	s.zshArithmetic = s.zshArithmetic || more.zshArithmetic
	s.writes, s.script = s.writes || more.writes, s.script || more.script
	s.unknownValues, s.textCode = s.unknownValues || more.unknownValues, s.textCode || more.textCode
	s.dollarQuotes, s.runsText = s.dollarQuotes || more.dollarQuotes, s.runsText || more.runsText
}

// add adds the result of one of several readers.
func (l *launches) add(all []launch, opaque Opaque) {
	l.list = append(l.list, all...)
	l.opaque.add(opaque)
}

// rowOf returns the row of the program in the first word.
func rowOf(words []Word) (row programs.Program) {
	if len(words) > 0 {
		row, _ = programs.Find(ProgramName(words[0].Text))
	}
	return row
}

// launchesOf returns the commands that the words of a simple command run besides the command itself. row is the row of
// the program, wrappers are the names of further programs that run a command from their arguments.
func launchesOf(words []Word, row programs.Program, wrappers []string) (l launches) {
	name, args := ProgramName(words[0].Text), words[1:]
	switch {
	case name == "eval", name == "trap", name == "source", name == ".":
		l.add(builtinLaunches(name, args))
		l.open = len(l.list) == 0
	case name == "alias":
		l.add(aliasLaunches(args))
		l.open = len(l.list) == 0
	case row.Name == "parallel":
		l = parallelLaunches(row, args)
	case name == "find":
		l.add(findLaunches(args))
		l.open = true
	case isPosixShell(name):
		l = shellLaunches(name, args)
	case row.Is(programs.ForeignShell):
		l.add(foreignShellLaunches(name, args))
		l.open = len(l.list) == 0
	case row.Is(programs.Runs), row.Is(programs.Language):
		l = runs(row, args)
	}
	if slices.Contains(wrappers, name) { // in addition to the table, because a hooks file must not remove a check
		own := parsing{Program: programs.Program{Name: name}, isOwn: true, args: args}
		own.search()
		l.join(own.found)
	}
	l.shell = l.shell || name == "at" || name == "batch"
	l.addBuiltin(name, args)
	l.script = l.script || name == "source" || name == "." || name == "autoload"
	isLauncher := row.Is(programs.Runs) && !row.Is(programs.OptionsUnknown)
	l.writes = l.writes || !isLauncher && !row.Is(programs.NoFile|programs.ForeignShell) && !isPosixShell(name) &&
		!IsBuiltin(name) && !strings.ContainsAny(words[0].Text, "/.") // may write to a file that the line names
	if row.Holds(programs.MayRun, args) {
		l.wholeLine, l.weak = true, !l.wholeLine && !runsText(row, args)
	}
	return l
}

// runsText reports whether the arguments of a program that may run a text say that the program runs a line. Otherwise a
// line could come only from other input.
func runsText(p programs.Program, args []Word) bool {
	if p.Name == "sed" {
		return slices.ContainsFunc(args, func(w Word) bool { return sedRuns.Get().MatchString(w.Text) })
	}
	return !p.Asks(programs.RunsText) || p.Holds(programs.RunsText, args)
}

// sedRuns matches sed scripts that may have the command e, or s with the flag e.
var sedRuns = lazy.Regexp{Text: `(?:^|[;{}\n/$0-9!\s])e(?:$|[\s;}])|` +
	`s(?:.|\n)*[^a-zA-Z\s\\][gpiImM0-9]*e[gpiImM0-9w]*(?:$|[\s;}])`}

// join adds the result of another reading of the same words.
func (l *launches) join(more launches) {
	l.add(more.list, more.opaque)
	l.hints, l.assignments = append(l.hints, more.hints...), append(l.assignments, more.assignments...)
	l.wholeLine, l.shell, l.open = l.wholeLine || more.wholeLine, l.shell || more.shell, l.open || more.open
	l.risks.add(more.risks)
}

// lineOf joins words to a shell line, in which computed words stay computed.
func lineOf(by string, words []Word) ([]launch, Opaque) {
	l := launch{line: JoinWords(words), by: by}
	if slices.ContainsFunc(words, IsComputed) {
		l.line, l.from = substituted.Get().Replace(l.line), words
	}
	return []launch{l}, Opaque{}
}

// substituted makes the output of substitutions, which the text of a word lacks, an unknown word.
var substituted = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("$()", "$_", "``", "$_")
}}

// builtinLaunches reads the arguments of a builtin that runs a line. Rules do not see through scripts, but if source
// reads stdin, the line itself may hold the script.
func builtinLaunches(name string, args []Word) ([]launch, Opaque) {
	isEnd := len(args) > 0 && args[0].Text == "--"
	if isEnd {
		args = args[1:]
	}
	isOption := len(args) > 0 && strings.HasPrefix(args[0].Text, "-")
	switch {
	case name == "eval":
		return lineOf(name, args)
	case name == "trap" && len(args) > 1 && args[0].Text != "-" && (isEnd || !InList("-l -p -P", args[0].Text)):
		return lineOf(name, args[:1])
	case name != "trap" && len(args) > 0 && (args[0].Computed && !isFile(args[0]) || isOption || IsStdin(args[0].Text)):
		return nil, scriptOf("source", args[0])
	case name != "trap" && len(args) > 0 && !args[0].Computed: // PATH may have a program of this name
		return []launch{{words: args, by: name}}, Opaque{}
	}
	return nil, Opaque{}
}

// aliasLaunches reads the arguments of alias. Their values are lines that run later.
func aliasLaunches(args []Word) (all []launch, opaque Opaque) {
	if slices.ContainsFunc(args, isFlag) {
		return nil, unread("an alias that is no command")
	}
	for _, w := range args {
		if _, line, ok := strings.Cut(w.Text, "="); ok {
			some, _ := lineOf("alias", []Word{{Text: line + ` "$@"`, Source: w.Source, Computed: w.Computed,
				Outside: w.Outside}})
			all = append(all, some...)
		}
	}
	return all, Opaque{}
}

var (
	// posixShell matches shells whose language is close enough to bash for finding commands.
	posixShell = lazy.Regexp{Text: `^r?(?:ba|da|z|k|a|mk|lk|ok|pdk|lok|ya|po|hu|o)?sh` +
		`(?:[0-9][0-9a-z.]*|-[0-9.]+|-static)?$`}
	// plainLine matches lines that all shells read alike, unless the line begins with one of foreignKeywords.
	plainLine = lazy.Regexp{Text: `^[A-Za-z0-9_./][A-Za-z0-9_./:,@+ -]*$`}
)

// foreignKeywords begin lines that shells with a language of their own read in another way.
const foreignKeywords = "and or not begin if else while for switch function do repeat foreach source end"

func isPosixShell(name string) bool {
	return strings.Contains(name, "sh") && posixShell.Get().MatchString(name)
}

// IsShell reports whether a program is a shell, or eval.
func IsShell(command string) bool {
	name := ProgramName(command)
	row, _ := programs.Find(name)
	return IsShellOf(row, name)
}

// IsShellOf is IsShell for a program whose row is known.
func IsShellOf(p programs.Program, name string) bool {
	return name == "cmd" || name == "eval" || p.Is(programs.ForeignShell) || isPosixShell(name)
}

// isFile reports whether a computed word is the path of a file with a known name, so neither stdin nor an option.
func isFile(w Word) bool {
	i := strings.LastIndexByte(w.Text, '/')
	return i > 0 && !w.MaybeMany && w.Text[i+1:] != "" && !strings.ContainsAny(w.Text[i:], "$`*?[]{}()'\"") &&
		!IsStdin(w.Text[i+1:]) && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+")
}

// IsStdin reports whether a path stands for an open file, as /dev/stdin and /dev/fd/0 do. The path may be relative,
// because the line may change the folder first.
func IsStdin(file string) bool {
	base := path.Base(path.Clean(file))
	return base == "stdin" || strings.Trim(base, "0123456789") == "" || strings.HasPrefix(file, "/proc") ||
		strings.HasPrefix(file, "fd/") || strings.Contains(file, "/fd/")
}

// longOptions are the options of bash without a value.
const longOptions = "--debugger --dump-po-strings --dump-strings --login --noediting --noprofile --norc --posix " +
	"--pretty-print --restricted --verbose"

// shellLaunches reads the arguments of a shell. With -c the first operand is a line. Without -c the first operand is a
// script, whose commands no rule sees. Without an operand the shell reads commands from stdin.
func shellLaunches(name string, args []Word) (l launches) {
	isLine := false
	l.script = strings.Contains(name, "zsh")
	for len(args) > 0 {
		text := args[0].Text
		if unsure(args[0]) && (isLine || isFile(args[0])) {
			break
		}
		if unsure(args[0]) {
			return launches{opaque: scriptOf(name, args[0])}
		}
		if text == "" || text[0] != '-' && text[0] != '+' {
			break
		}
		args = args[1:]
		if text == "--" || text == "-" {
			break
		}
		isLong := strings.HasPrefix(text, "--")
		isLine = isLine || text[0] == '-' && !isLong && strings.Contains(text, "c")
		takes, whole := shellOptions(name, text, args)
		if whole == nil && !isLong && !isLine && strings.Contains(text, "s") {
			whole = &launches{shell: true, open: true}
		}
		if whole != nil {
			return *whole
		}
		// With these options a shell reads files of its own first, as zsh always does.
		l.script = l.script || InList("--rcfile --init-file --login", text) ||
			!isLong && strings.ContainsAny(text, "il")
		args = args[takes:]
	}
	switch {
	case len(args) == 0:
		l.shell, l.open = true, true
		return l
	case isLine:
		l.add(lineOf(name, args[:1]))
		l.list[0].parameters = args[1:]
	case unsure(args[0]) && !isFile(args[0]) || IsStdin(args[0].Text):
		l.opaque = scriptOf(name, args[0])
	default: // PATH may have a program of this name
		l.list, l.script = append(l.list, launch{words: args, by: name}), true
	}
	l.open = len(l.list) == 0 || !isLine
	return l
}

// shellOptions reads a word with options of a shell; args are the arguments after it. It returns the number of the
// options' values, or whole if the options alone decide what the shell runs.
func shellOptions(name, text string, args []Word) (takes int, whole *launches) {
	switch {
	case text == "--version" || text == "--help":
		return 0, &launches{open: true}
	case text == "--rcfile" || text == "--init-file":
		if len(args) > 0 && (unsure(args[0]) || IsStdin(args[0].Text)) {
			return 0, &launches{opaque: scriptOf(name, args[0])}
		}
		return min(1, len(args)), nil
	case InList(longOptions, text):
		return 0, nil
	case strings.HasPrefix(text, "--"):
		return 0, &launches{opaque: unread("an option of " + name + " that is not known")}
	}
	takes = min(strings.Count(text, "o")+strings.Count(text, "O"), len(args))
	isJoined := strings.ContainsAny(text[:len(text)-1], "oO") && !strings.Contains(text, "c") // zsh
	if isJoined || !plainLetters(strings.ReplaceAll(text[1:], "O", "")) || !optionsAreKnown(args[:takes]) {
		return 0, &launches{opaque: unread(optionsReason(name+" "+text, args[:takes]))}
	}
	return takes, nil
}

// foreignShellLaunches reads the arguments of a shell with a language of its own. A line follows -c.
func foreignShellLaunches(name string, args []Word) ([]launch, Opaque) {
	if len(args) == 0 {
		return nil, computedBy(name)
	}
	if unsure(args[0]) || IsStdin(args[0].Text) {
		return nil, scriptOf(name, args[0])
	}
	switch first := args[0].Text; {
	case first == "--version", first == "--help", !strings.HasPrefix(first, "-"): // a script
		return nil, Opaque{}
	case first != "-c":
		return nil, mayTake(name)
	case len(args) == 1:
		return nil, computedBy(name)
	case len(args) != 2 || args[1].Computed || !plainLine.Get().MatchString(args[1].Text),
		InList(foreignKeywords, strings.Fields(args[1].Text)[0]):
		return nil, unread("a line of " + name)
	}
	return lineOf(name, args[1:])
}

// replaced returns a command in which text stands for arguments known only at run time. more means that several
// arguments may replace text; without text, they follow the command.
func replaced(by string, command []Word, text string, more bool) ([]launch, Opaque) {
	if len(command) == 0 {
		return nil, Opaque{}
	}
	if text == "" {
		return []launch{{words: command, more: more, by: by}}, Opaque{}
	}
	isShell := IsShell(command[0].Text) && ProgramName(command[0].Text) != "cmd"
	for i, w := range command {
		at := strings.Index(w.Text, text)
		switch {
		case at < 0, w.Computed && len(w.Prefix) < at:
			continue
		case isShell && !areParameters(command[1:i]): // the replacement is a part of the shell's line
			w.Text = strings.ReplaceAll(w.Text, text, "$_")
		default: // one spelling for all
			w.Text = strings.ReplaceAll(w.Text, text, "{}")
		}
		w.Computed, w.Prefix, w.MaybeMany, w.Outside, w.Source = true, w.Text[:at], w.MaybeMany || more, by == "find",
			""
		command = slices.Clone(command)
		command[i] = w
	}
	return []launch{{words: command, by: by}}, Opaque{}
}

// areParameters reports whether the words after the name of a shell are parameters of its line.
func areParameters(before []Word) bool {
	return len(before) > 1 && !before[1].Computed && !isFlag(before[1]) && !before[0].Computed &&
		InList("-c -ec -lc", before[0].Text)
}
