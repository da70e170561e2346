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

	computed, several bool   // as a word's
	prefix            string // as a word's
	brace             int    // where the text before the first { ends, and 1
}

// compute notes that what follows is known only when the line runs. several: it may be no word, or several.
func (e *expansions) compute(several bool) {
	if !e.computed {
		e.computed, e.prefix = true, e.text.String()
	}
	e.several = e.several || several
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
	if r.project {
		return r.computedWord(raw, u, &e)
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
	return word{text: e.text.String(), unknown: unknown}
}

// computedWord is a word for a project's own rules, which weigh what is not known of it against their pattern.
func (r *reader) computedWord(raw string, u use, e *expansions) word {
	w := word{text: e.text.String(), computed: e.computed, several: e.several, prefix: e.prefix}
	if e.brace > 0 && (strings.Contains(raw, ",") || strings.Contains(raw, "..")) {
		if before := w.text[:e.brace-1]; !w.computed || len(before) < len(w.prefix) {
			w.prefix = before
		}
		w.computed, w.several = true, true
	}
	if e.home && u == still && !w.computed {
		w.computed = true
	}
	w.unknown = w.computed && (w.several || w.prefix == "" || w.prefix[0] == '-' || w.prefix[0] == '+')
	return w
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
		e.compute(true)
		r.substitution(part, e)
		e.whole++
	case *syntax.ArithmExp:
		e.compute(true)
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
			if raw[i] == '{' && e.brace == 0 {
				e.brace = e.text.Len() + 1
			}
		case '*', '?', '[': // [ alone is a command, and nobody is to find the ] of others
			if raw != "[" {
				e.compute(true)
			}
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
	outside := r.inQuotes
	r.inQuotes = true
	defer func() { r.inQuotes = outside }()
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
			switch {
			case r.home(part, e):
			case r.project:
				r.parameter(part, e)
			default:
				r.fail("a variable in double quotes")
			}
		case *syntax.CmdSubst:
			e.compute(false)
			r.substitution(part, e)
			substituted++
		case *syntax.ArithmExp:
			e.compute(false)
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
	case r.project:
		// "$@" is several words also in quotes.
		several := !r.inQuotes || strings.ContainsAny(raw, "@*")
		e.compute(several)
		if !variable.MatchString(raw) && !r.harmless(p) {
			r.fail("an expansion")
		}
		e.text.WriteString(raw)
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

// harmless reports whether an expansion of more than a name runs nothing but the commands in its text, which it reads:
// a subscript and a slice are arithmetic, which may run commands, and @P runs what is in the value.
func (r *reader) harmless(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Excl || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return false
	}
	if p.Exp == nil {
		return p.Length
	}
	if p.Exp.Op == syntax.OtherParamOps || p.Exp.Word != nil && strings.ContainsAny(r.source(p.Exp.Word), "\\'\"") {
		return false
	}
	if p.Exp.Word != nil {
		var e expansions
		for _, part := range p.Exp.Word.Parts {
			r.part(part, &e)
		}
	}
	return true
}

// substitution reads $( ) or backticks. Their commands are commands of the line. In the text of its own command a
// substitution is empty: what it will say is not known.
func (r *reader) substitution(c *syntax.CmdSubst, e *expansions) {
	front, inQuotes := r.front, r.inQuotes
	r.front, r.inQuotes = nil, false
	r.list(c.Stmts)
	r.front, r.inQuotes = front, inQuotes
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
