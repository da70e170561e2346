package shellline

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// role is the role of a word. It decides which expansions the client sees through.
type role int

const (
	fixedWord role = iota // a word that must not expand: a command, the target of a redirection, …
	argument              // an argument of a command
	assigned              // the value of an assignment
)

// expansions describes a word, or a quoted part of a word.
type expansions struct {
	text     strings.Builder // the value without quotes
	whole    int             // the number of unknown expansions without fixed text in the same quotes
	beside   bool            // a substitution has fixed text in the same quotes, or the word has arithmetic
	home     bool            // the word has $HOME, which in recordings the client takes as text
	variable bool            // any other variable
	fixed    bool            // text that does not expand
	braces   bool            // the text has { or }

	computed, several bool   // as in Word
	prefix            string // as in Word
	brace             int    // 1 + the end of the text before the first {

	code, dollar bool // code: as in Word; dollar: the part before this one ends with a quoted $
	param        bool // the part before this one is the expansion of a variable
	length       bool // the part before this one is $#
	glob         bool // a part may be a pattern of file names
	subscript    bool // zsh reads a part as a subscript, which is arithmetic
	inside       bool // a part is computed from the line itself
}

// quotes notes quoted text. An expansion in quotes does not run, unless the word is evaluated.
func (e *expansions) quotes(text string) {
	if text == "" {
		return
	}
	if strings.Contains(text, "`") || e.dollar && strings.IndexByte("({[", text[0]) >= 0 {
		e.code = true
	}
	for i := 0; i < len(text)-1 && !e.code; i++ {
		e.code = text[i] == '$' && strings.IndexByte("({[", text[i+1]) >= 0
	}
	e.dollar = text[len(text)-1] == '$'
}

// compute notes that the following text is known only at run time.
func (e *expansions) compute() {
	if !e.computed {
		e.computed, e.prefix = true, e.text.String()
	}
}

// computeWords is like compute, if the result may be no word or several words.
func (e *expansions) computeWords() {
	e.compute()
	e.several = true
}

func (r *reader) word(w *syntax.Word, u role) Word {
	raw, behind := r.source(w), r.src[w.End().Offset():]
	if isPlain(raw) && (behind == "" || strings.IndexByte(" \n;|&)", behind[0]) >= 0) {
		return Word{Text: raw, Source: raw}
	}
	r.expandsEquals(raw)
	var e expansions
	at := w.Pos().Offset()
	for _, part := range w.Parts {
		at = r.follows(at, part)
		r.part(part, &e)
		r.isParameter(part, &e)
	}
	if strings.HasPrefix(behind, "\\\n") {
		r.fail("an escaped blank")
	}
	// {name}>file and 2>file are part of a redirection, even after coproc.
	if (strings.HasPrefix(behind, "<") || strings.HasPrefix(behind, ">")) &&
		(e.braces || strings.Trim(raw, "0123456789") == "") {
		r.fail("a redirection")
	}
	r.forClient(raw, u, &e)
	if e.subscript && e.code {
		r.failProject("a subscript in zsh")
	}
	r.line.values.zshArithmetic = r.line.values.zshArithmetic || e.subscript

	r.line.values.textCode = r.line.values.textCode || e.code
	result := Word{Text: e.text.String(), Computed: e.computed, MaybeMany: e.several, Prefix: e.prefix, Code: e.code,
		Source: raw, Outside: e.computed && !e.inside}
	result.ProgramVariable = e.variable && isProgramVariable(variableOf(raw))
	if e.mayBeSeveral(raw) {
		r.unusual("braces")
		if before := result.Text[:e.brace-1]; !result.Computed || len(before) < len(result.Prefix) {
			result.Prefix = before
		}
		result.Computed, result.MaybeMany, result.Outside = true, true, false
	}
	result.Computed = result.Computed || e.home && u == fixedWord
	if raw[0] == '~' || e.home && (raw[0] == '$' || strings.HasPrefix(raw, `"$`)) {
		r.folder(&result)
	}
	if e.glob && r.changes().nullGlob {
		result.Prefix, result.MaybeMany = "", true
	}
	return result
}

// mayBeSeveral reports whether a word has braces of which a shell makes several words.
func (e *expansions) mayBeSeveral(raw string) bool {
	return e.brace > 0 && (strings.Contains(raw, ",") || strings.Contains(raw, ".."))
}

// isPlain reports whether a word has only characters that mean nothing to any shell. Most words do.
func isPlain(raw string) bool {
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && !('0' <= c && c <= '9') && strings.IndexByte("-_./:@%+", c) < 0 {
			return false
		}
	}
	return true
}

// expandsEquals fails if zsh may take a word for the path of a program: =ls is /bin/ls.
func (r *reader) expandsEquals(raw string) {
	switch {
	case len(raw) < 2 || raw[0] != '=':
	case syntax.ValidName(raw[1:2]):
		r.fail("=, which zsh expands")
	case raw != "==" && raw != "=~":
		r.failProject("=, which zsh expands")
	}
}

// isParameter notes whether a part of a word is the expansion of a variable.
func (r *reader) isParameter(part syntax.WordPart, e *expansions) {
	_, e.param = part.(*syntax.ParamExp)
	e.length = e.param && r.source(part) == "$#"
}

// folder notes that a word begins with the path of a folder. If the line changes that folder, only the shell knows it.
func (r *reader) folder(w *Word) {
	if w.Home = !r.changes().home; !w.Home {
		w.Computed, w.MaybeMany, w.Outside, w.Prefix = true, true, false, ""
	}
}

// forClient fails if in recordings the client does not see through the word.
func (r *reader) forClient(raw string, u role, e *expansions) {
	if e.braces && (u == fixedWord || strings.ContainsAny(raw, ",'\"\\$`") || strings.Contains(raw, "..")) {
		r.failClient("brace expansion")
	}
	switch {
	case u == fixedWord && (e.whole > 0 || e.beside || e.home || e.variable):
		r.failClient("an expansion that is not an argument")
	case u == assigned && (e.home || e.variable):
		r.failClient("an assignment from a variable")
	case e.whole > 1 || e.whole == 1 && (e.fixed || e.beside || e.home):
		r.failClient("an expansion joined with text")
	}
	r.line.Unknown = r.line.Unknown || u == argument && e.whole == 1
}

// follows checks that a part begins at the end of the previous part, and returns the end of the part. Only a continued
// line can be between two parts, and in recordings the client does not see through that.
func (r *reader) follows(end uint, part syntax.WordPart) uint {
	if part.Pos().Offset() != end {
		r.fail("a line continued in a word")
	}
	return part.End().Offset()
}

// part reads a part of a word outside double quotes.
func (r *reader) part(part syntax.WordPart, e *expansions) {
	switch part := part.(type) {
	case *syntax.Lit:
		r.dollars(r.literalAndNext(part), e)
		r.literal(r.source(part), e)
	case *syntax.SglQuoted:
		text := r.src[part.Left.Offset()+1 : part.Right.Offset()]
		if part.Dollar {
			r.unusual("$'…'")
			r.failClient("an expansion")
			r.line.values.dollarQuotes = true
			var ok bool
			if text, ok = dollarText(text[1:]); !ok {
				r.failProject("an expansion")
			}
		}
		e.quotes(text)
		e.text.WriteString(text)
		e.fixed = true
	case *syntax.DblQuoted:
		if part.Dollar {
			r.unusual(`$"…"`)
			r.fail("an expansion")
		}
		r.quoted(part, e)
	case *syntax.ParamExp:
		r.parameter(part, e)
	case *syntax.CmdSubst:
		e.computeWords()
		r.substitution(part, e)
		e.whole++
	case *syntax.ArithmExp:
		e.inside = true
		e.computeWords()
		r.arithmetic(part, e)
	case *syntax.ProcSubst: // becomes a file in /dev/fd
		e.inside = true
		r.block(Group, part)
		r.failClient("parentheses in a command")
		e.text.WriteString("/dev/fd/")
		e.compute()
		e.text.WriteString("63")
		outside, first := r.stdin, len(r.line.Commands)
		if r.stdin = inherited; part.Op == syntax.CmdOut {
			r.stdin = fed
		}
		r.inside(part.Stmts)
		for i := first; i < len(r.line.Commands) && part.Op == syntax.CmdOut; i++ {
			r.written = append(r.written, i)
		}
		r.stdin = outside
	default: // extended globs
		r.unusual(otherConstruct)
		r.fail("parentheses in a command")
	}
}

// inside reads the commands of a substitution.
func (r *reader) inside(all []*syntax.Stmt) {
	front, inQuotes, folders, piped, captured := r.front, r.inQuotes, r.folders, r.piped, r.captured
	r.front, r.inQuotes, r.piped, r.captured = nil, false, nil, true
	before := len(r.steps)
	r.list(all)
	r.enclose(Subshell, before)
	r.front, r.inQuotes, r.folders, r.piped, r.captured = front, inQuotes, folders, piped, captured
}

// literalAndNext returns the text of a literal and the byte behind the literal.
func (r *reader) literalAndNext(l *syntax.Lit) string {
	return r.src[l.Pos().Offset():min(l.End().Offset()+1, uint(len(r.src)))]
}

// dollars fails at a $ in a text if bash takes the $ as text but zsh may expand it: $~x, $=x, $^x, $#x.
func (r *reader) dollars(raw string, e *expansions) {
	for i := 0; i < len(raw)-1; i++ {
		switch {
		case raw[i] == '\\':
			i++
		case raw[i] == '$' && strings.IndexByte(" \t\n\"'`|&;<>()/\\.,:%]}", raw[i+1]) < 0:
			r.failProject("a $ that is no expansion in bash")
			e.inside = true
			e.compute()
		}
	}
	if e.length && raw != "" && (raw[0] == '_' || unicode.IsLetter(rune(raw[0]))) {
		r.failProject("$# before a name")
	}
}

// isSubscript reports whether the text after a variable is a subscript in zsh other than a number.
func isSubscript(text string) bool {
	inside, ok := strings.CutPrefix(text, "[")
	inside, _, closed := strings.Cut(inside, "]")
	return ok && !(closed && strings.Trim(inside, "-0123456789") == "")
}

// literal reads unquoted text.
func (r *reader) literal(raw string, e *expansions) {
	e.fixed = true
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '$':
			r.failClient("an expansion")
		case '{', '}':
			e.braces = true
			if raw[i] == '{' && e.brace == 0 {
				e.brace = e.text.Len() + 1
			}
		case '*', '?', '[': // [ alone is a command; any other [ may start a glob
			if raw != "[" {
				e.computeWords()
				e.glob = true
			}
			e.subscript = e.subscript || e.param && i == 0 && isSubscript(raw)
		case '\\':
			i++
			switch {
			case i == len(raw) || raw[i] == '\n':
				r.fail("an escaped blank")
				return
			case raw[i] == ' ' || raw[i] == '\t':
				r.failClient("an escaped blank")
			}
			e.quotes(raw[i : i+1])
			e.text.WriteByte(raw[i])
			continue
		}
		if e.dollar {
			e.quotes(raw[i : i+1])
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
			text := strings.NewReplacer(`\$`, "$", "\\`", "`", `\"`, `"`, `\\`, `\`).Replace(raw)
			r.dollars(r.literalAndNext(part), e)
			e.quotes(text)
			e.text.WriteString(text)
			e.subscript = e.subscript || e.param && isSubscript(raw)
			fixed = true
		case *syntax.ParamExp:
			r.parameter(part, e)
		case *syntax.CmdSubst:
			e.compute()
			r.substitution(part, e)
			substituted++
		case *syntax.ArithmExp:
			e.inside = true
			e.compute()
			r.arithmetic(part, e)
			fixed = true
		default:
			r.unusual(otherConstruct)
			r.fail("an expansion")
		}
		r.isParameter(part, e)
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

// parameter reads the expansion of a variable.
func (r *reader) parameter(p *syntax.ParamExp, e *expansions) {
	raw, name := r.source(p), ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if p.Excl || p.Index != nil || p.Slice != nil || p.Exp != nil && (p.Exp.Op == syntax.AssignUnset ||
		p.Exp.Op == syntax.AssignUnsetOrNull || p.Exp.Op == syntax.OtherParamOps) {
		r.unusual("an expansion that is not known")
	}
	plain := raw == "$"+name || raw == "${"+name+"}" && syntax.ValidName(name) // the expansion gives only the value
	isParameter := raw == "${"+name+"}" && strings.Trim(name, "0123456789") == ""
	switch {
	case raw == "$HOME" && !r.set["HOME"]: // in recordings, the client takes $HOME as text
		if r.changes().home {
			e.compute()
			e.several = e.several || !r.inQuotes
		}
		e.text.WriteString(raw)
		e.home = true
		return
	case r.inQuotes:
		r.failClient("a variable in double quotes")
	case r.set[name]:
		r.failClient("a variable that the line sets")
	}
	e.inside = e.inside || r.outer.sets(name) || p.Repl != nil || p.Exp != nil &&
		(p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull || strings.ContainsAny(raw[2:], "$`"))
	e.compute()
	e.several = e.several || !r.inQuotes || strings.ContainsAny(raw, "@*") // "$@" is several words even in quotes
	if !plain {
		r.failClient("an expansion")
		if !isParameter && !r.harmless(p) {
			r.fail("an expansion")
		}
	}
	e.text.WriteString(raw)
	e.whole++
	e.variable = true
}

// harmless reports whether an expansion with more than a name runs only the commands in its own text, and reads those.
// A subscript and a slice are arithmetic, which may run commands; @P runs commands in the value.
func (r *reader) harmless(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Width || p.Names != 0 {
		return false
	}
	if p.Index != nil {
		r.index(p.Index)
	}
	switch {
	case p.Excl: // ${!a[@]} are the indexes of an array; ${!x} names another variable
		return p.Index != nil && p.Slice == nil && p.Repl == nil && p.Exp == nil &&
			strings.HasSuffix(r.source(p), "[@]}") && !isTable(p.Param.Value)
	case p.Slice != nil: // arithmetic
		isNumber := func(x syntax.ArithmExpr) bool {
			return x == nil || strings.Trim(r.source(x), " -0123456789") == ""
		}
		return p.Index == nil && p.Repl == nil && p.Exp == nil && isNumber(p.Slice.Offset) && isNumber(p.Slice.Length)
	case p.Repl != nil:
		return r.expanded(p.Repl.Orig) && r.expanded(p.Repl.With)
	case p.Exp == nil:
		return p.Length || p.Index != nil
	case p.Exp.Op == syntax.OtherParamOps:
		return false
	case p.Exp.Op == syntax.AssignUnset, p.Exp.Op == syntax.AssignUnsetOrNull:
		if p.Index != nil || isTable(p.Param.Value) {
			return false
		}
		r.noteSet(p.Param.Value)
		if p.Exp.Word != nil {
			text := strings.Trim(r.source(p.Exp.Word), `"`)
			r.line.values.addValue(p.Param.Value, Word{Text: text, Computed: strings.ContainsAny(text, "$`")})
		}
	}
	return r.expanded(p.Exp.Word) && (p.Exp.Word == nil || !strings.Contains(r.source(p.Exp.Word), "\\"))
}

// expanded reads a word in an expansion. It returns false for a word with quotes, because shells differ in quotes.
func (r *reader) expanded(w *syntax.Word) bool {
	if w == nil {
		return true
	}
	var e expansions
	for _, part := range w.Parts {
		r.part(part, &e)
	}
	if e.mayBeSeveral(r.source(w)) {
		r.unusual("braces")
	}
	text := r.source(w)
	if quoted := strings.Trim(text, `"`); len(text) > 1 && text == `"`+quoted+`"` && (isPlain(quoted) ||
		!r.inQuotes && isPlain(strings.ReplaceAll(quoted, " ", ""))) {
		return true
	}
	return !strings.ContainsAny(text, "'\"")
}

// index reads the subscript of an array: arithmetic, or @ or * for all elements.
func (r *reader) index(x syntax.ArithmExpr) {
	if all := r.source(x); all != "@" && all != "*" {
		r.arithmeticOf(x)
	}
}

// substitution reads $( ) or backticks. The commands in a substitution are commands of the line. In the text of the
// surrounding command the substitution is empty, because its output is unknown.
func (r *reader) substitution(c *syntax.CmdSubst, e *expansions) {
	e.inside = true
	r.block(Captured, c)
	r.inside(c.Stmts)
	raw := r.source(c)
	switch {
	case c.Backquotes:
		// Inside backticks a backslash has a meaning of its own.
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
