package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// isSource reports whether the command takes a file into the shell, which shows nothing by itself.
func (c *Command) isSource() bool { return c.Program == "source" || c.Program == "." }

// entering returns a file of secrets whose variables get into the environment of commands of the line, or "".
func (s *search) entering() string {
	for i := range s.assigned {
		if v := &s.assigned[i]; isStartup(v.Name) {
			if what := s.word(v.Value, nameOnly); what != "" {
				return what
			}
		}
	}
	for i := range s.Commands {
		s.goTo(s.Commands[i].Folders)
		if what := s.enteringBy(&s.Commands[i]); what != "" {
			return what
		}
	}
	return ""
}

// isStartup reports whether a variable names a file that shells read when they start.
func isStartup(variable string) bool { return variable == "BASH_ENV" || variable == "ENV" }

// enteringBy is entering for one command: source, or an option such as --env-file.
func (s *search) enteringBy(c *Command) string {
	for _, w := range c.Env {
		if name, _, _ := strings.Cut(w.Text, "="); isStartup(name) {
			if what := s.word(w.After(len(name)+1), nameOnly); what != "" {
				return what
			}
		}
	}
	takes := c.isSource()
	for _, w := range c.Args {
		name, _, attached := strings.Cut(w.Text, "=")
		isOption := strings.HasPrefix(name, "-") && (strings.Contains(name, "env") ||
			strings.HasSuffix(name, "rcfile") ||
			name == "--init-file" || shellline.InList("-f -e", name) && strings.Contains(c.Row.Name+c.Program, "env"))
		if takes || isOption && attached || isStartup(name) {
			if what := s.word(w, followed); what != "" {
				return what
			}
		}
		takes = isOption && !attached || c.isSource()
	}
	return ""
}

// says are programs that print the words that they get.
const says = "echo printf print expr cowsay figlet logger wall yes basename"

// printsVariables reports whether a command of the line prints variables, other than some that hold no secret by habit.
func (s *search) printsVariables() bool {
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.dumps():
			if s.showsValues(i, true) {
				return true
			}
		case c.Program == "printenv", c.isDeclaration() && c.has("-p"):
			for _, w := range c.Args {
				if w.Text != "" && w.Text[0] != '-' && !isPlainVariable(w.Text) {
					return true
				}
			}
		case c.Program == "set" && traces(c.Args), c.isShell() && traces(c.Args):
			return true
		case shellline.InList(says, c.Program):
			if slices.ContainsFunc(c.Args, s.hasSecretVariable) && s.isShown(i) {
				return true
			}
		case c.Row.Is(programs.Language) || c.Program == "jq":
			if printsEnvironment(c) {
				return true
			}
		}
		isSecret := c.Input != nil && c.Input.Computed && s.mayBeSecret(c.Input.Text+c.Input.Source, 3)
		if isSecret && c.showsInput() && !s.isKept(c.Files) {
			return true
		}
	}
	return false
}

func (c *Command) isDeclaration() bool {
	return shellline.InList("declare typeset export local readonly", c.Program)
}

// traces reports whether the options of a shell or of set make the shell print what it runs.
func traces(args []Word) bool {
	return slices.ContainsFunc(args, func(w Word) bool {
		return w.Text == "xtrace" || w.Text == "verbose" || len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' &&
			strings.ContainsAny(w.Text, "xv")
	})
}

// showsInput reports whether the command prints what it reads on stdin.
func (c *Command) showsInput() bool {
	const shows = programs.Reads | programs.Filters | programs.Searches | programs.Script | programs.Edits
	return c.MoreArgs && shellline.InList(says, c.Program) || c.Row.Is(shows) ||
		shellline.InList("tee xargs read mapfile readarray column", c.Program) || c.Row.Name == "" && c.Program != ""
}

// printsEnvironment reports whether a program text prints variables of its environment.
func printsEnvironment(c *Command) bool {
	text := strings.ToLower(shellline.JoinWords(c.Args) + "\n" + c.Script)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	return has("process.env", "environ", "getenv", "env[", "env{", "env.", "%env", "$env") &&
		has("print", "console", "echo", "puts", "write", "say", "log", "p env", "$env", "-p") &&
		!has("process.env.node_env", "process.env.home", "process.env.path", "process.env.port")
}

// hasSecretVariable reports whether a word has the value of a variable that may be secret.
func (s *search) hasSecretVariable(w Word) bool { return w.Computed && s.mayBeSecret(w.Text, 3) }

// mayBeSecret is hasSecretVariable for a text. left is how many variables may stand in each other's values.
func (s *search) mayBeSecret(text string, left int) bool {
	for {
		_, rest, ok := strings.Cut(text, "$")
		if !ok || rest == "" {
			return false
		}
		name, operation, braced := "", "", strings.HasPrefix(rest, "{")
		if braced {
			name, text, _ = strings.Cut(rest[1:], "}")
			if !strings.HasPrefix(name, "#") { // the length
				name, operation = parameter(name)
			}
		} else {
			end := strings.IndexFunc(rest, func(r rune) bool { return r > 127 || r != '_' && !isAlphanumeric(byte(r)) })
			if end < 0 {
				end = len(rest)
			}
			name, text = rest[:end], rest[end:]
		}
		// as in ${!X}
		isIndirect := braced && (name == "" || name[0] == '!' && operation != "@" && !strings.HasSuffix(name, "*"))
		if isIndirect || s.isSecretVariable(name, operation, left) {
			return true
		}
	}
}

// isSecretVariable reports whether a variable may hold a secret: no habit says that it does not, and the line does not
// set it to another text.
func (s *search) isSecretVariable(name, operation string, left int) bool {
	if name == "" || name[0] <= '9' || isPlainVariable(name) ||
		strings.HasPrefix(strings.TrimPrefix(operation, ":"), "+") {
		return false
	}
	if s.variables--; s.variables < 0 {
		return true
	}
	isSet := false
	for i := range s.assigned {
		if v := &s.assigned[i]; v.Name == name {
			isSet = true
			if left == 0 || s.mayBeSecret(v.Value.Text, left-1) {
				return true
			}
		}
	}
	return !isSet
}

// isShown reports whether the output of a command may reach whoever made the call.
func (s *search) isShown(i int) bool {
	readers, ok := s.readers(i)
	last := &s.Commands[i]
	if !ok && len(readers) == 0 {
		return !s.isKept(last.Files)
	}
	for _, r := range readers {
		if !r.showsInput() {
			return false
		}
		last = r
	}
	return !s.isKept(last.Files)
}

// isKept reports whether an output goes to no other file than one of secrets.
func (s *search) isKept(files []File) bool {
	return len(files) > 0 && !s.duplicates() && !slices.ContainsFunc(files, func(f File) bool {
		return !f.Writes || f.Word.Text != "/dev/null" && s.word(f.Word, nameOnly) == ""
	})
}

// duplicates reports whether the line may send an output to a stream, as in >&2.
func (s *search) duplicates() bool {
	return slices.ContainsFunc(s.lines, func(line string) bool { return strings.Contains(line, ">&") })
}
