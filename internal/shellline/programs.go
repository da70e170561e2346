package shellline

import (
	"cmp"
	"slices"
	"strings"
)

// program describes where the arguments of a program hold the command that it runs. It works on the words of one simple
// command and knows no shell syntax. launchers.go and interpreters.go have the table.
type program struct {
	name string // `docker run` for a subcommand
	as   string // the program that it works like; "": none

	// short are the one-letter options in getopt's form: a colon marks one that takes a value, two colons one whose
	// value must be attached. long are the other options; a colon marks one that takes a value.
	short, long string
	// assigns means that NAME=value may stand before the command. operands is how many other words stand there.
	assigns  bool
	operands int
	// idle are the options with which the program runs nothing.
	idle string
	// lines are the options whose value is a shell line. parameters means that the line gets further arguments.
	lines      string
	parameters bool
	// mixed means that options may follow operands. Without operands, the operands are no command.
	mixed bool
	// group means that the next word is a subcommand, which has a row of its own if it runs a command.
	group bool
	// joins means that the words of the command are joined to a shell line.
	joins bool
	// shell means that without a command the program runs a shell, which reads stdin.
	shell bool
	// away means that the command runs in a container, on another machine or in another environment. A line often
	// computes the name of that, so a computed word before the command counts as one word.
	away bool
	// oneWord means the same of a computed word in quotes, as of the file of a lock.
	oneWord bool
	// dashed means that the command follows a --, if there is one.
	dashed bool
	// loose means that the other words before the command are not known.
	loose bool
	// texts are the options whose value is a program in the language of the interpreter. inline means that the first
	// operand is one.
	texts  string
	inline bool
}

// programOf finds the program of a name. Versions may follow the name of an interpreter: python3.12.
func programOf(name string) (p *program, ok bool) {
	if p, ok = lookUp(launchers, name); !ok {
		p, ok = lookUp(interpreters, strings.TrimRight(name, "0123456789.-"))
	}
	return p, ok
}

func lookUp(table []program, name string) (p *program, ok bool) {
	i, ok := slices.BinarySearchFunc(table, name, func(p program, name string) int { return cmp.Compare(p.name, name) })
	if !ok {
		return nil, false
	}
	if as := table[i].as; as != "" {
		return lookUp(table, as)
	}
	return &table[i], true
}

// ProgramName returns the name of the program that a command starts by a path. On Windows it may have an ending.
func ProgramName(command string) string { return programName(command) }

func programName(command string) string {
	name := command[strings.LastIndexByte(command, '/')+1:]
	if len(name) > 4 {
		switch strings.ToLower(name[len(name)-4:]) {
		case ".exe", ".cmd", ".bat":
			name = name[:len(name)-4]
		}
	}
	return name
}

type option struct {
	name  string
	value Word
}

// options reads the options in the first argument, which begins with -, and their value, which may be the next
// argument. If that value is missing it returns none, and the program runs nothing. ok means that all options are
// known.
func (p *program) options(args []Word) (all []option, rest []Word, ok bool) {
	text, rest := args[0].Text, args[1:]
	takes := false // the last one takes the next word as its value
	if text, isLong := strings.CutPrefix(text, "--"); isLong {
		name, value, attached := strings.Cut(text, "=")
		if name, ok = p.longOption(name); !ok {
			return nil, nil, false
		}
		name, takes = strings.CutSuffix(name, ":")
		takes = takes && !attached
		all = []option{{name, Word{Text: value}}}
	} else {
		for letters := text[1:]; letters != ""; {
			letter := letters[:1]
			letters = letters[1:]
			_, behind, known := strings.Cut(p.short, letter)
			if !known || letter == ":" {
				return nil, nil, false
			}
			o := option{name: letter}
			if strings.HasPrefix(behind, ":") {
				takes = letters == "" && !strings.HasPrefix(behind, "::")
				o.value.Text, letters = letters, ""
			}
			all = append(all, o)
		}
	}
	if !takes {
		return all, rest, true
	}
	if len(rest) == 0 {
		return nil, nil, true
	}
	all[len(all)-1].value = rest[0]
	return all, rest[1:], true
}

// longOption finds an option by its name or by an unambiguous beginning of it.
func (p *program) longOption(name string) (option string, ok bool) {
	var meant []string
	for known := range strings.FieldsSeq(p.long) {
		switch bare := strings.TrimSuffix(known, ":"); {
		case bare == name:
			return known, true
		case strings.HasPrefix(bare, name):
			meant = append(meant, known)
		}
	}
	if len(meant) != 1 {
		return "", false
	}
	return meant[0], true
}

// Among reports whether a word is in a list of words with blanks between them.
func Among(list, word string) bool {
	for listed := range strings.FieldsSeq(list) {
		if listed == word {
			return true
		}
	}
	return false
}

// parsing is where the parser of one program's arguments stands.
type parsing struct {
	*program
	args        []Word // that are still to be read
	found       launches
	placeholder string // the text that xargs replaces
	idle        bool
	splits      int // of env -S so far
}

// runs finds the command that the program runs in its arguments.
func (p *program) runs(args []Word) launches {
	if p.inline || p.texts != "" && !p.away {
		return p.interprets(args)
	}
	at := parsing{program: p, args: args}
	at.command()
	return at.found
}

func (p *parsing) command() {
	if p.loose && !p.dashed {
		p.search()
		return
	}
	if !p.leading() {
		return
	}
	switch i := slices.IndexFunc(p.args, func(w Word) bool { return w.Text == "--" }); {
	case p.idle:
		return
	case p.group:
		p.subcommand()
		return
	case p.mixed && p.operands == 0:
		if i >= 0 && p.name == "runuser" {
			break
		}
		p.inShell(i)
		return
	case p.dashed && i >= 0:
		p.launch(p.args[i+1:])
		return
	case p.dashed && p.loose:
		p.search()
		return
	}
	for operands := p.operands; len(p.args) > 0; p.args = p.args[1:] {
		first := p.args[0]
		if p.mixed && operands < p.operands && strings.HasPrefix(first.Text, "-") && first.Text != "--" {
			if !p.leading() || len(p.args) == 0 {
				break
			}
			first = p.args[0]
		}
		switch assigns := p.assigns && strings.Contains(first.Text, "="); {
		case p.mayPass(first) && first.unsure():
			p.found.whole = true
			if operands == 0 {
				p.launch(p.args)
				return
			}
			operands--
		case first.unsure():
			p.found.opaque = computed(p.name)
			return
		case first.Text == "--":
		case assigns:
			p.found.declares(p.args[:1])
		case operands > 0:
			operands--
		default:
			p.launch(p.args)
			return
		}
	}
	p.without()
}

// mayPass reports whether a computed word before the command counts as one word.
func (p *program) mayPass(w Word) bool { return p.away || p.oneWord && !w.Several }

// without notes what the program does without a command.
func (p *parsing) without() {
	p.found.open = p.found.opaque == "" && len(p.found.all) == 0
	p.found.shell = p.shell && p.found.open
}

// inShell reads what follows the options of su or script, of which at is the index of a --: arguments for a shell.
func (p *parsing) inShell(at int) {
	switch {
	case at >= 0:
		p.search()
	case len(p.found.all) == 0:
		p.without()
	}
}

// leading reads the options before the command, or between the operands before it. It returns false if the command
// cannot be found behind them.
func (p *parsing) leading() bool {
	for len(p.args) > 0 {
		first := p.args[0]
		isOption := len(first.Text) > 1 && first.Text[0] == '-'
		switch {
		case first.unsure() && !p.mayPass(first):
			p.found = launches{opaque: computed(p.name)}
			return false
		case !isOption && p.mixed && p.operands == 0, p.name == "time" && first.Text == "!",
			p.name == "env" && first.Text == "-":
			p.args = p.args[1:]
			continue
		}
		if !isOption || first.Text == "--" {
			return true
		}
		options, rest, ok := p.options(p.args)
		if !ok {
			p.search()
			return false
		}
		p.args = rest
		for _, o := range options {
			if !p.option(o) {
				return false
			}
		}
	}
	return true
}

// option reads one option. It returns false if that makes the rest unreadable.
func (p *parsing) option(o option) bool {
	value := o.value.Text
	switch isLine := Among(p.lines, o.name); {
	case isLine && o.value.Computed, !p.away && p.lines == "" && o.value.Several,
		o.value.Computed && (p.name == "env" || p.name == "xargs") && Among("S split-string I J i replace", o.name):
		p.found = launches{opaque: computed(p.name)}
		return false
	case isLine && p.parameters:
		p.found.all = append(p.found.all, launch{line: value + ` "$@"`, by: p.name})
	case isLine:
		p.found.all = append(p.found.all, launch{line: value, by: p.name})
	case Among(p.texts, o.name):
		p.found.hints = append(p.found.hints, Hint{Text: value, What: "an option of " + p.name})
	case Among(p.program.idle, o.name):
		p.idle = true
	case p.name == "xargs" && (o.name == "I" || o.name == "J"):
		p.placeholder = value
	case p.name == "xargs" && (o.name == "i" || o.name == "replace"):
		p.placeholder = cmp.Or(value, "{}")
	case p.name == "env" && (o.name == "S" || o.name == "split-string"): // the words of its value take its place
		if strings.ContainsAny(value, "\\\"'$#") {
			p.found.opaque = "-S of env with more than words"
			return false
		}
		const most = 8
		if p.splits++; p.splits > most {
			p.found.opaque = "-S of env in each other"
			return false
		}
		p.args = slices.Concat(fixedWords(value), p.args)
	}
	p.found.whole = p.found.whole || o.value.Several
	return true
}

// subcommand reads the rest of a command such as `docker run`.
func (p *parsing) subcommand() {
	switch {
	case len(p.args) == 0:
		p.without()
	case p.args[0].Computed:
		p.search()
	default:
		if sub, ok := lookUp(launchers, p.name+" "+p.args[0].Text); ok {
			p.program, p.args = sub, p.args[1:]
			p.command()
		}
	}
}

// launch notes the command that the program runs.
func (p *parsing) launch(words []Word) {
	switch {
	case len(words) == 0:
		p.without()
	case p.joins && p.away:
		p.found.all = append(p.found.all, lineAway(p.name, words))
		p.found.whole = p.found.whole || slices.ContainsFunc(words, IsComputed)
	case p.joins:
		p.found.add(lineOf(p.name, words))
		p.found.whole = p.found.whole || slices.ContainsFunc(words, IsComputed)
	case words[0].Text == "-": // a script on stdin, for uv run
		p.found.whole = true
	default:
		p.found.add(replaced(p.name, words, p.placeholder, p.name == "xargs" && p.placeholder == ""))
		for i := range p.found.all {
			p.found.all[i].away = p.found.all[i].away || p.away
		}
	}
}

// search gives up on finding where the command begins: it may stand anywhere in the rest of the words.
func (p *parsing) search() {
	words := p.args
	if len(words) == 0 {
		p.without()
		return
	}
	if slices.ContainsFunc(words, IsComputed) {
		p.found.whole = true
		if !p.away && !p.loose {
			p.found = launches{opaque: "an option of " + p.name + " that is not known"}
			return
		}
	}
	if p.shell && !p.away && slices.ContainsFunc(words, hasCode) { // a line that a shell expands
		p.found.fail(mayEvaluate(p.name, words, hasCode))
	}
	p.found.hints = append(p.found.hints, Hint{Text: Joined(words), What: "the arguments of " + p.name})
	i := slices.IndexFunc(words, func(w Word) bool { return w.Text == "--" })
	words = words[i+1:]
	begins := len(words) > 0 && !words[0].Computed && !strings.HasPrefix(words[0].Text, "-")
	if begins && (p.loose || p.dashed && i >= 0) {
		p.launch(words)
		return
	}
	p.found.shell = p.found.shell || p.shell // there may be no command
}

func fixedWords(text string) (words []Word) {
	for field := range strings.FieldsSeq(text) {
		words = append(words, Word{Text: field})
	}
	return words
}
