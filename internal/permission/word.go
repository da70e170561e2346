package permission

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// use is what a word is read for: it decides what expansions the client sees through.
type use int

const (
	still    use = iota // a word that must not expand: a command, the target of a redirection, …
	argument            // of a command
	assigned            // the value of an assignment
)

// expansions is what a word or a quoted part of one was found to be made of.
type expansions struct {
	text     strings.Builder // what it says without quotes
	whole    int             // expansions that are not known and have no fixed text beside them in their quotes
	beside   bool            // a substitution with fixed text beside it in its quotes, or arithmetic
	home     bool            // $HOME, which was recorded to have no effect
	variable bool            // any other variable
	fixed    bool            // text that does not expand
	braces   bool            // some of the text is { or }
}

// word reads a word.
func (r *reader) word(w *syntax.Word, u use) word {
	raw, behind := r.source(w), r.src[w.End().Offset():]
	if len(raw) > 1 && raw[0] == '=' && isLetter(raw[1]) {
		r.fail("=, which zsh expands")
	}
	var e expansions
	at := w.Pos().Offset()
	for _, part := range w.Parts {
		at = r.follows(at, part)
		r.part(part, &e)
	}
	if strings.HasPrefix(behind, "\\\n") {
		r.fail("an escaped blank")
	}
	// {name}>file and 2>file are all redirection, also behind coproc.
	if (e.braces || strings.Trim(raw, "0123456789") == "") &&
		(strings.HasPrefix(behind, "<") || strings.HasPrefix(behind, ">")) {
		r.fail("a redirection")
	}
	if e.braces && (u == still || strings.ContainsAny(raw, ",'\"\\$`") || strings.Contains(raw, "..")) {
		r.fail("brace expansion")
	}
	switch {
	case u == still && (e.whole > 0 || e.beside || e.home || e.variable):
		r.fail("an expansion that is not an argument")
	case u == assigned && (e.home || e.variable):
		r.fail("an assignment from a variable")
	case e.whole > 1 || e.whole == 1 && (e.fixed || e.beside || e.home):
		r.fail("an expansion joined with text")
	}
	unknown := u == argument && e.whole == 1
	r.line.unknown = r.line.unknown || unknown
	return word{e.text.String(), unknown}
}

// follows checks that a part begins where the one before it ends, and returns where it ends. Between them is nothing but a
// continued line, through which the client was recorded not to see.
func (r *reader) follows(end uint, part syntax.WordPart) uint {
	if part.Pos().Offset() != end {
		r.fail("a line continued in a word")
	}
	return part.End().Offset()
}

// part reads a part of a word that is not in double quotes.
func (r *reader) part(part syntax.WordPart, e *expansions) {
	switch part := part.(type) {
	case *syntax.Lit:
		r.literal(r.source(part), e)
	case *syntax.SglQuoted:
		if part.Dollar {
			r.fail("an expansion")
		}
		e.text.WriteString(r.src[part.Left.Offset()+1 : part.Right.Offset()])
		e.fixed = true
	case *syntax.DblQuoted:
		if part.Dollar {
			r.fail("an expansion")
		}
		r.quoted(part, e)
	case *syntax.ParamExp:
		r.parameter(part, e)
	case *syntax.CmdSubst:
		r.substitution(part, e)
		e.whole++
	case *syntax.ArithmExp:
		r.arithmetic(part, e)
	default: // process substitution, extended globs
		r.fail("parentheses in a command")
	}
}

// literal reads text without quotes.
func (r *reader) literal(raw string, e *expansions) {
	e.fixed = true
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '$':
			r.fail("an expansion")
		case '{', '}':
			e.braces = true
		case '\\':
			i++
			if i == len(raw) || strings.IndexByte(" \t\n", raw[i]) >= 0 {
				r.fail("an escaped blank")
				return
			}
		}
		e.text.WriteByte(raw[i])
	}
}

// quoted reads a part in double quotes.
func (r *reader) quoted(q *syntax.DblQuoted, e *expansions) {
	substituted, fixed := 0, len(q.Parts) == 0
	at := q.Left.Offset() + 1
	for _, part := range q.Parts {
		at = r.follows(at, part)
		switch part := part.(type) {
		case *syntax.Lit:
			raw := r.source(part)
			if strings.Contains(raw, "\\\n") {
				r.fail("a line continued in a word")
			}
			for i := 0; i < len(raw); i++ {
				if raw[i] == '\\' && i+1 < len(raw) && strings.IndexByte("$`\"\\", raw[i+1]) >= 0 {
					i++
				}
				e.text.WriteByte(raw[i])
			}
			fixed = true
		case *syntax.ParamExp:
			if !r.home(part, e) {
				r.fail("a variable in double quotes")
			}
		case *syntax.CmdSubst:
			r.substitution(part, e)
			substituted++
		case *syntax.ArithmExp:
			r.arithmetic(part, e)
			fixed = true
		default:
			r.fail("an expansion")
		}
	}
	if at != q.Right.Offset() {
		r.fail("a line continued in a word")
	}
	switch {
	case !fixed && substituted > 0: // `"$(a)$(b)"` is as unknown as `"$(a)"`
		e.whole++
	case substituted > 0:
		e.beside = true
	}
	e.fixed = e.fixed || fixed
}

// home reads $HOME, if that is what the expansion is. The client was recorded to take it for text.
func (r *reader) home(p *syntax.ParamExp, e *expansions) bool {
	if raw := r.source(p); raw != "$HOME" || r.set["HOME"] {
		return false
	}
	e.text.WriteString("$HOME")
	e.home = true
	return true
}

// variable is an expansion that is no more than the value of a variable or a parameter.
var variable = regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|[0-9?$!#@*-])$`)

// parameter reads the expansion of a variable outside of quotes.
func (r *reader) parameter(p *syntax.ParamExp, e *expansions) {
	raw := r.source(p)
	switch {
	case r.home(p, e):
		return
	case !variable.MatchString(raw):
		r.fail("an expansion")
	case r.set[strings.Trim(raw, "${}")]:
		r.fail("a variable that the line sets")
	}
	e.text.WriteString(raw)
	e.whole++
	e.variable = true
}

// substitution reads $( ) or backticks. Their commands are commands of the line. In the text of its own command a
// substitution is empty: what it will say is not known.
func (r *reader) substitution(c *syntax.CmdSubst, e *expansions) {
	front := r.front
	r.front = nil
	r.list(c.Stmts)
	r.front = front
	raw := r.source(c)
	switch {
	case c.Backquotes:
		// A backslash has a meaning of its own there.
		if strings.Contains(raw, `\`) || strings.Count(raw, "`") > 2 {
			r.fail("backticks with a backslash or backticks inside")
		}
		e.text.WriteString("``")
	case len(c.Stmts) == 0 || !strings.HasPrefix(raw, "$("):
		r.fail("a syntax error")
	default:
		e.text.WriteString("$()")
	}
}

// arithmetic reads $(( )) with numbers only: a variable in it may stand for a command.
func (r *reader) arithmetic(a *syntax.ArithmExp, e *expansions) {
	raw := r.source(a)
	if a.Bracket || strings.Trim(raw[1:], "0123456789 +-*/%<>=!&|^~?:,()") != "" {
		r.fail("arithmetic")
	}
	e.text.WriteString(raw)
	e.beside, e.fixed = true, true
}

// cutName cuts the name of a variable off the start of a text.
func cutName(text string) (name, behind string) {
	n := 0
	for n < len(text) && (isLetter(text[n]) || n > 0 && isDigit(text[n])) {
		n++
	}
	return text[:n], text[n:]
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
