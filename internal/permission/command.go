package permission

import (
	"bytes"
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
	unknown  bool     // an argument of a command is nothing but an expansion, so that only the shell knows it
	opaque   string   // why the line was not taken apart; then nothing else is set
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
			p.emit(start)
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
	words, redirections := 0, 0
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
			case words > 0:
				p.emit(start)
			case len(names) == 1 && redirections == 0:
				p.sets(names[0])
			default:
				// The client knows no more than one assignment without a command, and no redirection without one.
				panic(opaque("a command is missing"))
			}
			return
		}
		if words == 0 {
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
		words++
	}
}

func (p *parser) drop(start int) { p.text = p.text[:start] }

func (p *parser) emit(start int) {
	if len(p.line.commands) == maxCommands {
		panic(opaque("too many commands"))
	}
	p.line.commands = append(p.line.commands, string(p.text[start:]))
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

// redirection reads a redirection, if there is one, and drops it.
func (p *parser) redirection() bool {
	digits := 0
	for rest := p.rest(); digits < len(rest) && isDigit(rest[digits]); digits++ {
	}
	behind := p.rest()[digits:]
	if behind == "" || strings.IndexByte("<>&", behind[0]) < 0 {
		return false
	}
	for _, operator := range []string{"<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>"} {
		if !strings.HasPrefix(behind, operator) || digits > 0 && operator[0] == '&' {
			continue
		}
		p.at += digits + len(operator)
		if p.peek() == '(' {
			panic(opaque("process substitution"))
		}
		p.blanks()
		switch {
		case operator == "<<" || operator == "<<-":
			p.hereDocument(operator == "<<-")
		case ends(p.peek()) || operator == "<>":
			panic(opaque("a redirection"))
		default:
			target := p.word(still)
			// Of a target that is no number bash takes the quotes off and expands it once more: a >&'$(b)' runs b.
			if operator == ">&" && bytes.ContainsAny(p.text[target:], "$`<>") {
				panic(opaque("a redirection"))
			}
			p.drop(target)
		}
		return true
	}
	return false
}

// hereDocument reads a quoted here-document, whose body is hidden from patterns. The client was recorded not to see
// through one that is not quoted, nor through more on its first line.
func (p *parser) hereDocument(tabs bool) {
	quote, n := p.peek(), 0
	switch quote {
	case '\'', '"':
		p.at++
		n = strings.IndexByte(p.rest(), quote)
	case '\\':
		p.at++
		n = len(p.name())
	}
	if n < 1 || strings.ContainsAny(p.rest()[:n], "\n\\$`") {
		panic(opaque("a here-document that is not quoted"))
	}
	delimiter := p.rest()[:n]
	p.at += n
	if quote != '\\' {
		p.at++
	}
	first, body, ok := strings.Cut(p.rest(), "\n")
	if !ok || strings.Trim(first, " \t") != "" {
		panic(opaque("a here-document with more on its first line"))
	}
	for ok {
		var line string
		line, body, ok = strings.Cut(body, "\n")
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == delimiter {
			p.at = len(p.src) - len(body)
			if ok {
				p.at-- // the newline ends the command
			}
			return
		}
	}
	panic(opaque("a here-document without an end"))
}

// use is what a word is read for: it decides what expansions the client sees through.
type use int

const (
	still    use = iota // a word that must not expand: a command, the target of a redirection, …
	argument            // of a command
	assigned            // the value of an assignment
)

// expansions is what a word or a quoted part of one was found to be made of.
type expansions struct {
	whole    int  // expansions that are not known and have no fixed text beside them in their quotes
	beside   bool // a substitution with fixed text beside it in its quotes, or arithmetic
	home     bool // $HOME, which was recorded to have no effect
	variable bool // any other variable
	fixed    bool // text that does not expand
}

// word reads a word, appends what it says without quotes to p.text, and returns where that begins.
func (p *parser) word(u use) int {
	start, from := len(p.text), p.at
	var e expansions
	braces := false
	if rest := p.rest(); len(rest) > 1 && rest[0] == '=' && isLetter(rest[1]) {
		panic(opaque("=, which zsh expands"))
	}
	for c := p.peek(); !ends(c); c = p.peek() {
		switch c {
		case '\'':
			end := strings.IndexByte(p.rest()[1:], '\'')
			if end < 0 {
				panic(opaque("an unclosed quote"))
			}
			p.text = append(p.text, p.rest()[1:1+end]...)
			p.at += end + 2
			e.fixed = true
		case '"':
			p.quoted(&e)
		case '\\':
			p.at++
			switch p.peek() {
			case 0, ' ', '\t', '\n':
				panic(opaque("an escaped blank"))
			}
			p.text = append(p.text, p.peek())
			p.at++
			e.fixed = true
		case '$':
			p.dollar(&e)
		case '`':
			p.backticks()
			e.whole++
		default:
			braces = braces || c == '{' || c == '}'
			p.text = append(p.text, c)
			p.at++
			e.fixed = true
		}
	}
	if p.peek() == '(' {
		panic(opaque("parentheses in a command"))
	}
	if braces {
		raw := p.src[from:p.at]
		redirects := p.peek() == '<' || p.peek() == '>' // {name}>file is all redirection
		if redirects || u == still || strings.ContainsAny(raw, ",'\"\\$`") || strings.Contains(raw, "..") {
			panic(opaque("brace expansion"))
		}
	}
	switch {
	case u == still && (e.whole > 0 || e.beside || e.home || e.variable):
		panic(opaque("an expansion that is not an argument"))
	case u == assigned && (e.home || e.variable):
		panic(opaque("an assignment from a variable"))
	case e.whole > 1 || e.whole == 1 && (e.fixed || e.beside || e.home):
		panic(opaque("an expansion joined with text"))
	case u == argument && e.whole == 1:
		p.line.unknown = true
	}
	return start
}

// quoted reads a part in double quotes.
func (p *parser) quoted(e *expansions) {
	p.at++
	substituted, fixed := 0, p.peek() == '"'
	for p.peek() != '"' {
		switch c := p.peek(); {
		case c == 0:
			panic(opaque("an unclosed quote"))
		case p.has("\\\n"):
			panic(opaque("a line continued in quotes"))
		case c == '\\' && p.at+1 < len(p.src) && strings.IndexByte("$`\"\\", p.src[p.at+1]) >= 0:
			p.text = append(p.text, p.src[p.at+1])
			p.at += 2
			fixed = true
		case c == '`':
			p.backticks()
			substituted++
		case p.has("$(("):
			p.arithmetic()
			e.beside, fixed = true, true
		case p.has("$("):
			p.substitution()
			substituted++
		case c == '$' && p.at+1 < len(p.src) && expands(p.src[p.at+1]):
			if !p.home() {
				panic(opaque("a variable in double quotes"))
			}
			e.home = true
		default:
			p.text = append(p.text, c)
			p.at++
			fixed = true
		}
	}
	p.at++
	switch {
	case !fixed && substituted > 0: // `"$(a)$(b)"` is as unknown as `"$(a)"`
		e.whole++
	case substituted > 0:
		e.beside = true
	}
	e.fixed = e.fixed || fixed
}

// expands reports whether c behind a $ makes an expansion.
func expands(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("{[?$!#@*-", c) >= 0
}

// home reads $HOME, if it is there. The client was recorded to take it for text.
func (p *parser) home() bool {
	const home = "$HOME"
	if p.set["HOME"] || !p.has(home) || p.at+len(home) < len(p.src) && (isLetter(p.src[p.at+len(home)]) || isDigit(p.src[p.at+len(home)])) {
		return false
	}
	p.text = append(p.text, home...)
	p.at += len(home)
	return true
}

// dollar reads an expansion outside of quotes.
func (p *parser) dollar(e *expansions) {
	switch {
	case p.has("$(("):
		p.arithmetic()
		e.beside = true
		return
	case p.has("$("):
		p.substitution()
		e.whole++
		return
	case p.home():
		e.home = true
		return
	}
	from := p.at
	p.at++
	braced := p.peek() == '{'
	if braced {
		p.at++
	}
	name := p.name()
	switch {
	case name != "":
		p.at += len(name)
	case !braced && (isDigit(p.peek()) || strings.IndexByte("?$!#@*-", p.peek()) >= 0):
		p.at++
	default:
		panic(opaque("an expansion"))
	}
	if p.set[name] {
		panic(opaque("a variable that the line sets"))
	}
	if braced {
		if p.peek() != '}' {
			panic(opaque("${ } with more than a name"))
		}
		p.at++
	}
	p.text = append(p.text, p.src[from:p.at]...)
	e.whole++
	e.variable = true
}

// substitution reads $( ). Its commands are commands of the line. In the text of its own command it is empty: what it
// will say is not known.
func (p *parser) substitution() {
	start := len(p.text)
	p.at += len("$(")
	p.list(")")
	p.text = append(p.text[:start], "$()"...)
}

// backticks reads a substitution in backticks. A backslash has a meaning of its own there.
func (p *parser) backticks() {
	start, src := len(p.text), p.src
	p.at++
	end := strings.IndexByte(p.rest(), '`')
	if end < 0 || strings.IndexByte(p.rest()[:end], '\\') >= 0 {
		panic(opaque("backticks that are unclosed or with a backslash inside"))
	}
	p.src = src[:p.at+end]
	p.list("")
	p.src = src
	p.at++
	p.text = append(p.text[:start], "``"...)
}

// arithmetic reads $(( )) with numbers only: a variable in it may stand for a command.
func (p *parser) arithmetic() {
	open := 0
	for from := p.at; ; {
		p.at++
		switch c := p.peek(); {
		case c == '(':
			open++
		case c == ')':
			if open--; open == 0 {
				p.at++
				p.text = append(p.text, p.src[from:p.at]...)
				return
			}
		case open < 2 || c == 0 || !isDigit(c) && strings.IndexByte(" +-*/%<>=!&|^~?:,", c) < 0:
			panic(opaque("arithmetic"))
		}
	}
}
