package shellline

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lazy"
)

// further reads the compound commands that only a project's rules see through.
func (r *reader) further(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Block:
		r.list(c.Stmts)
	case *syntax.FuncDecl:
		r.function(c)
	case *syntax.CaseClause:
		r.word(c.Word, still)
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				r.word(pattern, still)
			}
			r.list(item.Stmts)
		}
	case *syntax.ArithmCmd:
		r.count(c.X)
		// Dash reads (( )) as commands in parentheses.
		between := func(c rune) bool { return strings.ContainsRune("&|;()\n", c) }
		for text := range strings.FieldsFuncSeq(strings.Trim(r.source(c), "()"), between) {
			if words := fixedWords(text); len(words) > 0 {
				r.emit(Command{Own: true, Words: words})
			}
		}
	default:
		r.failProject("a command that is not seen through")
	}
}

// function reads the definition of a function. Its commands may run with any stdin.
func (r *reader) function(c *syntax.FuncDecl) {
	if c.Name == nil || !plainName.Get().MatchString(c.Name.Value) {
		r.failProject("a function of an odd name")
		return
	}
	r.defines = true
	outside := r.stdin
	r.stdin = fed
	r.statement(c.Body)
	r.stdin = outside
}

// plainName matches names of functions that no shell reads in a way of its own.
var plainName = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_.:-]*$`}

// loop reads for and select.
func (r *reader) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces || !words.InPos.IsValid() {
		r.failClient("a loop that is not for NAME in")
	}
	switch loop := c.Loop.(type) {
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil {
				r.count(x)
			}
		}
	case *syntax.WordIter:
		r.set[loop.Name.Value] = true
		numbers := loop.InPos.IsValid() && !c.Select
		for _, w := range loop.Items {
			item := r.word(w, still)
			numbers = numbers && (isNumber(item) || isRange.Get().MatchString(item.Text))
			r.line.values.assigned(loop.Name.Value, item)
		}
		r.givesNumber(loop.Name.Value, numbers)
	}
	r.list(c.Do)
}

var isRange = lazy.Regexp{Text: `^\{-?[0-9]+\.\.-?[0-9]+(?:\.\.[0-9]+)?\}$`}

// array reads NAME=(…) and returns it as a word.
func (r *reader) array(a *syntax.Assign) Word {
	name, said := a.Name.Value, Word{Text: a.Name.Value + "=", Prefix: a.Name.Value + "=", Computed: true}
	if !syntax.ValidName(name) || kindOfVariable(name) != plainVariable || isTable(name) {
		r.failProject("an array that changes the shell")
	}
	r.gives(name)
	for _, element := range a.Array.Elems {
		if element.Index != nil {
			r.index(element.Index)
		}
		if element.Value != nil {
			value := r.word(element.Value, assigned)
			r.line.values.assigned(name, value)
			said.code = said.code || value.code
		}
	}
	return said
}

// count reads arithmetic. A variable in it may stand for another one, or for a command in a subscript, so only numbers,
// and variables that the line sets to numbers or not at all, are clear.
func (r *reader) count(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		r.count(x.X)
		r.count(x.Y)
	case *syntax.UnaryArithm:
		r.count(x.X)
	case *syntax.ParenArithm:
		r.count(x.X)
	case *syntax.Word:
		for _, part := range x.Parts {
			if len(x.Parts) != 1 || !r.countPart(part) {
				r.failProject("arithmetic")
			}
		}
	case nil:
	default:
		r.failProject("arithmetic")
	}
}

// countPart reads an operand of arithmetic. It reports whether that is clear.
func (r *reader) countPart(part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		if syntax.ValidName(part.Value) {
			r.counted = append(r.counted, part.Value)
			return true
		}
		return strings.Trim(part.Value, "0123456789") == ""
	case *syntax.ParamExp:
		raw := r.source(part)
		if name := variableOf(raw); name != "" {
			r.counted = append(r.counted, name)
			return true
		}
		return isOwnNumber(raw)
	case *syntax.CmdSubst:
		r.substitution(part, &expansions{})
		return r.isPrinted(r.source(part))
	case *syntax.ArithmExp:
		r.count(part.X)
		return true
	}
	return false
}

// isNumberOf matches substitutions of programs that print numbers alone.
var isNumberOf = lazy.Regexp{Text: `^"?\$\((?:date (?:-u )?'?\+(?:%s|%s%N|%N|%Y|%m|%d)'?|nproc|id -[ug]|` +
	`git rev-list --count [A-Za-z0-9_./^~-]+|stat -c '?%s'? [A-Za-z0-9_./-]+|` +
	`grep -c [A-Za-z0-9_./-]+ [A-Za-z0-9_./-]+|(?:[^()'"$;&\n\x60]*\| *)?` + // \x60 is a backquote
	`wc -[lcwm](?: *< *(?:[A-Za-z0-9_./-]+|"?\$[A-Za-z_][A-Za-z0-9_]*"?))?)\)"?$`}

// isPrinted reports whether the source of a word is a substitution of a program that prints a number.
func (r *reader) isPrinted(source string) bool {
	ok := isNumberOf.Get().MatchString(source)
	r.prints = r.prints || ok
	return ok
}

// integers notes variables that the line makes integers, whose values the shell evaluates.
func (r *reader) integers(words []Word) {
	for _, w := range words {
		if name, _, _ := strings.Cut(w.Text, "="); syntax.ValidName(strings.TrimSuffix(name, "+")) {
			r.counted = append(r.counted, strings.TrimSuffix(name, "+"))
		}
	}
}

// declaresIntegers reports whether a builtin other than a declaration of the grammar makes variables integers.
func declaresIntegers(words []Word) bool {
	declares, marks := false, false
	for _, w := range words {
		switch w.Text {
		case "integer", "float":
			return true
		case "declare", "typeset", "local":
			declares = true
		}
		marks = marks || isFlag(w) && strings.ContainsAny(w.Text, "iEF")
	}
	return declares && marks
}

// definition matches what may define a function or an alias.
var definition = lazy.Regexp{Text: `\(\s*\)|\bfunction\b|\balias\b`}

// isNumber reports whether a word is a number when the line runs.
func isNumber(w Word) bool {
	if w.Computed {
		return isOwnNumber(w.Text)
	}
	digits := strings.TrimPrefix(w.Text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// numbers fails if a variable in arithmetic may have another value than a number.
func (r *reader) numbers() {
	if r.prints && (r.defines || r.changes().defines) {
		r.failProject("arithmetic with what a function may print")
	}
	if r.counted = slices.Compact(slices.Sorted(slices.Values(r.counted))); len(r.counted) > 100 {
		r.failProject("arithmetic with many variables")
		return
	}
	for _, name := range r.counted {
		r.line.values.arithmetic = true
		number, given := r.given[name]
		switch {
		case given && number:
		case given, r.set[name], r.src != r.outer.text, isOwnVariable(name),
			slices.ContainsFunc(r.line.Commands, func(c Command) bool { return c.mayGive(name) }):
			r.failProject("arithmetic with " + name + ", which may be no number")
			return
		}
	}
}

// mayGive reports whether an argument of the command may have it give a value to the variable that is no number.
func (c *Command) mayGive(name string) bool {
	kind := kindOfBuiltin(c.Words[0].Text)
	switch program := c.Words[0].Text; {
	case Among("command builtin eval trap exec", program): // it may run a builtin that does
		return slices.ContainsFunc(c.Words[1:], func(w Word) bool { return names(w.Text, name) })
	case c.Own, program == "[[", kind == inert:
		return false
	}
	return slices.ContainsFunc(c.Words[1:], func(w Word) bool {
		value, ok := strings.CutPrefix(w.Text, name)
		isAttached := kind > inert && strings.HasPrefix(w.Text, "-") && strings.HasSuffix(w.Text, name)
		return isAttached || ok && (value == "" || value[0] == '=' && !isNumber(Word{Text: value[1:]}))
	})
}

// names reports whether a text has a name in it.
func names(text, name string) bool {
	between := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	return slices.Contains(strings.FieldsFunc(text, between), name)
}

// isOwnVariable reports whether a shell itself gives a variable texts that the line holds.
func isOwnVariable(name string) bool {
	switch name {
	case "REPLY", "MAPFILE", "OPTARG", "_", "argv", "reply", "match", "MATCH", "COPROC", "DIRSTACK", "FUNCNAME",
		"ARGV0", "ZSH_EVAL_CONTEXT", "funcstack", "dirstack", "history", "historywords", "jobtexts", "RANDFILE",
		"DEBUG":
		return true
	}
	return strings.HasPrefix(name, "BASH_") || strings.HasPrefix(name, "ZSH_")
}

// test reads [[ ]], which a pattern sees as a command of that name. If a word is computed, all of them may be.
func (r *reader) test(c *syntax.TestClause) {
	if strings.Contains(r.source(c), "\n") {
		r.fail("[[ with an operator")
	}
	t := testReader{reader: r, words: []Word{{Text: "[["}}}
	t.read(c.X)
	if slices.ContainsFunc(t.words, IsComputed) {
		t.words[1] = Word{Text: t.words[1].Text, Computed: true, Several: true}
	}
	r.emit(Command{Words: append(t.words, Word{Text: "]]"})})
}

// testReader reads one [[ ]].
type testReader struct {
	*reader
	words []Word // so far
	parts int    // how many && and || there are
}

func (t *testReader) read(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		t.words = append(t.words, t.word(x, still))
	case *syntax.ParenTest:
		t.failClient("[[ with an operator")
		t.read(x.X)
	case *syntax.UnaryTest:
		t.operator(x.OpPos, x.Op.String())
		t.read(x.X)
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			t.noneComputed(t.words...)
			t.noneInQuotes(t.words)
			if last := t.words[len(t.words)-1]; strings.Contains(last.Text, "[") {
				t.failProject(mayEvaluate("[[", []Word{last}, IsComputed))
			}
		}
	case *syntax.BinaryTest:
		t.binary(x)
	default:
		t.fail("[[ with an operator")
	}
}

// operator adds an operator. The tree gives it one of its names (-e for -a), so it is taken from the source.
func (t *testReader) operator(at syntax.Pos, name string) {
	t.words = append(t.words, Word{Text: t.src[at.Offset():][:len(name)]})
}

// binary reads an operator and what stands on both sides of it.
func (t *testReader) binary(x *syntax.BinaryTest) {
	left := len(t.words)
	t.read(x.X)
	t.operator(x.OpPos, x.Op.String())
	right := len(t.words)
	if x.Op == syntax.TsReMatch {
		t.failClient("a regular expression")
		// Dash reads a | as that of a pipeline.
		if raw := t.source(x.Y); !strings.HasPrefix(raw, "(") && strings.ContainsAny(raw, "|&;<>") &&
			!strings.HasPrefix(raw, "^(") {
			t.failProject("a regular expression")
		}
	}
	t.read(x.Y)
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		t.operand(t.words[left : right-1])
		t.operand(t.words[right:])
	case syntax.AndTest, syntax.OrTest: // dash reads them as those between commands
		const most = 100
		if t.parts++; t.parts > most {
			t.fail("[[ with many parts")
			return
		}
		first := right
		for first < len(t.words)-1 && t.words[first].Text == "!" {
			first++
		}
		t.emit(Command{Own: true, Words: slices.Clone(t.words[first:])})
	case syntax.TsBefore, syntax.TsAfter:
		t.fail("[[ with an operator")
	}
}

// operand reads an operand of -eq and the like in [[ ]], which is arithmetic.
func (r *reader) operand(words []Word) {
	for _, w := range words {
		name := variableOf(w.Text)
		switch {
		case isNumber(w):
		case w.Computed && name != "":
			r.counted = append(r.counted, name)
		case syntax.ValidName(w.Text):
			r.counted = append(r.counted, w.Text)
		default:
			r.failProject(mayEvaluate("[[", []Word{w}, IsComputed))
		}
	}
}

// noneComputed fails if a word is computed: the shell may evaluate its value and run commands in it.
func (r *reader) noneComputed(words ...Word) {
	if slices.ContainsFunc(words, IsComputed) {
		r.failProject(mayEvaluate("the shell", words, IsComputed))
	}
}

// noneInQuotes fails if a word holds an expansion in quotes, where the shell evaluates the word.
func (r *reader) noneInQuotes(words []Word) {
	if slices.ContainsFunc(words, hasCode) {
		r.failProject(mayEvaluate("the shell", words, hasCode))
	}
}
