package shellline

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// projectCompound reads the compound commands that only a project's rules see through.
func (r *reader) projectCompound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Block:
		r.block(Group, c)
		r.list(c.Stmts)
	case *syntax.FuncDecl:
		before := len(r.steps)
		r.function(c)
		r.enclose(Repeated, before)
	case *syntax.CaseClause:
		r.block(Choice, c)
		r.word(c.Word, fixedWord)
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				r.word(pattern, fixedWord)
			}
			before := len(r.steps)
			r.list(item.Stmts)
			r.enclose(Optional, before)
		}
	case *syntax.ArithmCmd:
		r.unusual(otherConstruct)
		r.arithmeticOf(c.X)
		// Dash reads (( )) as commands in parentheses.
		between := func(c rune) bool { return strings.ContainsRune("&|;()\n", c) }
		for text := range strings.FieldsFuncSeq(strings.Trim(r.source(c), "()"), between) {
			if words := fixedWords(text); len(words) > 0 {
				r.emit(Command{ProjectOnly: true, Words: words})
			}
		}
	default:
		r.unusual(otherConstruct)
		r.failProject("a command that is not seen through")
	}
}

// function reads the definition of a function. Its commands may run with any stdin.
func (r *reader) function(c *syntax.FuncDecl) {
	r.unusual(otherConstruct)
	isPlain := c.Name != nil && plainName.Get().MatchString(c.Name.Value)
	if !isPlain {
		r.failProject("a function of an odd name")
	}
	if c.Name == nil {
		return
	}
	r.block(Function, c).Text = c.Name.Value
	r.defines = true
	outside := r.stdin
	r.stdin = fed
	commands, blocks := len(r.line.Commands), len(r.line.Blocks)
	r.statement(c.Body)
	r.stdin = outside
	inBackground := func(b Block) bool { return b.Kind == Background }
	if multiplies(r.line.Commands[commands:], c.Name.Value, slices.ContainsFunc(r.line.Blocks[blocks:], inBackground)) {
		r.line.Multiplies = c.Name.Value
	}
}

// multiplies reports whether a function with these commands starts itself twice at a time.
func multiplies(commands []Command, name string, inBackground bool) bool {
	calls := 0
	for i := range commands {
		c := &commands[i]
		isName := func(c Command) bool { return c.Words[0].Text == name }
		if !isName(*c) {
			continue
		}
		if slices.ContainsFunc(c.PipedFrom, isName) {
			return true
		}
		if len(c.Words) == 1 && inBackground {
			calls++
		}
	}
	return calls > 1
}

// plainName matches names of functions without a special meaning in any shell.
var plainName = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_.:-]*$`}

// loop reads for and select.
func (r *reader) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces || !words.InPos.IsValid() {
		r.failClient("a loop that is not for NAME in")
	}
	if !ok || c.Select {
		r.unusual("a loop that is not known")
	}
	var items []Word
	switch loop := c.Loop.(type) {
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			r.arithmeticOf(x)
		}
	case *syntax.WordIter:
		r.set[loop.Name.Value] = true
		numbers := loop.InPos.IsValid() && !c.Select
		for _, w := range loop.Items {
			item := r.word(w, fixedWord)
			items = append(items, item)
			numbers = numbers && (isNumber(item) || isRange.Get().MatchString(item.Text))
			r.line.values.addValue(loop.Name.Value, item)
		}
		if !loop.InPos.IsValid() {
			r.line.values.addValue(loop.Name.Value, Word{Text: "$@", Source: `"$@"`, Computed: true, MaybeMany: true})
		}
		r.noteSetNumber(loop.Name.Value, numbers)
	}
	body := r.block(Loop, c)
	body.At, body.Words = int(c.DoPos.Offset()), items
	if ok && !c.Select {
		body.Text = words.Name.Value
	}
	r.list(c.Do)
}

var isRange = lazy.Regexp{Text: `^\{-?[0-9]+\.\.-?[0-9]+(?:\.\.[0-9]+)?\}$`}

// array reads NAME=(…) and returns it as a word.
func (r *reader) array(a *syntax.Assign) Word {
	r.unusual(otherConstruct)
	name, text := a.Name.Value, a.Name.Value+"="
	word := Word{Text: text, Prefix: text, Computed: true, Source: r.source(a)}
	if !syntax.ValidName(name) || kindOfVariable(name) != plainVariable || isTable(name) {
		r.failProject("an array that changes the shell")
	}
	r.noteSet(name)
	for _, element := range a.Array.Elems {
		if element.Index != nil {
			r.index(element.Index)
		}
		if element.Value != nil {
			value := r.word(element.Value, assigned)
			r.line.values.addValue(name, value)
			word.Code = word.Code || value.Code
		}
	}
	return word
}

// arithmeticOf reads arithmetic. A variable in arithmetic may name another variable, or a command in a subscript. Only
// numbers are clear, and variables that the line sets to numbers or does not set.
func (r *reader) arithmeticOf(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		r.arithmeticOf(x.X)
		r.arithmeticOf(x.Y)
	case *syntax.UnaryArithm:
		r.arithmeticOf(x.X)
	case *syntax.ParenArithm:
		r.arithmeticOf(x.X)
	case *syntax.Word:
		for _, part := range x.Parts {
			if len(x.Parts) != 1 || !r.arithmeticOperand(part) {
				r.failProject("arithmetic")
			}
		}
	case nil:
	default:
		r.failProject("arithmetic")
	}
}

// arithmeticOperand reads an operand of arithmetic, and reports whether the operand is clear.
func (r *reader) arithmeticOperand(part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		if syntax.ValidName(part.Value) {
			r.arithmeticVars = append(r.arithmeticVars, part.Value)
			return true
		}
		return strings.Trim(part.Value, "0123456789") == ""
	case *syntax.ParamExp:
		raw := r.source(part)
		if name := variableOf(raw); name != "" {
			r.arithmeticVars = append(r.arithmeticVars, name)
			return true
		}
		return isOwnNumber(raw)
	case *syntax.CmdSubst:
		r.substitution(part, &expansions{})
		return r.printsNumber(r.source(part))
	case *syntax.ArithmExp:
		r.arithmeticOf(part.X)
		return true
	}
	return false
}

// numberCommand matches substitutions of programs that print only numbers.
var numberCommand = lazy.Regexp{Text: `^"?\$\((?:date (?:-u )?'?\+(?:%s|%s%N|%N|%Y|%m|%d)'?|nproc|id -[ug]|` +
	`git rev-list --count [A-Za-z0-9_./^~-]+|stat -c '?%s'? [A-Za-z0-9_./-]+|` +
	`grep -c [A-Za-z0-9_./-]+ [A-Za-z0-9_./-]+|(?:[^()'"$;&\n\x60]*\| *)?` + // \x60 is a backquote
	`wc -[lcwm](?: *< *(?:[A-Za-z0-9_./-]+|"?\$[A-Za-z_][A-Za-z0-9_]*"?))?)\)"?$`}

// printsNumber reports whether the source of a word is a substitution of a program that prints a number.
func (r *reader) printsNumber(source string) bool {
	ok := numberCommand.Get().MatchString(source)
	r.printsNumbers = r.printsNumbers || ok
	return ok
}

// addIntegers notes variables that the line makes integers. The shell evaluates their values.
func (r *reader) addIntegers(words []Word) {
	for _, w := range words {
		if name, _, _ := strings.Cut(w.Text, "="); syntax.ValidName(strings.TrimSuffix(name, "+")) {
			r.arithmeticVars = append(r.arithmeticVars, strings.TrimSuffix(name, "+"))
		}
	}
}

// declaresIntegers reports whether a builtin declares integers in a form that is not a declaration in the grammar.
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

// definition matches the definition of a function or an alias, perhaps also other text.
var definition = lazy.Regexp{Text: `\(\s*\)|\bfunction\b|\balias\b`}

// isNumber reports whether a word is a number when the line runs.
func isNumber(w Word) bool {
	if w.Computed {
		return isOwnNumber(w.Text)
	}
	digits := strings.TrimPrefix(w.Text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// checkArithmetic fails if a variable in arithmetic may have a value that is not a number.
func (r *reader) checkArithmetic() {
	if r.printsNumbers && (r.defines || r.changes().defines) {
		r.failProject("arithmetic with what a function may print")
	}
	if r.arithmeticVars = slices.Compact(slices.Sorted(slices.Values(r.arithmeticVars))); len(r.arithmeticVars) > 100 {
		r.failProject("arithmetic with many variables")
		return
	}
	for _, name := range r.arithmeticVars {
		r.line.values.arithmetic = true
		number, given := r.numeric[name]
		switch {
		case given && number:
		case given, r.set[name], r.src != r.outer.text, isOwnVariable(name),
			slices.ContainsFunc(r.line.Commands, func(c Command) bool { return c.maySet(name) }):
			r.failProject("arithmetic with " + name + ", which may be no number")
			return
		}
	}
}

// maySet reports whether the command's arguments may set the variable to a value that is not a number.
func (c *Command) maySet(name string) bool {
	kind := kindOfBuiltin(c.Words[0].Text)
	switch program := c.Words[0].Text; {
	case InList("command builtin eval trap exec", program): // may run a builtin that sets the variable
		return slices.ContainsFunc(c.Words[1:], func(w Word) bool { return names(w.Text, name) })
	case c.ProjectOnly, program == "[[", kind == inert:
		return false
	}
	return slices.ContainsFunc(c.Words[1:], func(w Word) bool {
		value, ok := strings.CutPrefix(w.Text, name)
		isAttached := kind > inert && strings.HasPrefix(w.Text, "-") && strings.HasSuffix(w.Text, name)
		return isAttached || ok && (value == "" || value[0] == '=' && !isNumber(Word{Text: value[1:]}))
	})
}

// names reports whether a name appears in a text.
func names(text, name string) bool {
	between := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	return slices.Contains(strings.FieldsFunc(text, between), name)
}

// isOwnVariable reports whether a shell sets the variable by itself, to a text from the line.
func isOwnVariable(name string) bool {
	return InList("REPLY MAPFILE OPTARG _ argv reply match MATCH COPROC DIRSTACK FUNCNAME ARGV0 ZSH_EVAL_CONTEXT "+
		"funcstack dirstack history historywords jobtexts RANDFILE DEBUG", name) ||
		strings.HasPrefix(name, "BASH_") || strings.HasPrefix(name, "ZSH_")
}

// test reads [[ ]], which a pattern sees as a command of this name. If a word is computed, all words may be.
func (r *reader) test(c *syntax.TestClause) {
	if strings.Contains(r.source(c), "\n") {
		r.fail("[[ with an operator")
	}
	t := testReader{reader: r, words: []Word{{Text: "[[", Source: "[["}}}
	t.read(c.X)
	if slices.ContainsFunc(t.words, IsComputed) {
		t.words[1] = Word{Text: t.words[1].Text, Computed: true, MaybeMany: true, Source: t.words[1].Source}
	}
	r.emit(Command{Words: append(t.words, Word{Text: "]]", Source: "]]"}), At: int(c.Pos().Offset())})
}

// testReader reads one [[ ]].
type testReader struct {
	*reader
	words []Word // so far
	parts int    // the number of && and || so far
}

func (t *testReader) read(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		t.words = append(t.words, t.word(x, fixedWord))
	case *syntax.ParenTest:
		t.failClient("[[ with an operator")
		t.read(x.X)
	case *syntax.UnaryTest:
		t.operator(x.OpPos, x.Op.String())
		t.read(x.X)
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			t.failIf(IsComputed, t.words...)
			t.failIf(hasCode, t.words...)
			if last := t.words[len(t.words)-1]; strings.Contains(last.Text, "[") {
				t.failProject(evaluationReason("[[", []Word{last}, IsComputed))
			}
		}
	case *syntax.BinaryTest:
		t.binary(x)
	default:
		t.fail("[[ with an operator")
	}
}

// operator adds an operator. The source is right; the tree may use another name of the operator (-e for -a).
func (t *testReader) operator(at syntax.Pos, name string) {
	text := t.src[at.Offset():][:len(name)]
	t.words = append(t.words, Word{Text: text, Source: text})
}

// binary reads an operator and its operands.
func (t *testReader) binary(x *syntax.BinaryTest) {
	left := len(t.words)
	t.read(x.X)
	t.operator(x.OpPos, x.Op.String())
	right := len(t.words)
	if x.Op == syntax.TsReMatch {
		t.failClient("a regular expression")
		// Dash reads a | here as a pipeline.
		if raw := t.source(x.Y); !strings.HasPrefix(raw, "(") && strings.ContainsAny(raw, "|&;<>") &&
			!strings.HasPrefix(raw, "^(") {
			t.failProject("a regular expression")
		}
	}
	t.read(x.Y)
	switch x.Op {
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		t.unusual("[[ with " + x.Op.String())
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		t.unusual("[[ with " + x.Op.String())
		t.testOperand(t.words[left : right-1])
		t.testOperand(t.words[right:])
	case syntax.AndTest, syntax.OrTest: // dash reads these operators as operators between commands
		const most = 100
		if t.parts++; t.parts > most {
			t.fail("[[ with many parts")
			t.line.Opaque.Computed = true
			return
		}
		first := right
		for first < len(t.words)-1 && t.words[first].Text == "!" {
			first++
		}
		t.emit(Command{ProjectOnly: true, Words: slices.Clone(t.words[first:])})
	case syntax.TsBefore, syntax.TsAfter:
		t.fail("[[ with an operator")
	}
}

// testOperand reads an operand of -eq and the like in [[ ]], which is arithmetic.
func (r *reader) testOperand(words []Word) {
	for _, w := range words {
		name := variableOf(w.Text)
		switch {
		case isNumber(w), w.Computed && r.printsNumber(w.Source):
		case w.Computed && name != "":
			r.arithmeticVars = append(r.arithmeticVars, name)
		case syntax.ValidName(w.Text):
			r.arithmeticVars = append(r.arithmeticVars, w.Text)
		default:
			r.failProject(evaluationReason("[[", []Word{w}, IsComputed))
		}
	}
}

// failIf fails if a word passes the check: computed, or with a quoted expansion. The shell evaluates the words, and may
// run commands in them.
func (r *reader) failIf(check func(Word) bool, words ...Word) {
	if slices.ContainsFunc(words, check) {
		r.failProject(evaluationReason("the shell", words, check))
	}
}

// arithmetic reads $(( )). In recordings, the client sees through numbers only: a variable may stand for a command.
func (r *reader) arithmetic(a *syntax.ArithmExp, e *expansions) {
	r.unusual(otherConstruct)
	raw := r.source(a)
	if a.Bracket || strings.Trim(raw[1:], "0123456789 +-*/%<>=!&|^~?:,()") != "" {
		r.failClient("arithmetic")
		r.arithmeticOf(a.X)
	}
	e.text.WriteString(raw)
	e.beside, e.fixed = true, true
}
