package shellline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lazy"
)

// maxWrappers limits how many wrappers may stand before one command.
const MaxWrappers = 32

// launch is what a wrapper runs.
type launch struct {
	words []Word // of a command
	more  bool   // more arguments follow that are known only at run time
	line  string // a shell line, if there are no words
	by    string // the wrapper
	away  bool   // it runs in a container, on another machine or in another environment
}

// launches is what is known about the commands that a command runs.
type launches struct {
	all    []launch
	opaque string // why the commands are known only at run time, which is doubt for every rule
	hints  []Hint
	whole  bool // a command may stand anywhere in the line: the whole line is a hint
	weak   bool // it is one only because a program could run a text, of which its arguments do not speak
	shell  bool // a shell reads its commands from stdin
	open   bool // arguments that follow may hold a command
	given  []Assignment

	signs
}

// signs are what has to come together before it may run anything.
type signs struct {
	// code means that a value has an expansion in quotes. arithmetic means that the shell evaluates variables that the
	// line sets to numbers or not at all, and counts that zsh evaluates what only the shell knows.
	code, arithmetic, counts bool

	// writes means that the line writes to a file, and script that it runs one, which may be the same.
	writes, script bool

	// reads means that the line gives variables what it does not say, and said that a text in it has an expansion in
	// quotes, which may be what they are given.
	reads, said bool
}

func (s *signs) add(more signs) {
	s.code, s.arithmetic, s.counts = s.code || more.code, s.arithmetic || more.arithmetic, s.counts || more.counts
	s.writes, s.script = s.writes || more.writes, s.script || more.script
	s.reads, s.said = s.reads || more.reads, s.said || more.said
}

// add adds what one of several readers found.
func (l *launches) add(all []launch, opaque string) {
	l.all, l.opaque = append(l.all, all...), cmp.Or(l.opaque, opaque)
}

// behind returns what the words of a simple command run besides the command itself. wrappers are the names of further
// programs that run a command in their arguments.
func behind(words []Word, wrappers []string) (l launches) {
	if len(words) == 0 {
		return launches{}
	}
	name, args := programName(words[0].Text), words[1:]
	defer func() {
		l.ofBuiltins(name, args)
		l.script = l.script || name == "source" || name == "." || name == "autoload"
		l.writes = l.writes || mayWrite(name) && !strings.ContainsAny(words[0].Text, "/.")
		if mayRunText(name, args) {
			l.whole, l.weak = true, !l.whole && !runsText(name, args)
		}
	}()
	switch {
	case name == "eval", name == "trap", name == "source", name == ".":
		l.add(ofBuiltin(name, args))
		l.open = len(l.all) == 0
	case name == "alias":
		l.add(aliased(args))
		l.open = len(l.all) == 0
	case name == "find":
		l.add(found(args))
		l.open = true
	case isPosixShell(name):
		l = ofShell(name, args)
	case isForeignShell(name):
		l.add(ofForeignShell(name, args))
		l.open = len(l.all) == 0
	default:
		if p, ok := programOf(name); ok {
			l = p.runs(args)
		} else if p, ok := otherLauncher(name); ok {
			l = p.runs(args)
		}
	}
	if slices.Contains(wrappers, name) { // besides what is known of it: a file only adds
		l.join((&program{name: name, loose: true, away: true}).runs(args))
	}
	return l
}

// join adds what another reading of the same words found.
func (l *launches) join(more launches) {
	l.add(more.all, more.opaque)
	l.hints, l.given = append(l.hints, more.hints...), append(l.given, more.given...)
	l.whole, l.shell, l.open = l.whole || more.whole, l.shell || more.shell, l.open || more.open
	l.signs.add(more.signs)
}

// lineOf joins words to a shell line.
func lineOf(by string, words []Word) ([]launch, string) {
	if slices.ContainsFunc(words, IsComputed) {
		return nil, computed(by)
	}
	return []launch{{line: Joined(words), by: by}}, ""
}

// lineAway joins words to a shell line that runs away from here. Its computed words are computed words there.
func lineAway(by string, words []Word) launch {
	line := Joined(words)
	if slices.ContainsFunc(words, IsComputed) {
		line = strings.NewReplacer("$()", "$_", "``", "$_").Replace(line)
	}
	return launch{line: line, by: by, away: true}
}

func computed(by string) string { return "what " + by + " runs, which is known only then" }

// ofBuiltin reads the arguments of a builtin that runs a line. Rules do not see through scripts, but if source reads
// stdin, the line itself may hold the script.
func ofBuiltin(name string, args []Word) ([]launch, string) {
	isEnd := len(args) > 0 && args[0].Text == "--"
	if isEnd {
		args = args[1:]
	}
	isOption := len(args) > 0 && strings.HasPrefix(args[0].Text, "-")
	switch {
	case name == "eval":
		return lineOf(name, args)
	case name == "trap" && len(args) > 1 && args[0].Text != "-" && (isEnd || !Among("-l -p -P", args[0].Text)):
		return lineOf(name, args[:1])
	case name != "trap" && len(args) > 0 && (args[0].Computed && !isFile(args[0]) || isOption || IsStdin(args[0].Text)):
		return nil, computed("source")
	case name != "trap" && len(args) > 0 && !args[0].Computed: // PATH may have it
		return []launch{{words: args, by: name}}, ""
	}
	return nil, ""
}

// aliased reads the arguments of alias. Their values are lines that run later.
func aliased(args []Word) (all []launch, opaque string) {
	if slices.ContainsFunc(args, IsComputed) {
		return nil, computed("alias")
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
	// posixShell matches shells that read lines enough like bash for finding commands.
	posixShell = lazy.Regexp{Text: `^r?(?:ba|da|z|k|a|mk|lk|ok|pdk|lok|ya|po|hu|o)?sh` +
		`(?:[0-9][0-9a-z.]*|-[0-9.]+|-static)?$`}
	// plainLine matches lines that all shells read alike, unless they begin with one of foreignKeywords.
	plainLine       = lazy.Regexp{Text: `^[A-Za-z0-9_./][A-Za-z0-9_./:,@+ -]*$`}
	foreignKeywords = []string{
		"and", "or", "not", "begin", "if", "else", "while", "for", "switch", "function", "do", "repeat",
		"foreach", "source", "end",
	}
)

func isPosixShell(name string) bool {
	return strings.Contains(name, "sh") && posixShell.Get().MatchString(name)
}

// isForeignShell reports whether a program is a shell with a language of its own.
func isForeignShell(name string) bool {
	switch name {
	case "fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "rc", "es", "ion", "murex", "osh", "ysh",
		"oil", "scsh":
		return true
	}
	return false
}

func isShell(command string) bool {
	name := programName(command)
	return name == "eval" || isPosixShell(name) || isForeignShell(name)
}

// isFile reports whether a computed word is the path of a file whose name is known, so neither stdin nor an option.
func isFile(w Word) bool {
	i := strings.LastIndexByte(w.Text, '/')
	return i > 0 && !w.Several && w.Text[i+1:] != "" && !strings.ContainsAny(w.Text[i:], "$`*?[]{}()'\"") &&
		!IsStdin(w.Text[i+1:]) && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+")
}

// IsStdin reports whether a path stands for an open file, as /dev/stdin and /dev/fd/0 do. The line may go to the folder
// before.
func IsStdin(file string) bool {
	base := path.Base(path.Clean(file))
	return base == "stdin" || strings.Trim(base, "0123456789") == "" || strings.HasPrefix(file, "/proc") ||
		strings.HasPrefix(file, "fd/") || strings.Contains(file, "/fd/")
}

// longOptions are the options of bash that take no value.
var longOptions = []string{
	"--debugger", "--dump-po-strings", "--dump-strings", "--login", "--noediting", "--noprofile", "--norc", "--posix",
	"--pretty-print", "--restricted", "--verbose",
}

// ofShell reads the arguments of a shell. With -c the first operand is a line. Without -c it is a script, whose
// commands no rule sees. Without any operand the shell reads its commands from stdin.
func ofShell(name string, args []Word) (l launches) {
	isLine := false
	l.script = strings.Contains(name, "zsh")
	for len(args) > 0 {
		text := args[0].Text
		if args[0].unsure() && isFile(args[0]) {
			break
		}
		if args[0].unsure() {
			return launches{opaque: computed(name)}
		}
		if text == "" || text[0] != '-' && text[0] != '+' {
			break
		}
		args = args[1:]
		if text == "--" || text == "-" {
			break
		}
		var takes int // values that the options have
		var whole *launches
		if strings.HasPrefix(text, "--") {
			takes, whole = longOption(name, text, args)
		} else {
			isLine = isLine || text[0] == '-' && strings.Contains(text, "c")
			takes, whole = shortOptions(name, text, args)
			if whole == nil && strings.Contains(text, "s") && !isLine {
				whole = &launches{shell: true, open: true}
			}
		}
		if whole != nil {
			return *whole
		}
		l.script = l.script || readsFiles(text)
		args = args[takes:]
	}
	switch {
	case len(args) == 0:
		l.shell, l.open = true, true
		return l
	case isLine:
		l.add(lineOf(name, args[:1]))
	case args[0].unsure() && !isFile(args[0]) || IsStdin(args[0].Text):
		l.opaque = computed(name)
	default: // PATH may have it
		l.all, l.script = append(l.all, launch{words: args, by: name}), true
	}
	l.open = len(l.all) == 0 || !isLine
	return l
}

// longOption reads a long option of a shell, behind which args stand. It returns how many of these are its values, or
// whole if the option says what the shell runs.
func longOption(name, text string, args []Word) (takes int, whole *launches) {
	switch {
	case text == "--version" || text == "--help":
		return 0, &launches{open: true}
	case text == "--rcfile" || text == "--init-file":
		if len(args) > 0 && (args[0].unsure() || IsStdin(args[0].Text)) {
			return 0, &launches{opaque: computed(name)}
		}
		return min(1, len(args)), nil
	case !slices.Contains(longOptions, text):
		return 0, &launches{opaque: "an option of " + name + " that is not known"}
	}
	return 0, nil
}

// shortOptions reads a word with options of a shell, each of one letter. It returns what longOption returns.
func shortOptions(name, text string, args []Word) (takes int, whole *launches) {
	takes = min(strings.Count(text, "o")+strings.Count(text, "O"), len(args))
	isJoined := strings.ContainsAny(text[:len(text)-1], "oO") && !strings.Contains(text, "c") // zsh
	if isJoined || !plainLetters(strings.ReplaceAll(text[1:], "O", "")) || !optionsAreKnown(args[:takes]) {
		return 0, &launches{opaque: changesWords(name+" "+text, args[:takes])}
	}
	return takes, nil
}

// readsFiles reports whether a shell with an option reads files of its own first, as zsh always does.
func readsFiles(option string) bool {
	switch option {
	case "--rcfile", "--init-file", "--login":
		return true
	}
	return !strings.HasPrefix(option, "--") && strings.ContainsAny(option, "il")
}

// ofForeignShell reads the arguments of a shell with a language of its own. After -c comes a line.
func ofForeignShell(name string, args []Word) ([]launch, string) {
	if len(args) == 0 || args[0].unsure() || IsStdin(args[0].Text) {
		return nil, computed(name)
	}
	switch first := args[0].Text; {
	case first == "--version", first == "--help", !strings.HasPrefix(first, "-"): // a script
		return nil, ""
	case first != "-c":
		return nil, computed(name)
	case len(args) != 2 || args[1].Computed || !plainLine.Get().MatchString(args[1].Text),
		slices.Contains(foreignKeywords, strings.Fields(args[1].Text)[0]):
		return nil, "a line of " + name
	}
	return lineOf(name, args[1:])
}

// replaced returns a command in which text stands for arguments that are known only at run time. more means that
// several may stand in its place; if there is no text they follow the command.
func replaced(by string, command []Word, text string, more bool) ([]launch, string) {
	if len(command) == 0 {
		return nil, ""
	}
	if text == "" {
		return []launch{{words: command, more: more, by: by}}, ""
	}
	for i, w := range command {
		at := strings.Index(w.Text, text)
		switch {
		case at < 0, w.Computed && len(w.Prefix) < at:
			continue
		case i == 0, isShell(command[0].Text) && !areParameters(command[1:i]): // a shell line may use what replaces it
			return nil, computed(by)
		}
		command = slices.Clone(command)
		command[i].Computed, command[i].Prefix = true, w.Text[:at]
		command[i].Several = w.Several || more
	}
	return []launch{{words: command, by: by}}, ""
}

// areParameters reports whether words after those of a shell are parameters of its line.
func areParameters(before []Word) bool {
	return len(before) > 1 && !before[1].Computed && !isFlag(before[1]) && !before[0].Computed &&
		(before[0].Text == "-c" || before[0].Text == "-ec" || before[0].Text == "-lc")
}

// Reached holds the commands that a line runs, itself and behind wrappers at any depth.
type Reached struct {
	Commands     []Command
	Redirections []Redirection // of all lines
	Assignments  []Assignment  // of all lines
	Opaque       string        // as in Line
	Hints        []Hint
	whole        bool // the line itself is a hint
	strong       bool // its programs and their arguments give a reason for that

	wrappers []string // programs that run a command besides the known ones
	outer    outerLine
	signs    // of all lines
}

// Reach finds what the commands of a line run. Text is the line.
func (l *Line) Reach(text string, wrappers []string) *Reached {
	r := &Reached{wrappers: wrappers, outer: outerLine{text: text}, Redirections: l.Redirections}
	for _, c := range l.Commands {
		r.follow(c, MaxWrappers)
	}
	r.weigh(l.values, Command{}, MaxWrappers)
	if (r.code || r.reads && r.said) && (r.arithmetic || r.counts) {
		r.Opaque = cmp.Or(r.Opaque, "a value with an expansion in quotes, which arithmetic may evaluate")
	}
	if r.counts || r.writes && r.script {
		r.whole, r.strong = true, true
	}
	r.Commands = slices.Concat(l.Commands, r.Commands)
	if r.whole {
		r.Hints = append(r.Hints, Hint{Text: text, What: "the line", Weak: !r.strong})
	}
	for _, h := range r.Hints {
		if strings.ContainsAny(h.Text, "'\"\\") {
			r.Hints = append(r.Hints, h.unquoted())
		}
	}
	return r
}

// follow adds what one command runs. left is how many more wrappers it may look behind.
func (r *Reached) follow(c Command, left int) {
	if r.Opaque != "" {
		return
	}
	found := behind(c.Words, r.wrappers)
	r.Opaque = found.opaque
	if c.More && len(c.Words) > 0 && r.Opaque == "" {
		name := programName(c.Words[0].Text)
		// Arguments after a shell's line are its parameters. Other programs add them to the command that they run.
		isLine := len(found.all) > 0 && found.all[0].words == nil && (name == "eval" || !isShell(name))
		if isLine || found.open {
			r.Opaque = computed(name)
		}
	}
	// A shell that reads what the line gives it may run anything. Elsewhere it reads nothing unless the line says so.
	switch {
	case !found.shell:
	case c.Script != "":
		found.all = append(found.all, launch{line: c.Script, by: programName(c.Words[0].Text), away: c.Away})
	case c.stdin == fed || c.stdin == inherited && !c.Away && isShell(c.Words[0].Text):
		r.Opaque = cmp.Or(r.Opaque, computed(programName(c.Words[0].Text)))
	}
	if len(found.all) > 0 && left == 0 || len(r.Commands) > MaxCommands {
		r.Opaque = "too many commands in each other"
	}
	if r.Opaque != "" {
		return
	}
	r.whole = r.whole || found.whole || found.shell || c.More && len(found.hints) > 0 ||
		len(c.Words) > 0 && c.Words[0].ByHabit
	r.strong = r.strong || found.whole && !found.weak || found.shell || c.More && len(found.hints) > 0
	r.weigh(found, c, left)
}

// weigh adds what was found to run in one command, or in the values of a line.
func (r *Reached) weigh(found launches, c Command, left int) {
	r.Opaque = cmp.Or(r.Opaque, found.opaque)
	r.Hints, r.Assignments = append(r.Hints, found.hints...), append(r.Assignments, found.given...)
	r.signs.add(found.signs)
	r.script = r.script || len(c.Words) > 0 && strings.Contains(c.Words[0].Text, "/")
	for _, l := range found.all {
		folders := c.Folders
		if to, ok := startsIn(c.Words[:max(len(c.Words)-len(l.words), 0)]); ok {
			folders = append(slices.Clip(folders), to)
		}
		commands := []Command{{Text: Joined(l.words), Words: l.words, More: l.more || c.More, Script: c.Script,
			Inside: c.Inside, Files: c.Files, Sets: c.Sets, Captured: c.Captured}}
		if l.by == "sudo" { // it may have read a password
			commands[0].Script = ""
		}
		if l.words == nil {
			line := takeApartIn(&r.outer, l.line)
			if r.Opaque = cmp.Or(r.Opaque, line.Project); r.Opaque != "" || left == 0 {
				return
			}
			r.weigh(line.values, c, left-1)
			commands, r.Redirections = line.Commands, slices.Clip(r.Redirections)
			for _, file := range line.Redirections {
				file.Away, file.Folders = c.Away || l.away, slices.Concat(folders, file.Folders)
				r.Redirections = append(r.Redirections, file)
			}
		}
		for _, command := range commands {
			command.By, command.Away = l.by, c.Away || l.away
			command.Folders = slices.Concat(folders, command.Folders)
			if command.stdin == inherited {
				command.stdin = c.stdin
				command.From = c.From
			}
			r.Commands = append(r.Commands, command)
			r.follow(command, left-1)
		}
	}
}

func Joined(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}
