package shellline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// ProgramName returns the name of the program in a path, on Windows without an ending such as .exe.
func ProgramName(command string) string {
	name := command[strings.LastIndexByte(command, '/')+1:]
	if len(name) > 4 {
		switch strings.ToLower(name[len(name)-4:]) {
		case ".exe", ".cmd", ".bat":
			name = name[:len(name)-4]
		}
	}
	return name
}

// InList reports whether a list, separated by blanks or commas, has a word.
func InList(list, word string) bool { return programs.In(list, word) }

// parsing is the state while the arguments of one program are parsed, which runs a command from them. It works on the
// words of one simple command and knows no shell syntax. Package programs says what the words of a row mean.
type parsing struct {
	programs.Program
	isOwn       bool   // a wrapper of the call, which is in no row: loose and away
	args        []Word // still unread
	found       launches
	placeholder string // the text that further arguments replace
	idle        bool
	split       int // values that were split to words
}

// Is is Program.Is for all wrappers.
func (p *parsing) Is(f programs.Fact) bool {
	return p.Program.Is(f) || p.isOwn && f&(programs.Loose|programs.Away) != 0
}

// lists reports whether a list of the row has an option.
func (p *parsing) lists(list string, o programs.Option) bool { return InList(p.List(list), o.Name) }

// runs finds the command that a program runs from its arguments, or the text in another language.
func runs(p programs.Program, args []Word) launches {
	if p.Is(programs.Inline) || p.List("text") != "" && !p.Is(programs.Away) {
		return interprets(p, args)
	}
	at := parsing{Program: p, args: args}
	at.command()
	return at.found
}

func (p *parsing) command() {
	isLoose, isDashed := p.Is(programs.Loose), p.Is(programs.Dashed)
	if isLoose && !isDashed {
		p.search()
		return
	}
	if !p.leadingOptions() {
		return
	}
	all := p.operands()
	switch i := slices.IndexFunc(p.args, func(w Word) bool { return w.Text == "--" }); {
	case p.idle:
		return
	case p.Is(programs.Group):
		p.subcommand()
		return
	case isDashed && i >= 0:
		p.launch(p.args[i+1:])
		return
	case all == 0 && p.Is(programs.Mixed): // of su or script: arguments for a shell
		if i >= 0 {
			p.search()
		} else if len(p.found.list) == 0 {
			p.noCommand()
		}
		return
	case isDashed && isLoose:
		p.search()
		return
	}
	for operands := all; len(p.args) > 0; p.args = p.args[1:] {
		first := p.args[0]
		if operands < all && p.Is(programs.Mixed) && strings.HasPrefix(first.Text, "-") && first.Text != "--" {
			if !p.leadingOptions() || len(p.args) == 0 {
				break
			}
			first = p.args[0]
		}
		switch {
		case unsure(first) && p.isOneWord(first):
			p.found.wholeLine = true
			if operands == 0 {
				p.launch(p.args)
				return
			}
			operands--
		case unsure(first):
			p.found.opaque.add(mayTake(p.Name, first))
			p.launch(p.args)
			return
		case first.Text == "--":
		case p.Is(programs.Assigns) && strings.Contains(first.Text, "="):
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

// operands returns the number of words before the command.
func (p *parsing) operands() int {
	n, _ := strconv.Atoi(p.List("operands"))
	return n
}

// isOneWord reports whether a computed word before the command counts as one word.
func (p *parsing) isOneWord(w Word) bool {
	return p.Is(programs.Away) || p.Says("one-word") && !w.MaybeMany
}

// noCommand notes the effect of the program without a command.
func (p *parsing) noCommand() {
	p.found.open = p.found.opaque.Why == "" && len(p.found.list) == 0
	p.found.shell = p.found.open && p.Is(programs.Shell)
}

// leadingOptions reads the options before the command, or between operands before the command. It returns false if the
// command cannot be found after them.
func (p *parsing) leadingOptions() bool {
	for len(p.args) > 0 {
		first := p.args[0]
		isOption := len(first.Text) > 1 && first.Text[0] == '-'
		switch {
		case unsure(first) && !p.isOneWord(first):
			if p.found = (launches{}); !p.idle {
				p.found.opaque = mayTake(p.Name, first)
				p.launch(p.args)
			}
			return false
		case !isOption && p.Is(programs.Mixed) && p.operands() == 0, InList(p.List("skips"), first.Text):
			p.args = p.args[1:]
			continue
		}
		if !isOption || first.Text == "--" {
			return true
		}
		options, rest, ok := p.Options(p.args)
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
func (p *parsing) option(o programs.Option) bool {
	value := o.Value.Text
	switch isLine := p.lists("line", o); {
	case o.Value.Computed && (isLine || p.lists("splits", o) || p.lists("replaces", o)),
		o.Value.MaybeMany && !p.Is(programs.Away) && p.List("line") == "":
		p.found = launches{opaque: mayTake(p.Name, o.Value)}
		return false
	case isLine && p.Says("parameters"):
		p.found.list = append(p.found.list, launch{line: value + ` "$@"`, by: p.Name})
	case isLine:
		p.found.list = append(p.found.list, launch{line: value, by: p.Name})
	case p.lists("text", o):
		p.found.hints = append(p.found.hints, Hint{Text: value, Name: "an option of " + p.Name})
	case p.lists("idle", o):
		p.idle = true
	case p.lists("replaces", o):
		p.placeholder = cmp.Or(value, "{}")
	case p.lists("splits", o): // the words of the value replace the option
		if strings.ContainsAny(value, "\\\"'$#") {
			p.found.fail("-S of env with more than words")
			return false
		}
		const most = 8
		if p.split++; p.split > most {
			p.found.fail("-S of env in each other")
			return false
		}
		p.args = slices.Concat(fixedWords(value), p.args)
	}
	p.found.wholeLine = p.found.wholeLine || o.Value.MaybeMany
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
		if sub, _ := programs.Find(p.Name + " " + p.args[0].Text); sub.Is(programs.Runs) {
			p.Program, p.args = sub, p.args[1:]
			p.command()
		}
	}
}

// launch notes the command that the program runs.
func (p *parsing) launch(words []Word) {
	switch isAway := p.Is(programs.Away); {
	case len(words) == 0:
		p.noCommand()
	case p.Is(programs.Joins):
		isComputed := slices.ContainsFunc(words, IsComputed)
		p.found.wholeLine = p.found.wholeLine || isComputed
		if !isAway {
			p.found.add(lineOf(p.Name, words))
			return
		}
		line := JoinWords(words)
		if isComputed { // a computed word stays computed in the line
			line = strings.NewReplacer("$()", "$_", "``", "$_").Replace(line)
		}
		p.found.list = append(p.found.list, launch{line: line, by: p.Name, away: true})
	case words[0].Text == "-": // uv run reads a script from stdin
		p.found.wholeLine = true
	default:
		p.found.add(replaced(p.Name, words, p.placeholder, p.placeholder == "" && p.Is(programs.More)))
		for i := range p.found.list {
			p.found.list[i].away = p.found.list[i].away || isAway
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
	if i := slices.IndexFunc(words, func(w Word) bool { return w.Text == "-c" }); i >= 0 && i+1 < len(words) &&
		p.Is(programs.Shell) {
		p.found.add(lineOf(p.Name, words[i+1:i+2]))
	}
	if slices.ContainsFunc(words, IsComputed) {
		p.found.wholeLine = true
		if !p.Is(programs.Away | programs.Loose) {
			p.found.opaque.add(Opaque{"an option of " + p.Name + " that is not known", true})
			return
		}
	}
	if p.Is(programs.Shell) && !p.Is(programs.Away) && slices.ContainsFunc(words, hasCode) { // expanded as a line
		p.found.fail(evaluationReason(p.Name, words, hasCode))
	}
	p.found.hints = append(p.found.hints, Hint{Text: JoinWords(words), Name: "the arguments of " + p.Name})
	i := slices.IndexFunc(words, func(w Word) bool { return w.Text == "--" })
	words = words[i+1:]
	begins := len(words) > 0 && !words[0].Computed && !strings.HasPrefix(words[0].Text, "-")
	if begins && (p.Is(programs.Loose) || i >= 0 && p.Is(programs.Dashed)) {
		p.launch(words)
		return
	}
	p.found.shell = p.found.shell || p.Is(programs.Shell) // perhaps without a command
}

func fixedWords(text string) (words []Word) {
	for field := range strings.FieldsSeq(text) {
		words = append(words, Word{Text: field})
	}
	return words
}

// interprets finds the program text in the arguments of an interpreter. The arguments after the text count too, because
// the program may run them.
func interprets(p programs.Program, args []Word) (l launches) {
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "-", IsStdin(text), text == "--" && len(args) == 1:
			return launches{wholeLine: true}
		case unsure(args[0]) && !p.Is(programs.Inline): // may be an option
			return launches{wholeLine: true}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+') && text != "--":
		case p.Is(programs.Group): // a subcommand, which may be a launcher
			if sub, _ := programs.Find(p.Name + " " + text); sub.Is(programs.Runs | programs.Language) {
				return runs(sub, args[1:])
			}
			return launches{}
		case p.Is(programs.Inline):
			return textOf(p, args)
		default:
			return launches{risks: risks{script: true}}
		}
		options, rest, ok := p.Options(args)
		if !ok || slices.ContainsFunc(options, func(o programs.Option) bool { return InList(p.List("text"), o.Name) }) {
			l = textOf(p, args)
			l.wholeLine = l.wholeLine || !ok // may read the program from stdin
			return l
		}
		for _, o := range options {
			switch {
			case o.Value.Text == "-", IsStdin(o.Value.Text):
				return launches{wholeLine: true}
			case InList(p.List("idle"), o.Name):
				return launches{}
			}
		}
		args = rest
	}
	return launches{wholeLine: true}
}

// textOf returns the words, which include a program text, as a hint. If the shell computes a part of the text, that
// may be anywhere in the line.
func textOf(p programs.Program, words []Word) (l launches) {
	l.wholeLine = slices.ContainsFunc(words, IsComputed)
	text := JoinWords(words)
	if p.Name != "awk" || strings.Contains(text, "system") || strings.Contains(text, "|") {
		l.hints = []Hint{{Text: text, Name: "the program text of " + p.Name}}
	}
	return l
}
