package shellline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declaration reads declare, export and the like. words are the words before the declaration.
func (r *reader) declaration(words []Word, c *syntax.DeclClause) []Word {
	value := assigned
	if len(words) > 0 {
		value = fixedWord
	}
	words = append(words, Word{Text: c.Variant.Value, Source: c.Variant.Value})
	if c.Variant.Value != "export" {
		r.unusual(c.Variant.Value)
	}
	evaluates := false // the shell evaluates the value, because the variable is an integer or a reference
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			r.unusual("export with a word that is not known")
			option := r.word(a.Value, fixedWord)
			evaluates = evaluates || strings.HasPrefix(option.Text, "-") && strings.ContainsAny(option.Text, "inEF")
			if name, _, ok := strings.Cut(option.Text, "="); ok { // a quoted assignment
				r.noteSet(strings.TrimSuffix(name, "+"))
				if evaluates {
					r.addIntegers([]Word{option})
				}
			}
			words = append(words, option)
			continue
		}
		parsed := r.assignment(a, value)
		if evaluates {
			r.failIf(IsComputed, parsed)
			r.addIntegers([]Word{parsed})
		}
		words = append(words, parsed)
		if !a.Naked {
			r.set[a.Name.Value] = true
		}
	}
	return words
}

// callWith reads a command, perhaps without words, and the assignments in front of the words.
func (r *reader) callWith(c *syntax.CallExpr, redirected bool) (words, sets []Word) {
	for _, a := range c.Assigns {
		sets = append(sets, r.assignment(a, assigned))
	}
	if len(c.Args) > 0 {
		words = r.call(c, redirected)
	}
	return words, sets
}

// call reads the words of a command.
func (r *reader) call(c *syntax.CallExpr, redirected bool) []Word {
	args := c.Args
	words := append(make([]Word, 0, len(args)), r.word(args[0], fixedWord))
	name, u := words[0].Text, argument
	if raw := r.source(args[0]); raw[0] == '!' && raw != "!" { // in zsh: sleep 1 &!ls
		r.failProject("! before a command")
	}
	isTest := r.source(args[0]) == "[" && len(c.Assigns) == 0
	switch {
	case r.source(args[0]) == "else": // bash refuses else without if
		r.fail("a syntax error")
	case isTest: // nothing may follow the ]
		u = fixedWord
		closing := slices.IndexFunc(args, func(w *syntax.Word) bool { return r.source(w) == "]" })
		if closing != len(args)-1 || redirected {
			r.fail("[ with an operator")
		}
	case name == "unset":
		u = fixedWord
	case InList("declare typeset local export readonly", name):
		r.fail("a declaration by another spelling") // the shell still takes its arguments as assignments
	}
	for _, w := range args[1:] {
		if r.source(w) == "\\" && strings.HasPrefix(r.src[w.End().Offset():], "\n") || r.source(w) == "\\\n" {
			continue // a continued line between blanks
		}
		parsed := r.word(w, u)
		element, _, hasIndex := strings.Cut(parsed.Text, "[")
		switch {
		case isTest && r.source(w) == "=~":
			r.fail("a regular expression")
		case name == "unset" && hasIndex && syntax.ValidName(element):
			r.fail("an element of an array")
		case name == "unset" && strings.Contains(parsed.Text, "="): // bash refuses it
			r.fail("a syntax error")
		case name == "read":
			r.set[parsed.Text] = true
		}
		words = append(words, parsed)
	}
	if declaresIntegers(words) {
		r.addIntegers(words)
	}
	return words
}

// arguments reads a command after time or coproc, whose assignments are plain arguments. The tree lists the assignments
// first; arguments restores the order of the source.
func (r *reader) arguments(words []Word, c *syntax.CallExpr) []Word {
	for _, a := range c.Assigns {
		for len(c.Args) > 0 && c.Args[0].Pos().Offset() < a.Pos().Offset() {
			words, c.Args = append(words, r.word(c.Args[0], argument)), c.Args[1:]
		}
		words = append(words, r.assignment(a, fixedWord))
	}
	for _, w := range c.Args {
		words = append(words, r.word(w, argument))
	}
	return words
}

func (r *reader) emit(c Command) {
	if len(r.line.Commands) == MaxCommands {
		r.fail(tooManyCommands)
		return
	}
	if r.words += len(c.Words); r.words > maxWords {
		r.fail(tooManyWords)
		return
	}
	c.Text, c.Row, c.Folders = JoinWords(c.Words), rowOf(c.Words), r.folders
	c.step = &Step{}
	r.steps = append(r.steps, c.step)
	r.line.Commands = append(r.line.Commands, c)
	r.changesFolder(c.Words)
}
