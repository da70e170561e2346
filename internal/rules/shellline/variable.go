package shellline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isProgramVariable reports whether a variable names a program by habit. Unless the line sets the variable, the value
// comes from the environment. Rules do not see the environment, as they do not see the commands of a script.
func isProgramVariable(name string) bool {
	return InList("AR AS AWK BROWSER BUNDLE CARGO CC CLANG CMAKE COMPOSER CPP CXX DIFF DOCKER EDITOR FC GIT GO GPG "+
		"GRADLE GREP INSTALL JAVA JAVAC KUBECTL LD LESS MAKE MKDIR MVN NINJA NODE NPM NPX OBJCOPY OBJDUMP PAGER PERL "+
		"PHP PIP PNPM PYTEST PYTHON PYTHON3 RANLIB RUBY RUSTC SED STRIP TAR TERRAFORM UV VISUAL YARN", name)
}

// noteSet notes that the line sets a variable, perhaps for one command alone.
func (r *reader) noteSet(name string) { r.noteSetNumber(name, false) }

// noteSetNumber is noteSet for a value that may be a number.
func (r *reader) noteSetNumber(name string, number bool) {
	before, ok := r.numeric[name]
	r.numeric[name] = number && (before || !ok)
}

// habits keeps the mark ProgramVariable only on words that name a command, and only if the line does not set the
// variable. A word that contains the variable's name may set the variable, as `read EDITOR` does.
func (r *reader) habits() {
	const most = 100
	n := 0
	for _, c := range r.line.Commands {
		if !c.Words[0].ProgramVariable {
			continue
		}
		if n++; n > most { // each is compared with all words
			c.Words[0].ProgramVariable = false
			continue
		}
		name := variableOf(c.Words[0].Text)
		_, given := r.numeric[name]
		c.Words[0].ProgramVariable = !r.set[name] && !given &&
			!slices.ContainsFunc(r.line.Commands, func(other Command) bool {
				return slices.ContainsFunc(other.Words, func(w Word) bool {
					return strings.Contains(w.Text, name) && !(w.Computed && variableOf(w.Text) == name)
				})
			})
	}
}

// variableOf returns the name of the variable if the word is only the variable's value, else "".
func variableOf(raw string) string {
	if len(raw) > 2 && raw[0] == '"' {
		raw = raw[1 : len(raw)-1]
	}
	name, ok := strings.CutPrefix(raw, "$")
	if braced, isBraced := strings.CutPrefix(name, "{"); isBraced {
		name, ok = strings.CutSuffix(braced, "}")
	}
	if !ok || !syntax.ValidName(name) {
		return ""
	}
	return name
}

// let reads let. In recordings, no rule of the client matches let. Bash evaluates the arguments, so a project's rule
// sees through `let NAME=NUMBER` only: any other value may name a variable with a subscript, which may run commands.
func (r *reader) let(s *syntax.Stmt) {
	r.unusual(otherConstruct)
	src := strings.TrimRight(r.source(s), "; \t\n&")
	c := Command{ProjectOnly: true, Words: fixedWords(src)}
	for i, w := range c.Words {
		name, value, ok := strings.Cut(w.Text, "=")
		if i > 0 && !(ok && syntax.ValidName(name) && value != "" && strings.Trim(value, "0123456789+-") == "" &&
			isDigit(value[0], 10) &&
			isDigit(value[len(value)-1], 10)) {
			r.failProject("let with more than a number")
			if strings.Trim(w.Text, letPlain) != "" {
				r.failClient("let with more than plain letters")
			}
		}
		r.noteSetNumber(name, ok)
	}
	r.emit(c)
}

// letPlain are the characters in arguments of let that the client sees through.
const letPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=+-"

// IsName reports whether a text is a name of a variable.
func IsName(text string) bool { return syntax.ValidName(text) }
