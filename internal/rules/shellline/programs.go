package shellline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// program is a row of the table of programs that runs a command from its arguments, or a text in another language. It
// works on the words of one simple command and knows no shell syntax. Package programs says what the words of a row
// mean.
type program struct {
	programs.Program
	operands int // words before the command

	assigns, away, dashed, group, inline, joins, loose, mixed, more, oneWord, parameters, shell bool
	// Lists of options.
	idle, lines, replaces, splits, texts string
}

// programOf finds a program that runs something from its arguments.
func programOf(name string) (p program, ok bool) {
	row, ok := programs.Find(name)
	if !ok || !row.Is(programs.Runs) && !row.Is(programs.Language) {
		return program{}, false
	}
	return newProgram(row), true
}

func newProgram(row programs.Program) program {
	operands, _ := strconv.Atoi(row.List("operands"))
	return program{Program: row, operands: operands,
		assigns: row.Is(programs.Assigns), away: row.Is(programs.Away), dashed: row.Is(programs.Dashed),
		group: row.Is(programs.Group), inline: row.Is(programs.Inline), joins: row.Is(programs.Joins),
		loose: row.Is(programs.Loose), mixed: row.Is(programs.Mixed), more: row.Is(programs.More),
		oneWord: row.Is(programs.OneWord), parameters: row.Is(programs.Parameters), shell: row.Is(programs.Shell),
		idle: row.List("idle"), lines: row.List("line"), replaces: row.List("replaces"), splits: row.List("splits"),
		texts: row.List("text")}
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

// InList reports whether a list, separated by blanks or commas, has a word.
func InList(list, word string) bool { return programs.In(list, word) }

// parsing is the state while the arguments of one program are parsed.
type parsing struct {
	program
	args        []Word // still unread
	found       launches
	placeholder string // the text that further arguments replace
	idle        bool
	split       int // values that were split to words
}

// runs finds the command that the program runs from its arguments.
func (p program) runs(args []Word) launches {
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
	case p.dashed && i >= 0:
		p.launch(p.args[i+1:])
		return
	case p.mixed && p.operands == 0:
		p.shellArguments(i)
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
		case p.isOneWord(first) && unsure(first):
			p.found.wholeLine = true
			if operands == 0 {
				p.launch(p.args)
				return
			}
			operands--
		case unsure(first):
			p.found.opaque = computedReason(p.Name)
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
func (p program) isOneWord(w Word) bool { return p.away || p.oneWord && !w.MaybeMany }

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
		case unsure(first) && !p.isOneWord(first):
			p.found = launches{opaque: computedReason(p.Name)}
			return false
		case !isOption && p.mixed && p.operands == 0, InList(p.List("skips"), first.Text):
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
	switch isLine := InList(p.lines, o.Name); {
	case isLine && o.Value.Computed, !p.away && p.lines == "" && o.Value.MaybeMany,
		o.Value.Computed && (InList(p.splits, o.Name) || InList(p.replaces, o.Name)):
		p.found = launches{opaque: computedReason(p.Name)}
		return false
	case isLine && p.parameters:
		p.found.list = append(p.found.list, launch{line: value + ` "$@"`, by: p.Name})
	case isLine:
		p.found.list = append(p.found.list, launch{line: value, by: p.Name})
	case InList(p.texts, o.Name):
		p.found.hints = append(p.found.hints, Hint{Text: value, Name: "an option of " + p.Name})
	case InList(p.program.idle, o.Name):
		p.idle = true
	case InList(p.replaces, o.Name):
		p.placeholder = cmp.Or(value, "{}")
	case InList(p.splits, o.Name): // the words of the value replace the option
		if strings.ContainsAny(value, "\\\"'$#") {
			p.found.opaque = "-S of env with more than words"
			return false
		}
		const most = 8
		if p.split++; p.split > most {
			p.found.opaque = "-S of env in each other"
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
		if sub, ok := programOf(p.Name + " " + p.args[0].Text); ok && sub.Is(programs.Runs) {
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
		p.found.list = append(p.found.list, lineAway(p.Name, words))
		p.found.wholeLine = p.found.wholeLine || slices.ContainsFunc(words, IsComputed)
	case p.joins:
		p.found.add(lineOf(p.Name, words))
		p.found.wholeLine = p.found.wholeLine || slices.ContainsFunc(words, IsComputed)
	case words[0].Text == "-": // uv run reads a script from stdin
		p.found.wholeLine = true
	default:
		p.found.add(replaced(p.Name, words, p.placeholder, p.more && p.placeholder == ""))
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
			p.found = launches{opaque: "an option of " + p.Name + " that is not known"}
			return
		}
	}
	if p.shell && !p.away && slices.ContainsFunc(words, hasCode) { // a shell expands the words as a line
		p.found.fail(evaluationReason(p.Name, words, hasCode))
	}
	p.found.hints = append(p.found.hints, Hint{Text: JoinWords(words), Name: "the arguments of " + p.Name})
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
