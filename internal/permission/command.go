package permission

import (
	"slices"
	"strings"
)

const (
	maxLine     = 256 << 10 // bytes: some milliseconds
	maxCommands = 10_000
	maxNesting  = 50 // of lists of commands, which are read by recursion
)

// commandLine is what a pattern for a shell tool is held against.
type commandLine struct {
	commands []string // the words of each simple command, unquoted, joined by single blanks
	words    [][]word // the same commands, word by word; nil for [ ] and [[ ]]
	unknown  bool     // an argument of a command is nothing but an expansion, so that only the shell knows it
	opaque   string   // why the line was not taken apart; then nothing else is set
}

// word is one word of a simple command without its quotes. unknown: it is nothing but an expansion.
type word struct {
	text    string
	unknown bool
}

// takeApart finds the simple commands of a line, as far as Claude Code 2.1.329 was recorded to do so. All of bash that it
// does not know is opaque, and so is what bash itself would refuse.
func takeApart(src string) (line commandLine) {
	if len(src) > maxLine {
		return commandLine{opaque: "it is too long"}
	}
	if reason := deceptive(src); reason != "" {
		return commandLine{opaque: reason}
	}
	p := parser{src: src}
	defer func() {
		if r := recover(); r != nil {
			o, ok := r.(opaque)
			if !ok {
				panic(r)
			}
			line = commandLine{opaque: string(o)}
		}
	}()
	p.list("")
	return p.line
}

// deceptive finds characters that make a line look other than it runs, in bash or in zsh.
func deceptive(src string) string {
	for _, r := range src {
		switch {
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f:
			return "a control character"
		case r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200b, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000, r == 0xfeff:
			return "a blank of Unicode"
		}
	}
	if strings.Contains(src, "~[") {
		return "~[, which zsh expands"
	}
	return ""
}

// opaque is what reading ends with at something that it cannot see through. It is only ever a panic inside this package.
type opaque string

type parser struct {
	src      string
	at       int
	text     []byte // of the open simple commands, one after the other: a substitution is read while its command is open
	line     commandLine
	unknown  bool // the word that was read last is nothing but an expansion
	nesting  int
	subshell bool
	set      map[string]bool // variables that the line has set so far
}

func (p *parser) rest() string { return p.src[p.at:] }

func (p *parser) has(prefix string) bool { return strings.HasPrefix(p.rest(), prefix) }

// peek returns 0 at the end. A line has no NUL: it would be deceptive.
func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// blanks skips what separates words: blanks, line continuations and a comment.
func (p *parser) blanks() {
	for {
		switch {
		case p.peek() == ' ' || p.peek() == '\t':
			p.at++
		case p.has("\\\n"):
			p.at += 2
		case p.peek() == '#':
			end := strings.IndexByte(p.rest(), '\n')
			if end < 0 {
				end = len(p.rest())
			}
			p.at += end
		default:
			return
		}
	}
}

func (p *parser) emptyLines() {
	for p.blanks(); p.peek() == '\n'; p.blanks() {
		p.at++
	}
}

func ends(c byte) bool { return c == 0 || strings.IndexByte(" \t\n;&|<>()", c) >= 0 }

// keyword returns the word at hand if it can be a reserved one.
func (p *parser) keyword() string {
	const longest = len("function")
	for n := 0; n <= min(longest, len(p.rest())); n++ {
		if n == len(p.rest()) || ends(p.rest()[n]) {
			return p.rest()[:n]
		}
	}
	return ""
}

// list reads commands up to one of closers, which are reserved words, ")" or, for the end, "". It returns the closer and
// reads it too.
func (p *parser) list(closers ...string) string {
	if p.nesting++; p.nesting > maxNesting {
		panic(opaque("nested too deeply"))
	}
	defer func() { p.nesting-- }()
	for first := true; ; first = false {
		p.emptyLines()
		closer := p.keyword()
		if p.peek() == ')' {
			closer = ")"
		}
		if (closer != "" || p.at == len(p.src)) && slices.Contains(closers, closer) {
			if first && closer != "" {
				panic(opaque("a syntax error"))
			}
			p.at += len(closer)
			return closer
		}
		if p.at == len(p.src) {
			panic(opaque("something is not closed"))
		}
		p.and()
		p.blanks()
		switch c := p.peek(); {
		case c == ';' || c == '&':
			p.at++
		case c != 0 && c != '\n' && c != ')':
			panic(opaque("a syntax error"))
		}
	}
}

// and reads commands joined by && and ||.
func (p *parser) and() {
	p.pipeline()
	for p.blanks(); p.has("&&") || p.has("||"); p.blanks() {
		p.at += 2
		p.emptyLines()
		p.pipeline()
	}
}

func (p *parser) pipeline() {
	if p.keyword() == "!" {
		p.at++
		p.blanks()
	}
	p.command()
	for p.blanks(); p.peek() == '|' && !p.has("||"); p.blanks() {
		p.at++
		if p.peek() == '&' {
			p.at++
		}
		p.emptyLines()
		p.command()
	}
}

func (p *parser) command() {
	switch word := p.keyword(); {
	case p.has("(("):
		panic(opaque("(( ))"))
	case p.peek() == '(':
		p.group()
	case word == "if":
		p.at += len(word)
		for closer := ""; closer != "fi"; {
			if closer != "else" {
				p.list("then")
				closer = p.list("elif", "else", "fi")
			} else {
				closer = p.list("fi")
			}
		}
	case word == "while" || word == "until":
		p.at += len(word)
		p.list("do")
		p.list("done")
	case word == "for":
		p.at += len(word)
		p.forLoop()
	case word == "[" || word == "[[":
		p.test(word)
	case slices.Contains([]string{"!", "{", "}", "case", "esac", "select", "function", "then", "elif", "else", "fi", "do", "done", "]]"}, word):
		panic(opaque("the word " + word))
	default:
		p.simple()
		return
	}
	// Redirections of a compound command were recorded to be opaque.
	p.blanks()
	if c := p.peek(); c != 0 && strings.IndexByte("\n;&|)", c) < 0 || p.has("&>") {
		panic(opaque("something behind a compound command"))
	}
}

// group reads ( ). One inside another was recorded to be opaque.
func (p *parser) group() {
	if p.subshell {
		panic(opaque("nested parentheses"))
	}
	p.subshell = true
	p.at++
	p.list(")")
	p.subshell = false
}

func (p *parser) forLoop() {
	p.blanks()
	name := p.name()
	if name == "" {
		panic(opaque("for without a variable"))
	}
	p.sets(name)
	p.at += len(name)
	p.emptyLines()
	if p.keyword() != "in" {
		panic(opaque("for without in"))
	}
	p.at += len("in")
	for p.blanks(); !ends(p.peek()); p.blanks() {
		p.drop(p.word(still))
	}
	switch p.peek() {
	case ';', '\n':
		p.at++
	default:
		panic(opaque("a syntax error"))
	}
	p.emptyLines()
	if p.keyword() != "do" {
		panic(opaque("a syntax error"))
	}
	p.at += len("do")
	p.list("done")
}

// test reads [[ ]] or [ ], which a pattern sees as a command of that name.
func (p *parser) test(opening string) {
	closing := strings.ReplaceAll(opening, "[", "]")
	start := len(p.text)
	p.at += len(opening)
	p.text = append(p.text, opening...)
	for p.blanks(); ; p.blanks() {
		p.text = append(p.text, ' ')
		switch word := p.keyword(); {
		case word == closing:
			p.at += len(word)
			p.text = append(p.text, word...)
			p.emit(start, nil)
			return
		case word == "=~":
			panic(opaque("a regular expression"))
		case opening == "[[" && (p.has("&&") || p.has("||")):
			p.text = append(p.text, p.rest()[:2]...)
			p.at += 2
		case ends(p.peek()):
			panic(opaque(opening + " with an operator"))
		default:
			p.word(still)
		}
	}
}

// simple reads a simple command.
func (p *parser) simple() {
	start := len(p.text)
	var names []string // that are assigned
	var words []wordEnd
	redirections := 0
	declares, reads := false, false
	for p.blanks(); ; p.blanks() {
		switch c := p.peek(); {
		case p.redirection():
			redirections++
			continue
		case c == '(':
			panic(opaque("parentheses in a command"))
		case ends(c): // not < or >, which are redirections
			switch {
			case len(words) > 0:
				p.emit(start, words)
			case len(names) == 1 && redirections == 0:
				p.sets(names[0])
			default:
				// The client knows no more than one assignment without a command, and no redirection without one.
				panic(opaque("a command is missing"))
			}
			return
		}
		p.unknown = false
		if len(words) == 0 {
			if name := p.assignment(); name != "" {
				names = append(names, name)
				p.drop(start)
				continue
			}
			p.word(still)
			switch string(p.text[start:]) {
			case "declare", "typeset", "local", "export", "readonly", "unset":
				declares = true
			case "read":
				reads = true
			}
		} else {
			p.text = append(p.text, ' ')
			from := len(p.text)
			if !declares {
				p.word(argument)
			} else if name := p.assignment(); name != "" {
				p.sets(name)
			} else {
				p.word(still)
			}
			if reads {
				p.sets(string(p.text[from:]))
			}
		}
		words = append(words, wordEnd{len(p.text) - start, p.unknown})
	}
}

// wordEnd is where a word ends in the text of its command.
type wordEnd struct {
	at      int
	unknown bool
}

func (p *parser) drop(start int) { p.text = p.text[:start] }

func (p *parser) emit(start int, ends []wordEnd) {
	if len(p.line.commands) == maxCommands {
		panic(opaque("too many commands"))
	}
	command := string(p.text[start:])
	var words []word
	from := 0
	for _, end := range ends {
		words = append(words, word{command[from:end.at], end.unknown})
		from = end.at + len(" ")
	}
	p.line.commands, p.line.words = append(p.line.commands, command), append(p.line.words, words)
	p.drop(start)
}

// sets notes a variable whose value the line decides. The client was recorded not to see through that of a for loop; it
// may know the value of others, which this program does not try to.
func (p *parser) sets(name string) {
	if p.set == nil {
		p.set = map[string]bool{}
	}
	p.set[name] = true
}

// name returns the name of a variable at hand.
func (p *parser) name() string {
	n := 0
	for rest := p.rest(); n < len(rest) && (isLetter(rest[n]) || n > 0 && isDigit(rest[n])); n++ {
	}
	return p.rest()[:n]
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// assignment reads NAME=value or NAME+=value, if there is one, and returns the name.
func (p *parser) assignment() string {
	name := p.name()
	if name == "" {
		return ""
	}
	behind := p.rest()[len(name):]
	if strings.HasPrefix(behind, "[") {
		panic(opaque("an element of an array"))
	}
	value, ok := strings.CutPrefix(strings.TrimPrefix(behind, "+"), "=")
	if !ok {
		return ""
	}
	n := len(p.rest()) - len(value)
	p.text = append(p.text, p.rest()[:n]...)
	p.at += n
	if !ends(p.peek()) || p.peek() == '(' {
		p.word(assigned)
	}
	return name
}
