package permission

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxLine     = 128 << 10 // bytes: Linux gives no program a longer argument
	maxCommands = 10_000
	maxNesting  = 10_000 // of what may begin something inside of something else
)

// commandLine is what a pattern for a shell tool is held against.
type commandLine struct {
	commands []string // the words of each simple command, unquoted, joined by single blanks
	words    [][]word // the same commands, word by word; of [[ ]] no more than the first ones
	unknown  bool     // an argument of a command is nothing but an expansion, so that only the shell knows it
	opaque   string   // why the line was not taken apart; then nothing else is set
}

// word is one word of a simple command without its quotes. unknown: it is nothing but an expansion; for a project's
// own rules: it may be an option, or other than one word.
type word struct {
	text    string
	unknown bool

	// For a project's own rules: a part of the word is computed when the line runs, behind the prefix. several: what
	// comes of it may be no word at all, or several.
	computed, several bool
	prefix            string
}

// takeApart finds the simple commands of a line. Package syntax reads the line as bash does. Claude Code 2.1.329 reads
// less than that, so all of the tree that it was not recorded to see through is opaque.
func takeApart(src string) commandLine { return parse(src, false) }

// takeApartMore is takeApart for a project's own rules. Words may be computed, since those rules can do with what is
// known of a command.
func takeApartMore(src string) commandLine { return parse(src, true) }

func parse(src string, project bool) (line commandLine) {
	switch reason := deceptive(src); {
	case len(src) > maxLine:
		return commandLine{opaque: "it is too long"}
	case reason != "":
		return commandLine{opaque: reason}
	case len(src) > maxNesting && len(opener.FindAllStringIndex(src, maxNesting+1)) > maxNesting:
		return commandLine{opaque: "nested too deeply"}
	}
	defer func() {
		if recover() != nil { // a line that breaks the parser must not end a server, nor keep its gate from running
			line = commandLine{opaque: "the parser failed"}
		}
	}()
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(src), "")
	if err != nil {
		return commandLine{opaque: "a syntax error"}
	}
	r := reader{src: src, project: project, set: map[string]bool{}}
	syntax.Walk(file, r.comment)
	r.list(file.Stmts)
	if r.line.opaque != "" {
		return commandLine{opaque: r.line.opaque}
	}
	return r.line
}

// opener is what package syntax reads by recursion. It takes up to 8 KiB of stack for each one that is open, and a stack
// that is too large ends the program.
var opener = regexp.MustCompile(`[([{` + "`" + `!?~]|\b(?:if|while|until|for|case|select|time|coproc)\b`)

// deceptive finds characters that make a line look other than it runs, in bash or in zsh.
func deceptive(src string) string {
	for _, r := range src {
		switch {
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f:
			return "a control character"
		case r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200b, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f,
			r == 0x3000, r == 0xfeff:
			return "a blank of Unicode"
		}
	}
	if strings.Contains(src, "~[") {
		return "~[, which zsh expands"
	}
	return ""
}

// reader walks the tree of a line in the order of the text.
type reader struct {
	src      string
	line     commandLine
	front    []word // what stands before the next simple command: `time` is a command like any other to a pattern
	subshell bool
	set      map[string]bool // variables that the line has set so far
	project  bool            // the line is for a project's own rules
	inQuotes bool
}

// fail makes the line opaque. The first reason counts.
func (r *reader) fail(reason string) {
	if r.line.opaque == "" {
		r.line.opaque = reason
	}
}

// source returns the text of a node. Values in the tree lack continued lines, and say -e for -a.
func (r *reader) source(n syntax.Node) string { return r.src[n.Pos().Offset():n.End().Offset()] }

// comment fails at a comment with a backslash at its end. In bash that is where it ends, package syntax reads on.
func (r *reader) comment(n syntax.Node) bool {
	if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
		r.fail("a comment that ends in a backslash")
	}
	return true
}

func (r *reader) list(all []*syntax.Stmt) {
	for _, s := range all {
		r.statement(s)
	}
}

func (r *reader) statement(s *syntax.Stmt) {
	if len(r.front) > 0 && s.Negated {
		r.front = append(r.front, word{text: "!"})
	}
	switch s.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		r.simple(s)
		return
	case *syntax.TimeClause, *syntax.CoprocClause, *syntax.BinaryCmd:
	default:
		if len(r.front) > 0 {
			r.fail("time or coproc before a compound command")
		}
	}
	// Redirections of a compound command were recorded to be opaque.
	if len(s.Redirs) > 0 {
		r.fail("something behind a compound command")
	}
	switch c := s.Cmd.(type) {
	case *syntax.TimeClause:
		r.front = append(r.front, word{text: "time"})
		if c.PosixFormat {
			r.front = append(r.front, word{text: "-p"})
		}
		r.inFront(c.Stmt)
	case *syntax.CoprocClause:
		r.front = append(r.front, word{text: "coproc"})
		if c.Name != nil {
			r.front = append(r.front, r.word(c.Name, argument))
		}
		r.inFront(c.Stmt)
	case *syntax.BinaryCmd:
		r.joined(c)
	case *syntax.TestClause:
		r.test(c)
	case *syntax.Subshell:
		// One in another was recorded to be opaque.
		if r.subshell {
			r.fail("nested parentheses")
			return
		}
		r.subshell = true
		r.list(c.Stmts)
		r.subshell = false
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.list(c.Cond)
			r.list(c.Then)
		}
	case *syntax.WhileClause:
		r.list(c.Cond)
		r.list(c.Do)
	case *syntax.ForClause:
		r.loop(c)
	default: // { }, (( )), case, functions, and let, whose arguments are not words in the tree
		r.fail("a command that is not seen through")
	}
}

// inFront reads the command, if there is one, that takes the words in front of it.
func (r *reader) inFront(s *syntax.Stmt) {
	if s == nil {
		s = &syntax.Stmt{}
	}
	r.statement(s)
}

// joined reads commands joined by operators, of which there may be thousands.
func (r *reader) joined(c *syntax.BinaryCmd) {
	behind := []*syntax.Stmt{c.Y}
	first := c.X
	for {
		c, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		behind = append(behind, c.Y)
		first = c.X
	}
	r.statement(first)
	for _, s := range slices.Backward(behind) {
		r.statement(s)
	}
}

func (r *reader) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces || !words.InPos.IsValid() {
		r.fail("a loop that is not for NAME in")
		return
	}
	r.set[words.Name.Value] = true
	for _, w := range words.Items {
		r.word(w, still)
	}
	r.list(c.Do)
}

// test reads [[ ]], which a pattern sees as a command of that name.
func (r *reader) test(c *syntax.TestClause) {
	if strings.Contains(r.source(c), "\n") {
		r.fail("[[ with an operator")
	}
	texts := []string{"[["}
	var words []word // of which each must not run anything
	var walk func(x syntax.TestExpr)
	walk = func(x syntax.TestExpr) {
		switch x := x.(type) {
		case *syntax.Word:
			words = append(words, r.word(x, still))
			texts = append(texts, words[len(words)-1].text)
		case *syntax.UnaryTest:
			if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
				defer r.noneComputed(&words)
			}
			texts = append(texts, r.operator(x.OpPos))
			walk(x.X)
		case *syntax.BinaryTest:
			walk(x.X)
			switch x.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr: // arithmetic
				defer r.noneComputed(&words)
			}
			switch x.Op {
			case syntax.AndTest, syntax.OrTest:
				texts = append(texts, x.Op.String())
			case syntax.TsReMatch:
				r.fail("a regular expression")
			case syntax.TsBefore, syntax.TsAfter:
				r.fail("[[ with an operator")
			default:
				texts = append(texts, r.operator(x.OpPos))
			}
			walk(x.Y)
		default:
			r.fail("[[ with an operator")
		}
	}
	walk(c.X)
	seen := []word{{text: "[["}}
	if slices.ContainsFunc(words, func(w word) bool { return w.computed }) {
		seen = append(seen, word{computed: true, several: true})
	}
	r.emit(strings.Join(append(texts, "]]"), " "), seen)
}

// noneComputed fails where a word is computed whose value the shell may evaluate, and so run.
func (r *reader) noneComputed(words *[]word) {
	if slices.ContainsFunc(*words, func(w word) bool { return w.computed }) {
		r.fail("an expansion that is evaluated")
	}
}

// operator returns an operator of [[ ]], behind which a blank stands.
func (r *reader) operator(at syntax.Pos) string {
	operator, _, _ := strings.Cut(r.src[at.Offset():], " ")
	operator, _, _ = strings.Cut(operator, "\t")
	return operator
}

// simple reads a simple command.
func (r *reader) simple(s *syntax.Stmt) {
	words, value := r.front, assigned
	if r.front = nil; len(words) > 0 {
		value = still
	}
	var only *syntax.Assign // the one assignment that the client knows without a command
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		if len(words) > 0 { // an assignment is an argument there
			words = r.arguments(words, c)
			break
		}
		for _, a := range c.Assigns {
			r.assignment(a, value)
		}
		switch {
		case len(c.Args) > 0 && len(c.Assigns) == 0 && r.source(c.Args[0]) == "[":
			r.bracket(s, c)
			return
		case len(c.Args) > 0:
			words = r.call(c.Args)
		case len(c.Assigns) == 1 && len(s.Redirs) == 0:
			only = c.Assigns[0]
		}
	case *syntax.DeclClause:
		words = append(words, word{text: c.Variant.Value})
		for _, a := range c.Args {
			if a.Naked && a.Name == nil {
				words = append(words, r.word(a.Value, still))
				r.noneComputed(&[]word{words[len(words)-1]})
				continue
			}
			said := r.assignment(a, value)
			// An integer, or another name of a variable, is evaluated.
			if said.computed && slices.ContainsFunc(words, func(w word) bool {
				return strings.HasPrefix(w.text, "-") && strings.ContainsAny(w.text, "in")
			}) {
				r.noneComputed(&[]word{said})
			}
			words = append(words, said)
			if !a.Naked {
				r.set[a.Name.Value] = true
			}
		}
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect)
	}
	switch {
	case len(words) > 0:
		r.emit(joined(words), words)
	case only != nil:
		r.set[only.Name.Value] = true
	default:
		// The client knows no more than one assignment without a command, and no redirection without one.
		r.fail("a command is missing")
	}
}

// declarers are the commands whose arguments may be assignments, by whatever spelling.
var declarers = []string{"declare", "typeset", "local", "export", "readonly", "unset"}

// call reads the words of a command.
func (r *reader) call(args []*syntax.Word) []word {
	words := []word{r.word(args[0], still)}
	name := words[0].text
	if r.source(args[0]) == "else" { // without an if, which bash refuses
		r.fail("a syntax error")
	}
	for _, w := range args[1:] {
		if !slices.Contains(declarers, name) {
			words = append(words, r.word(w, argument))
			if name == "read" {
				r.set[words[len(words)-1].text] = true
			}
			continue
		}
		words = append(words, r.word(w, still))
		r.noneComputed(&[]word{words[len(words)-1]})
		variable, behind := cutName(r.source(w))
		switch {
		case variable != "" && strings.HasPrefix(behind, "["):
			r.fail("an element of an array")
		case strings.HasPrefix(strings.TrimPrefix(behind, "+"), "="):
			r.set[variable] = true
		}
	}
	if evaluates(words) {
		r.noneComputed(&words)
	}
	return words
}

// evaluates reports whether a builtin takes arguments for names of variables, whose subscripts it evaluates, or for arithmetic.
func evaluates(words []word) bool {
	for len(words) > 1 && (words[0].text == "builtin" || words[0].text == "command") {
		words = words[1:]
		for len(words) > 1 && strings.HasPrefix(words[0].text, "-") {
			words = words[1:]
		}
	}
	switch name := words[0].text; name {
	case "read", "let", "getopts", "wait", "mapfile", "readarray":
		return true
	case "printf":
		return len(words) > 1 && strings.HasPrefix(words[1].text, "-v")
	case "test", "[":
		return slices.ContainsFunc(words, func(w word) bool { return w.text == "-v" || w.text == "-R" })
	default: // the others of declarers are read where they stand, and by their own names only
		return slices.Contains(declarers, name) && name != "export" && name != "readonly"
	}
}

// arguments reads a command that other words stand before. The tree has all assignments first, wherever they stood.
func (r *reader) arguments(words []word, c *syntax.CallExpr) []word {
	for _, a := range c.Assigns {
		for len(c.Args) > 0 && c.Args[0].Pos().Offset() < a.Pos().Offset() {
			words, c.Args = append(words, r.word(c.Args[0], argument)), c.Args[1:]
		}
		words = append(words, r.assignment(a, still))
	}
	for _, w := range c.Args {
		words = append(words, r.word(w, argument))
	}
	return words
}

// bracket reads [ ], in which nothing may expand. Nothing may follow it.
func (r *reader) bracket(s *syntax.Stmt, c *syntax.CallExpr) {
	var words []word
	for i, w := range c.Args {
		words = append(words, r.word(w, still))
		switch source := r.source(w); {
		case source == "=~":
			r.fail("a regular expression")
		case source == "]" != (i == len(c.Args)-1):
			r.fail("[ with an operator")
		}
	}
	if len(s.Redirs) > 0 {
		r.fail("[ with an operator")
	}
	if evaluates(words) {
		r.noneComputed(&words)
	}
	r.emit(joined(words), words)
}

func (r *reader) emit(command string, words []word) {
	if len(r.line.commands) == maxCommands {
		r.fail("too many commands")
		return
	}
	r.line.commands, r.line.words = append(r.line.commands, command), append(r.line.words, words)
}

// assignment reads NAME, NAME=value or NAME+=value and returns what it says.
func (r *reader) assignment(a *syntax.Assign, u use) word {
	text := a.Name.Value
	switch {
	case a.Index != nil:
		r.fail("an element of an array")
	case a.Array != nil:
		r.fail("parentheses in a command")
	case a.Naked:
		if r.source(a) != text {
			r.fail("a line continued in a word")
		}
		return word{text: text}
	}
	operator := "="
	if a.Append {
		operator = "+="
	}
	// Package syntax reads ]=a[ and +=a[ as assignments, which bash takes for commands.
	name, behind := cutName(r.src[a.Pos().Offset():])
	if name == "" || name != text || !strings.HasPrefix(behind, operator) {
		r.fail("an assignment to no variable")
	}
	text += operator
	if a.Value == nil {
		return word{text: text}
	}
	value := r.word(a.Value, u)
	value.text, value.unknown = text+value.text, value.unknown && value.several
	if value.computed {
		value.prefix = text + value.prefix
	}
	return value
}
