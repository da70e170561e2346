package shellline

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// program describes which arguments of a program are the command to run. It works on the words of one simple command
// and knows no shell syntax. The tables are in launchers.go and interpreters.go.
type program struct {
	name string // with a subcommand: `docker run`
	as   string // the program with the same options, or ""

	// short are the one-letter options in getopt's form: a colon marks an option with a value, two colons an option
	// whose value must be attached. long are the other options; a colon marks an option with a value.
	short, long string
	// assigns means that NAME=value may precede the command. operands is the number of other words before the command.
	assigns  bool
	operands int
	// idle are the options with which the program runs nothing.
	idle string
	// lines are the options whose value is a shell line. parameters means that the line gets further arguments.
	lines      string
	parameters bool
	// mixed means that options may follow operands. If the operands field is 0, no operand is a command.
	mixed bool
	// group means that the next word is a subcommand. Subcommands that run a command have rows of their own.
	group bool
	// joins means that the words of the command are joined to a shell line.
	joins bool
	// shell means that without a command the program runs a shell on stdin.
	shell bool
	// away means that the command runs in a container, on another machine or in another environment. A line often
	// computes the name of the container or machine, so a computed word before the command counts as one word.
	away bool
	// oneWord means that a computed word in quotes before the command counts as one word, such as the file of a lock.
	oneWord bool
	// dashed means that the command follows a --, if the arguments have one.
	dashed bool
	// loose means that the other words before the command are unknown.
	loose bool
	// texts are the options whose value is a program in the language of the interpreter. inline means that the first
	// operand is such a program.
	texts  string
	inline bool
}

// programOf finds a program by name. A version may follow the name of an interpreter: python3.12.
func programOf(name string) (p *program, ok bool) {
	if p, ok = lookUp(launchers, name); !ok {
		p, ok = lookUp(interpreters, strings.TrimRight(name, "0123456789.-"))
	}
	return p, ok
}

func lookUp(table []program, name string) (p *program, ok bool) {
	// slices.BinarySearchFunc would copy a program for each comparison.
	i, ok := sort.Find(len(table), func(i int) int { return cmp.Compare(name, table[i].name) })
	if !ok {
		return nil, false
	}
	if as := table[i].as; as != "" {
		return lookUp(table, as)
	}
	return &table[i], true
}

// ProgramName returns the name of the program in a path, on Windows without an ending such as .exe.
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

// options reads the options in the first argument, which begins with -. The last option's value may be the next
// argument; if it is missing, options returns no options and no rest, because the program runs nothing. ok means that
// all options are known.
func (p *program) options(args []Word) (all []option, rest []Word, ok bool) {
	text, rest := args[0].Text, args[1:]
	takes := false // the last option takes the next word as its value
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

// longOption finds an option by its name or by an unambiguous beginning of the name.
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

// InList reports whether a blank-separated list contains a word.
func InList(list, word string) bool {
	for listed := range strings.FieldsSeq(list) {
		if listed == word {
			return true
		}
	}
	return false
}

// parsing is the state while the arguments of one program are parsed.
type parsing struct {
	*program
	args        []Word // still unread
	found       launches
	placeholder string // the text replaced by xargs
	idle        bool
	splits      int // values of env -S so far
}

// runs finds the command that the program runs from its arguments.
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
	if !p.leadingOptions() {
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
		p.shellArguments(i)
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
			if !p.leadingOptions() || len(p.args) == 0 {
				break
			}
			first = p.args[0]
		}
		switch assigns := p.assigns && strings.Contains(first.Text, "="); {
		case p.isOneWord(first) && first.unsure():
			p.found.wholeLine = true
			if operands == 0 {
				p.launch(p.args)
				return
			}
			operands--
		case first.unsure():
			p.found.opaque = computedReason(p.name)
			return
		case first.Text == "--":
		case assigns:
			p.found.addDeclared(p.args[:1])
		case operands > 0:
			operands--
		default:
			p.launch(p.args)
			return
		}
	}
	p.noCommand()
}

// isOneWord reports whether a computed word before the command counts as one word.
func (p *program) isOneWord(w Word) bool { return p.away || p.oneWord && !w.MaybeMany }

// noCommand notes the effect of the program without a command.
func (p *parsing) noCommand() {
	p.found.open = p.found.opaque == "" && len(p.found.list) == 0
	p.found.shell = p.shell && p.found.open
}

// shellArguments reads the words after the options of su or script, which are arguments for a shell. at is the index of
// a --, or negative.
func (p *parsing) shellArguments(at int) {
	switch {
	case at >= 0:
		p.search()
	case len(p.found.list) == 0:
		p.noCommand()
	}
}

// leadingOptions reads the options before the command, or between operands before the command. It returns false if the
// command cannot be found after them.
func (p *parsing) leadingOptions() bool {
	for len(p.args) > 0 {
		first := p.args[0]
		isOption := len(first.Text) > 1 && first.Text[0] == '-'
		switch {
		case first.unsure() && !p.isOneWord(first):
			p.found = launches{opaque: computedReason(p.name)}
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

// option reads one option. It returns false if the option makes the rest unreadable.
func (p *parsing) option(o option) bool {
	value := o.value.Text
	switch isLine := InList(p.lines, o.name); {
	case isLine && o.value.Computed, !p.away && p.lines == "" && o.value.MaybeMany,
		o.value.Computed && (p.name == "env" || p.name == "xargs") && InList("S split-string I J i replace", o.name):
		p.found = launches{opaque: computedReason(p.name)}
		return false
	case isLine && p.parameters:
		p.found.list = append(p.found.list, launch{line: value + ` "$@"`, by: p.name})
	case isLine:
		p.found.list = append(p.found.list, launch{line: value, by: p.name})
	case InList(p.texts, o.name):
		p.found.hints = append(p.found.hints, Hint{Text: value, Name: "an option of " + p.name})
	case InList(p.program.idle, o.name):
		p.idle = true
	case p.name == "xargs" && (o.name == "I" || o.name == "J"):
		p.placeholder = value
	case p.name == "xargs" && (o.name == "i" || o.name == "replace"):
		p.placeholder = cmp.Or(value, "{}")
	case p.name == "env" && (o.name == "S" || o.name == "split-string"): // the words of the value replace the option
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
	p.found.wholeLine = p.found.wholeLine || o.value.MaybeMany
	return true
}

// subcommand reads the rest of a command such as `docker run`.
func (p *parsing) subcommand() {
	switch {
	case len(p.args) == 0:
		p.noCommand()
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
		p.noCommand()
	case p.joins && p.away:
		p.found.list = append(p.found.list, lineAway(p.name, words))
		p.found.wholeLine = p.found.wholeLine || slices.ContainsFunc(words, IsComputed)
	case p.joins:
		p.found.add(lineOf(p.name, words))
		p.found.wholeLine = p.found.wholeLine || slices.ContainsFunc(words, IsComputed)
	case words[0].Text == "-": // uv run reads a script from stdin
		p.found.wholeLine = true
	default:
		p.found.add(replaced(p.name, words, p.placeholder, p.name == "xargs" && p.placeholder == ""))
		for i := range p.found.list {
			p.found.list[i].away = p.found.list[i].away || p.away
		}
	}
}

// search is used if the start of the command cannot be found: the command may begin at any remaining word.
func (p *parsing) search() {
	words := p.args
	if len(words) == 0 {
		p.noCommand()
		return
	}
	if slices.ContainsFunc(words, IsComputed) {
		p.found.wholeLine = true
		if !p.away && !p.loose {
			p.found = launches{opaque: "an option of " + p.name + " that is not known"}
			return
		}
	}
	if p.shell && !p.away && slices.ContainsFunc(words, hasCode) { // a shell expands the words as a line
		p.found.fail(evaluationReason(p.name, words, hasCode))
	}
	p.found.hints = append(p.found.hints, Hint{Text: JoinWords(words), Name: "the arguments of " + p.name})
	i := slices.IndexFunc(words, func(w Word) bool { return w.Text == "--" })
	words = words[i+1:]
	begins := len(words) > 0 && !words[0].Computed && !strings.HasPrefix(words[0].Text, "-")
	if begins && (p.loose || p.dashed && i >= 0) {
		p.launch(words)
		return
	}
	p.found.shell = p.found.shell || p.shell // perhaps without a command
}

func fixedWords(text string) (words []Word) {
	for field := range strings.FieldsSeq(text) {
		words = append(words, Word{Text: field})
	}
	return words
}
