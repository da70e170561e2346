package permission

import "strings"

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
	p.unknown = u == argument && e.whole == 1
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
