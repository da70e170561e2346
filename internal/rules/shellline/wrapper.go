package shellline

import (
	"cmp"
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
	by    string // the wrapper
	away  bool   // runs in a container, on another machine or in another environment
}

// launches is all knowledge about the commands that a command runs.
type launches struct {
	list        []launch
	opaque      string // why the commands are known only at run time; then every rule is in doubt
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
}

func (s *risks) add(more risks) {
	s.code, s.arithmetic = s.code || more.code, s.arithmetic || more.arithmetic
	s.zshArithmetic = s.zshArithmetic || more.zshArithmetic
	s.writes, s.script = s.writes || more.writes, s.script || more.script
	s.unknownValues, s.textCode = s.unknownValues || more.unknownValues, s.textCode || more.textCode
}

// add adds the result of one of several readers.
func (l *launches) add(all []launch, opaque string) {
	l.list, l.opaque = append(l.list, all...), cmp.Or(l.opaque, opaque)
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

// lineOf joins words to a shell line.
func lineOf(by string, words []Word) ([]launch, string) {
	if slices.ContainsFunc(words, IsComputed) {
		return nil, computedReason(by)
	}
	return []launch{{line: JoinWords(words), by: by}}, ""
}

func computedReason(by string) string { return "what " + by + " runs, which is known only then" }

// builtinLaunches reads the arguments of a builtin that runs a line. Rules do not see through scripts, but if source
// reads stdin, the line itself may hold the script.
func builtinLaunches(name string, args []Word) ([]launch, string) {
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
		return nil, computedReason("source")
	case name != "trap" && len(args) > 0 && !args[0].Computed: // PATH may have a program of this name
		return []launch{{words: args, by: name}}, ""
	}
	return nil, ""
}

// aliasLaunches reads the arguments of alias. Their values are lines that run later.
func aliasLaunches(args []Word) (all []launch, opaque string) {
	if slices.ContainsFunc(args, IsComputed) {
		return nil, computedReason("alias")
	}
	if slices.ContainsFunc(args, isFlag) {
		return nil, "an alias that is no command"
	}
	for _, w := range args {
		if _, line, ok := strings.Cut(w.Text, "="); ok {
			all = append(all, launch{line: line + ` "$@"`, by: "alias"})
		}
	}
	return all, ""
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
		if unsure(args[0]) && isFile(args[0]) {
			break
		}
		if unsure(args[0]) {
			return launches{opaque: computedReason(name)}
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
	case unsure(args[0]) && !isFile(args[0]) || IsStdin(args[0].Text):
		l.opaque = computedReason(name)
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
			return 0, &launches{opaque: computedReason(name)}
		}
		return min(1, len(args)), nil
	case InList(longOptions, text):
		return 0, nil
	case strings.HasPrefix(text, "--"):
		return 0, &launches{opaque: "an option of " + name + " that is not known"}
	}
	takes = min(strings.Count(text, "o")+strings.Count(text, "O"), len(args))
	isJoined := strings.ContainsAny(text[:len(text)-1], "oO") && !strings.Contains(text, "c") // zsh
	if isJoined || !plainLetters(strings.ReplaceAll(text[1:], "O", "")) || !optionsAreKnown(args[:takes]) {
		return 0, &launches{opaque: optionsReason(name+" "+text, args[:takes])}
	}
	return takes, nil
}

// foreignShellLaunches reads the arguments of a shell with a language of its own. A line follows -c.
func foreignShellLaunches(name string, args []Word) ([]launch, string) {
	if len(args) == 0 || unsure(args[0]) || IsStdin(args[0].Text) {
		return nil, computedReason(name)
	}
	switch first := args[0].Text; {
	case first == "--version", first == "--help", !strings.HasPrefix(first, "-"): // a script
		return nil, ""
	case first != "-c":
		return nil, computedReason(name)
	case len(args) != 2 || args[1].Computed || !plainLine.Get().MatchString(args[1].Text),
		InList(foreignKeywords, strings.Fields(args[1].Text)[0]):
		return nil, "a line of " + name
	}
	return lineOf(name, args[1:])
}

// replaced returns a command in which text stands for arguments known only at run time. more means that several
// arguments may replace text; without text, they follow the command.
func replaced(by string, command []Word, text string, more bool) ([]launch, string) {
	if len(command) == 0 {
		return nil, ""
	}
	if text == "" {
		return []launch{{words: command, more: more, by: by}}, ""
	}
	isShell := IsShell(command[0].Text) && ProgramName(command[0].Text) != "cmd"
	for i, w := range command {
		at := strings.Index(w.Text, text)
		switch {
		case at < 0, w.Computed && len(w.Prefix) < at:
			continue
		case i == 0, isShell && !areParameters(command[1:i]): // a shell line may use the replacement
			return nil, computedReason(by)
		}
		command = slices.Clone(command)
		command[i].Computed, command[i].Prefix = true, w.Text[:at]
		command[i].MaybeMany = w.MaybeMany || more
	}
	return []launch{{words: command, by: by}}, ""
}

// areParameters reports whether the words after the name of a shell are parameters of its line.
func areParameters(before []Word) bool {
	return len(before) > 1 && !before[1].Computed && !isFlag(before[1]) && !before[0].Computed &&
		InList("-c -ec -lc", before[0].Text)
}

// Unwrapped holds the commands that a line runs, directly and through wrappers at any depth.
type Unwrapped struct {
	Commands     []Command
	Redirections []Redirection // of all lines
	Assignments  []Assignment  // of all lines
	Flow         *Step         // of the line
	Opaque       string        // as in Line
	Hints        []Hint
	wholeLine    bool // the line itself is a hint
	strong       bool // programs and their arguments give a reason for wholeLine

	wrappers []string // further programs that run a command
	nested   int      // bytes of all commands
	outer    outerLine
	risks    // of all lines
}

// Unwrap finds the commands that run because of the commands of a line. text is the line.
func (l *Line) Unwrap(text string, wrappers []string) *Unwrapped {
	r := &Unwrapped{wrappers: wrappers, outer: outerLine{text: text}, Redirections: l.Redirections, Flow: l.flow}
	for _, c := range l.Commands {
		c.step.Parts = nil
		r.follow(c, MaxWrappers)
	}
	r.addLaunches(l.values, Command{}, MaxWrappers)
	if (r.code || r.unknownValues && r.textCode) && (r.arithmetic || r.zshArithmetic) {
		r.Opaque = cmp.Or(r.Opaque, "a value with an expansion in quotes, which arithmetic may evaluate")
	}
	if r.zshArithmetic || r.writes && r.script {
		r.wholeLine, r.strong = true, true
	}
	r.Commands = slices.Concat(l.Commands, r.Commands)
	for i := range r.Commands {
		r.Commands[i].step.Command = i
	}
	if r.wholeLine {
		r.Hints = append(r.Hints, Hint{Text: text, Name: "the line", Weak: !r.strong})
	}
	for _, h := range r.Hints {
		if strings.ContainsAny(h.Text, "'\"\\") { // perhaps a shell line, in which gi”t is git
			h.Text = withoutQuotes(h.Text)
			r.Hints = append(r.Hints, h)
		}
	}
	return r
}

// follow adds the commands that one command runs. left is the remaining depth of wrappers.
func (r *Unwrapped) follow(c Command, left int) {
	if r.Opaque != "" {
		return
	}
	name, found := ProgramName(c.Words[0].Text), launchesOf(c.Words, c.Row, r.wrappers)
	if r.Opaque = found.opaque; c.MoreArgs && r.Opaque == "" {
		// Arguments after a shell's line are its parameters. Other programs add the arguments to their command.
		isLine := len(found.list) > 0 && found.list[0].words == nil && (name == "eval" || !IsShellOf(c.Row, name))
		if isLine || found.open {
			r.Opaque = computedReason(name)
		}
	}
	// A shell that reads input from the line may run anything. In a container or on another machine, a shell reads
	// nothing unless the line says so.
	switch {
	case !found.shell:
	case c.Script != "":
		found.list = append(found.list, launch{line: c.Script, by: name, away: c.Elsewhere})
	case c.stdin == fed || c.stdin == inherited && !c.Elsewhere && IsShellOf(c.Row, name):
		r.Opaque = cmp.Or(r.Opaque, computedReason(name))
	}
	r.nested += len(c.Text)
	if len(found.list) > 0 && left == 0 || len(r.Commands) > MaxCommands || r.nested > maxNested {
		r.Opaque = tooManyInside
	}
	if r.Opaque != "" {
		return
	}
	hasText := found.shell || c.MoreArgs && len(found.hints) > 0
	r.wholeLine = r.wholeLine || found.wholeLine || hasText || c.Words[0].ProgramVariable
	r.strong = r.strong || found.wholeLine && !found.weak || hasText
	r.addLaunches(found, c, left)
}

// addLaunches adds the commands found in one command, or in the values of a line.
func (r *Unwrapped) addLaunches(found launches, c Command, left int) {
	r.Opaque = cmp.Or(r.Opaque, found.opaque)
	r.Hints, r.Assignments = append(r.Hints, found.hints...), append(r.Assignments, found.assignments...)
	r.risks.add(found.risks)
	r.script = r.script || len(c.Words) > 0 && strings.Contains(c.Words[0].Text, "/")
	for _, l := range found.list {
		folders := c.Folders
		if to, ok := StartFolder(c.Words[:max(len(c.Words)-len(l.words), 0)]); ok {
			folders = append(slices.Clip(folders), to)
		}
		commands := []Command{{Text: JoinWords(l.words), Words: l.words, Row: rowOf(l.words),
			MoreArgs: l.more || c.MoreArgs, Script: c.Script, Substitutions: c.Substitutions, Files: c.Files,
			Env: c.Env, Captured: c.Captured, step: &Step{}}}
		if l.by == "sudo" { // sudo may have read a password from stdin
			commands[0].Script = ""
		}
		if l.words != nil {
			c.launches(commands[0].step)
		}
		if l.words == nil {
			line := splitIn(&r.outer, l.line)
			if r.Opaque = cmp.Or(r.Opaque, line.ProjectOpaque); r.Opaque != "" || left == 0 {
				return
			}
			r.addLaunches(line.values, c, left-1)
			c.launches(line.flow)
			commands, r.Redirections = line.Commands, slices.Clip(r.Redirections)
			for _, file := range line.Redirections {
				file.Elsewhere, file.Folders = c.Elsewhere || l.away, slices.Concat(folders, file.Folders)
				r.Redirections = append(r.Redirections, file)
			}
		}
		for _, command := range commands {
			command.Wrapper, command.Elsewhere = l.by, c.Elsewhere || l.away
			command.Folders = slices.Concat(folders, command.Folders)
			if command.stdin == inherited {
				command.stdin = c.stdin
				command.PipedFrom = c.PipedFrom
			}
			r.Commands = append(r.Commands, command)
			r.follow(command, left-1)
		}
	}
}

func JoinWords(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}
