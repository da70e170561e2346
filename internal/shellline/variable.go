package shellline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isProgramVariable reports whether a variable names one program by habit. Unless a line sets it, its value comes from
// the environment, which rules do not see, as they do not see what a script runs.
func isProgramVariable(name string) bool {
	switch name {
	case "AR", "AS", "AWK", "BROWSER", "BUNDLE", "CARGO", "CC", "CLANG", "CMAKE", "COMPOSER", "CPP", "CXX", "DIFF",
		"DOCKER", "EDITOR", "FC", "GIT", "GO", "GPG", "GRADLE", "GREP", "INSTALL", "JAVA", "JAVAC", "KUBECTL", "LD",
		"LESS", "MAKE", "MKDIR", "MVN", "NINJA", "NODE", "NPM", "NPX", "OBJCOPY", "OBJDUMP", "PAGER", "PERL", "PHP",
		"PIP", "PNPM", "PYTEST", "PYTHON", "PYTHON3", "RANLIB", "RUBY", "RUSTC", "SED", "STRIP", "TAR", "TERRAFORM",
		"UV", "VISUAL", "YARN":
		return true
	}
	return false
}

// gives notes that the line sets a variable, if for one command alone.
func (r *reader) gives(name string) { r.givesNumber(name, false) }

// givesNumber is gives for a value that may be a number.
func (r *reader) givesNumber(name string, number bool) {
	if r.given == nil {
		r.given = map[string]bool{}
	}
	before, ok := r.given[name]
	r.given[name] = number && (before || !ok)
}

// habits keeps the mark of such a variable only if it is the name of a command, and the line does not set it. A word
// that contains the variable's name may set it, as `read EDITOR` does.
func (r *reader) habits() {
	const most = 100
	n := 0
	for _, c := range r.line.Commands {
		if !c.Words[0].ByHabit {
			continue
		}
		if n++; n > most { // each looks at all words
			c.Words[0].ByHabit = false
			continue
		}
		name := variableOf(c.Words[0].Text)
		_, given := r.given[name]
		c.Words[0].ByHabit = !r.set[name] && !given &&
			!slices.ContainsFunc(r.line.Commands, func(other Command) bool {
				return slices.ContainsFunc(other.Words, func(w Word) bool {
					return strings.Contains(w.Text, name) && !(w.Computed && variableOf(w.Text) == name)
				})
			})
	}
}

// variableOf returns the name of the variable if a word is nothing but its value, "" otherwise.
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

// let reads let. The client was recorded to match no rule against it. Bash evaluates its arguments, so a project's rule
// sees through `let NAME=NUMBER` alone: any other value may name a variable with a subscript, which may run commands.
func (r *reader) let(s *syntax.Stmt) {
	src := strings.TrimRight(r.source(s), "; \t\n&")
	c := Command{Own: true, Words: fixedWords(src)}
	for i, w := range c.Words {
		name, value, ok := strings.Cut(w.Text, "=")
		if i > 0 && !(ok && syntax.ValidName(name) && value != "" && strings.Trim(value, "0123456789") == "") {
			r.failProject("let with more than a number")
			if strings.Trim(w.Text, letPlain) != "" {
				r.failClient("let with more than plain letters")
			}
		}
		r.givesNumber(name, ok)
	}
	r.emit(c)
}

// letPlain are the characters of the arguments of let that the client sees through.
const letPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=+-"
